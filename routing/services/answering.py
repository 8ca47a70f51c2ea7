"""A worker has a turn: it is claimed, routed, and answered at most once.

The claim is a fence: a worker that was thought dead writes nothing once another has the turn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from audit.services import record
from core import clock
from core.actors import SYSTEM
from core.words import kept, phrase
from routing import messages
from routing.domain.deciding import Decision
from routing.domain.judging import Rule
from routing.domain.rules import Target
from routing.models import Turn
from routing.services.conversing import hint, hold, tell

TIMES_LOST_LIMIT = 3
UNSENT_AFTER = timedelta(seconds=4)


class ClaimLost(Exception):
    """Another worker has the turn, or it is over: nothing more may be written."""


@dataclass(frozen=True)
class Failure:
    """Why there is no answer. `status` is FAILED, or REFUSED where nobody took the question."""

    code: str
    message: str
    status: Turn.Status = Turn.Status.FAILED

    def as_dict(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message}


LOST = Failure("worker_lost", phrase("The worker that answered was lost, again and again."))


@transaction.atomic
def claim(turn_id: UUID) -> Turn | None:
    """Give a waiting turn to this worker. None when it is not its turn or somebody has it."""
    turn = Turn.objects.get(pk=turn_id)
    conversation = hold(turn.conversation_id)
    turn.refresh_from_db()
    if turn.status != Turn.Status.WAITING or _is_behind_others(turn):
        return None
    turn.status, turn.claim, turn.written = Turn.Status.ANSWERING, uuid4(), ""
    turn.started_at, turn.lease_until = clock.now(), _lease()
    turn.save(update_fields=["status", "claim", "written", "started_at", "lease_until"])
    turn.conversation = conversation
    tell(turn)
    return turn


def _is_behind_others(turn: Turn) -> bool:
    others = Turn.objects.filter(conversation_id=turn.conversation_id)
    earlier = others.filter(number__lt=turn.number, status=Turn.Status.WAITING)
    return earlier.exists() or others.filter(status=Turn.Status.ANSWERING).exists()


@transaction.atomic
def note_decision(turn: Turn, decision: Decision) -> None:
    """Raises ClaimLost."""
    turn.decision, turn.target = _kept(decision), decision.target.value
    _write(turn, decision=turn.decision, target=turn.target)
    payload = {"target": turn.target, "rule": decision.rule.value}
    _record(turn, "message.route", payload)
    tell(turn)


def _kept(decision: Decision) -> dict[str, Any]:
    """With the reasons as phrases too, so that a page can say them in another language."""
    words = [kept(reason.said) for reason in decision.reasons]
    return {**decision.as_dict(), "words": words}


def note_words(turn: Turn, written: str) -> None:
    """What is written so far, and that the worker lives. Raises ClaimLost."""
    has_news = written != turn.written
    turn.written = written
    _write(turn, written=written, lease_until=_lease())
    if has_news:
        hint(turn)


@transaction.atomic
def answer(turn: Turn, text: str, *, author: str) -> None:
    """The whole answer, under the number that was kept for it. Raises ClaimLost."""
    conversation = hold(turn.conversation_id)
    _settle(turn, Turn.Status.ANSWERED, written="")
    now = clock.now()
    Turn.objects.create(
        conversation=conversation,
        number=turn.answer_number,
        who=Turn.Who.AGENT,
        author=author,
        text=text,
        target=turn.target,
        status=Turn.Status.ANSWERED,
        created_at=now,
        finished_at=now,
    )
    if _sticks(turn, pin=conversation.pin):
        conversation.is_sticky = True
        conversation.save(update_fields=["is_sticky"])
    _record(turn, "message.answer", {"target": turn.target, "author": author})


def _sticks(turn: Turn, *, pin: str) -> bool:
    """What somebody chose for one turn, or for all, says nothing about the turns after it."""
    was_chosen = (turn.decision or {}).get("rule") == Rule.EXPLICIT
    return turn.target == Target.ESCALATE and not was_chosen and not pin


@transaction.atomic
def pin(turn: Turn, target: Target) -> None:
    """The turn was a command and no more. Raises ClaimLost."""
    conversation = hold(turn.conversation_id)
    _settle(turn, Turn.Status.ANSWERED)
    conversation.pin = target.value
    if target is Target.LOCAL:
        conversation.is_sticky = False
    conversation.save(update_fields=["pin", "is_sticky"])
    _record(turn, "conversation.pin", {"target": target.value})


@transaction.atomic
def fail(turn: Turn, failure: Failure, *, written: str = "") -> None:
    """No answer; what was written of one is kept. Raises ClaimLost."""
    hold(turn.conversation_id)
    _settle(turn, failure.status, error=failure.as_dict(), written=written)
    _record(turn, "message.fail", {"target": turn.target, **failure.as_dict()})


def lost_turns() -> QuerySet[Turn]:
    """Whose worker has given no sign of life for too long."""
    return Turn.objects.filter(status=Turn.Status.ANSWERING, lease_until__lt=clock.now())


@transaction.atomic
def recover(turn: Turn) -> None:
    """Let another worker answer it, unless that was tried too often. Nothing was said twice: what
    the lost one had written is no answer."""
    hold(turn.conversation_id)
    if not lost_turns().filter(pk=turn.pk, claim=turn.claim).exists():
        return
    if turn.times_lost + 1 >= TIMES_LOST_LIMIT:
        _settle(turn, LOST.status, error=LOST.as_dict(), written=turn.written)
        _record(turn, "message.fail", LOST.as_dict())
        return
    _write(
        turn,
        status=Turn.Status.WAITING,
        claim=None,
        lease_until=None,
        times_lost=turn.times_lost + 1,
        sent_at=clock.now(),
    )
    tell(turn)
    transaction.on_commit(partial(messages.send_answer, turn.id))


def sent_too_long_ago() -> list[UUID]:
    """Waiting turns whose message may be lost; they count as sent again now."""
    now = clock.now()
    waiting = Turn.objects.filter(status=Turn.Status.WAITING, sent_at__lt=now - UNSENT_AFTER)
    ids = list(waiting.order_by("created_at").values_list("id", flat=True)[:100])
    Turn.objects.filter(pk__in=ids).update(sent_at=now)
    return ids


def _settle(turn: Turn, status: Turn.Status, **columns: Any) -> None:
    """Its end, once; then it is the next one's turn. Raises ClaimLost."""
    _write(turn, status=status, claim=None, lease_until=None, finished_at=clock.now(), **columns)
    tell(turn)
    following = Turn.objects.filter(
        conversation_id=turn.conversation_id, status=Turn.Status.WAITING
    )
    if next_id := following.order_by("number").values_list("id", flat=True).first():
        transaction.on_commit(partial(messages.send_answer, next_id))


def _write(turn: Turn, **columns: Any) -> None:
    """Raises ClaimLost."""
    mine = Turn.objects.filter(pk=turn.pk, status=Turn.Status.ANSWERING, claim=turn.claim)
    if not mine.update(**columns):
        raise ClaimLost


def _lease() -> datetime:
    return clock.now() + timedelta(seconds=settings.LEASE_SECONDS)


def _record(turn: Turn, verb: str, payload: Mapping[str, Any]) -> None:
    said = {"number": turn.number, **payload}
    record(verb, actor=SYSTEM, run_id=turn.conversation_id, payload=said)
