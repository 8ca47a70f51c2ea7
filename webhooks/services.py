"""The only writers of deliveries: made for an event, claimed for a try, settled by its answer."""

import uuid
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from core import clock
from core.errors import Conflict
from core.words import phrase
from webhooks import domain, endpoints, events, messages, sending
from webhooks.models import Delivery, Endpoint
from webhooks.sending import Answer

SPARE = timedelta(seconds=20)  # a sender's lease is so much longer than a try can take
AT_ONCE = 2  # a receiver that hangs keeps no more senders than these busy
A_TURN = 20
KEPT_FOR = timedelta(days=30)
Status = Delivery.Status


def is_heard(event: str) -> bool:
    """Whether anybody listens: where nobody does, an event costs this one look."""
    return _hearing(event).exists()


def _hearing(event: str) -> QuerySet[Endpoint]:
    return Endpoint.objects.filter(enabled=True, events__contains=[event])


@transaction.atomic
def tell(event: str, data: Mapping[str, Any]) -> int:
    """Write a delivery for every endpoint that hears of `event`, then send for a worker."""
    return len([_hand_in(endpoint, event, data) for endpoint in _hearing(event)])


@transaction.atomic
def send_test(endpoint: Endpoint, *, by: str) -> Delivery:
    """A message that says nothing, to see whether it arrives."""
    return _hand_in(endpoint, domain.TEST, {"endpoint_id": str(endpoint.id), "by": by})


def _hand_in(endpoint: Endpoint, event: str, data: Mapping[str, Any]) -> Delivery:
    now = clock.now()
    return _waiting(
        endpoint,
        message_id=f"msg_{uuid.uuid4().hex}",
        event=event,
        body=events.body_of(event, data, at=now),
    )


def _waiting(endpoint: Endpoint, **fields: Any) -> Delivery:
    now = clock.now()
    delivery = endpoint.deliveries.create(created_at=now, next_try_at=now, **fields)
    transaction.on_commit(partial(messages.send_deliver, endpoint.id))
    return delivery


# --- one try ----------------------------------------------------------------------------
def deliver(endpoint_id: UUID) -> int:
    """Send what is due at an endpoint, one after another, a turn of them. Returns how many."""
    for sent in range(A_TURN):
        delivery = claim(endpoint_id)
        if delivery is None:
            return sent
        settle(delivery, attempt(delivery))
    messages.send_deliver(endpoint_id)
    return A_TURN


@transaction.atomic
def claim(endpoint_id: UUID) -> Delivery | None:
    """Give what is due longest to one sender. None when nothing is, or enough are at it.

    The endpoint's row is locked meanwhile, in the mode that lets new deliveries be written.
    """
    now = clock.now()
    enabled = Endpoint.objects.select_for_update(no_key=True).filter(enabled=True)
    endpoint = enabled.filter(pk=endpoint_id).first()
    if endpoint is None or endpoint.deliveries.filter(lease_until__gt=now).count() >= AT_ONCE:
        return None
    delivery = _due(endpoint.deliveries.all()).order_by("next_try_at", "id").first()
    if delivery:
        delivery.tries += 1
        delivery.lease_until = now + timedelta(seconds=settings.WEBHOOKS_TIMEOUT_S) + SPARE
        delivery.save(update_fields=["tries", "lease_until"])
    return delivery


def _due(deliveries: QuerySet[Delivery]) -> QuerySet[Delivery]:
    """Waiting, its time come, and with no sender; a dead sender's lease ends by itself."""
    now = clock.now()
    waiting = deliveries.filter(status=Status.PENDING, next_try_at__lte=now)
    return waiting.exclude(lease_until__gt=now)


def attempt(delivery: Delivery) -> Answer:
    try:
        secret = endpoints.secret_of(delivery.endpoint)
    except InvalidToken:
        return Answer(error="Its secret was sealed with another SEAL_KEY: replace the secret.")
    headers = sending.signed(
        message_id=delivery.message_id, at=clock.now(), body=delivery.body, secret=secret
    )
    return sending.post(delivery.endpoint.url, body=delivery.body, headers=headers)


@transaction.atomic
def settle(delivery: Delivery, answer: Answer) -> None:
    """Note what came of this try. A sender whose lease was taken over changes nothing."""
    mine = Delivery.objects.filter(
        pk=delivery.pk,
        status=Status.PENDING,
        tries=delivery.tries,
        lease_until=delivery.lease_until,
    )
    changed = mine.update(
        lease_until=None,
        tried_at=clock.now(),
        took_ms=answer.took_ms,
        answer_status=answer.status,
        answer=answer.body,
        **_verdict(delivery, answer),
    )
    if changed and answer.status == domain.GONE:
        endpoints.disable(delivery.endpoint, why="It answered 410 Gone.")


def _verdict(delivery: Delivery, answer: Answer) -> dict[str, Any]:
    if answer.status and domain.is_delivered(answer.status):
        return {"status": Status.DELIVERED, "error": ""}
    error = answer.error or _refusal_words(answer.status)
    wait = None if answer.status == domain.GONE else domain.wait_after(delivery.tries)
    if wait is None:
        return {"status": Status.FAILED, "error": error}
    return {"next_try_at": clock.now() + wait, "error": error}


def _refusal_words(status: int | None) -> str:
    if status and 300 <= status < 400:
        return f"It answered {status}: redirects are not followed."
    return f"It answered {status}."


# --- what an admin says -----------------------------------------------------------------
@transaction.atomic
def retry_now(delivery: Delivery) -> None:
    """Try what waits or failed at once, with all its tries anew. Raises Conflict if delivered."""
    _refuse_if_disabled(delivery.endpoint_id)
    undelivered = Delivery.objects.filter(pk=delivery.pk).exclude(status=Status.DELIVERED)
    changed = undelivered.exclude(lease_until__gt=clock.now()).update(
        status=Status.PENDING, tries=0, next_try_at=clock.now(), lease_until=None
    )
    if not changed:
        raise Conflict(phrase("It was delivered, or is being sent this moment."))
    transaction.on_commit(partial(messages.send_deliver, delivery.endpoint_id))


@transaction.atomic
def replay(delivery: Delivery) -> Delivery:
    """Send the same message once more: the same webhook-id, so that a receiver knows it again."""
    _refuse_if_disabled(delivery.endpoint_id)
    return _waiting(
        delivery.endpoint,
        message_id=delivery.message_id,
        event=delivery.event,
        body=delivery.body,
    )


def _refuse_if_disabled(endpoint_id: UUID) -> None:
    if not Endpoint.objects.filter(pk=endpoint_id, enabled=True).exists():
        raise Conflict(phrase("Its endpoint is disabled: enable it first."))


# --- what the clock says ----------------------------------------------------------------
def send_for_due() -> int:
    """Messages that got lost, waits that are over, senders that died: send for a worker again."""
    due = _due(Delivery.objects.filter(endpoint__enabled=True))
    waiting = list(due.order_by().values_list("endpoint_id", flat=True).distinct()[:100])
    for endpoint_id in waiting:
        messages.send_deliver(endpoint_id)
    return len(waiting)


def forget_old() -> int:
    """Deliveries that ended are kept for thirty days."""
    over = Delivery.objects.filter(created_at__lt=clock.now() - KEPT_FOR)
    return over.exclude(status=Status.PENDING).delete()[0]
