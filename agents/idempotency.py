"""The door for calls that may be sent again: one Idempotency-Key, one deed, the same answer."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction
from rest_framework import serializers
from rest_framework.request import Request

from agents.models import AgentRegistry, KeyedRequest
from core import clock, sealing
from core.errors import DomainError, Invalid

KEPT = timedelta(hours=24)
MAX_KEY = 200


def key_of(request: Request) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) > MAX_KEY:
        raise serializers.ValidationError({"Idempotency-Key": [f"At most {MAX_KEY} characters."]})
    return key


def once(request: Request, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The answer of `work`; the one it gave before when this caller's key comes again.

    Two calls at once wait for one another. A refusal is not kept: it is found anew. Raises Invalid
    when the key came with something else.
    """
    key = key_of(request)
    if not key:
        return work()
    answer = _first_or_known(request, key, work)
    if isinstance(answer, DomainError):
        raise answer
    return answer


@transaction.atomic
def _first_or_known(
    request: Request, key: str, work: Callable[[], dict[str, Any]]
) -> dict[str, Any] | DomainError:
    """A refusal comes back instead of being raised, so that what it left written stays."""
    known, is_first = _claimed(_caller(request), key, _digest_of(request))
    if not is_first:
        return dict(known.answer)
    try:
        answer = work()
    except DomainError as refusal:
        known.delete()
        return refusal
    KeyedRequest.objects.filter(pk=known.pk).update(answer=answer)
    return answer


def _claimed(caller: str, key: str, digest: str) -> tuple[KeyedRequest, bool]:
    """The row of this key, and whether it is new. Waits for a call that has it at the moment."""
    now = clock.now()
    KeyedRequest.objects.filter(caller=caller, created_at__lt=now - KEPT).delete()
    known, is_new = KeyedRequest.objects.get_or_create(
        caller=caller, key=key, defaults={"digest": digest, "created_at": now}
    )
    if known.digest != digest:
        raise Invalid("This Idempotency-Key was used for another request.")
    return known, is_new


def _caller(request: Request) -> str:
    kind = "agent" if isinstance(request.user, AgentRegistry) else "person"
    return f"{kind} {request.user.pk}"


def _digest_of(request: Request) -> str:
    return sealing.digest([request.method, request.path, request.data])
