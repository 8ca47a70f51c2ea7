"""People and agents say something; a person's turn then waits for its answer."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.models import AgentRegistry, Person
from agents.services import actor_of as person_actor
from audit.services import record
from core import clock, live
from core.actors import Actor
from core.errors import Conflict, Invalid
from core.text import storable
from core.words import phrase
from routing import messages
from routing.models import Conversation, Turn

LONGEST = 100_000
ROOM_FOR_AN_ANSWER = 1


class NotToBeSentAgain(Conflict):
    """Only a turn that failed or was refused can be."""

    code = "not_to_be_sent_again"


@dataclass(frozen=True)
class Reply:
    """What a person's words did to the question that waited on the run. Where they `settle` the
    turn, no model is asked."""

    code: str
    message: str
    proposal_id: str
    settles: bool

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "proposal_id": self.proposal_id}


def hold(run_id: UUID) -> Conversation:
    """The conversation, and its row until the transaction ends: whoever comes first speaks first.
    Take it before any other row that the same transaction changes."""
    locked = Conversation.objects.select_for_update().filter(pk=run_id)
    if known := locked.first():
        return known
    new = Conversation(run_id=run_id, created_at=clock.now())
    Conversation.objects.bulk_create([new], ignore_conflicts=True)
    return locked.get()


@transaction.atomic
def say_as_person(
    run_id: UUID,
    *,
    person: Person,
    text: str,
    override: str = "",
    reply_to_question: Callable[[], Reply | None] = lambda: None,
    key: str = "",
) -> Turn:
    """Keep it and have it answered, unless it settled a question that waited on the run. The same
    `key` again is the same turn. Raises Invalid."""
    conversation = hold(run_id)
    if known := _known(conversation, key):
        return known
    said = _checked(text)
    reply = reply_to_question()
    settles = reply is not None and reply.settles
    turn = Turn(
        who=Turn.Who.USER,
        author=person.username,
        text=said,
        key=key or None,
        override=override,
        reply=reply.as_dict() if reply else None,
        status=Turn.Status.ANSWERED if settles else Turn.Status.WAITING,
    )
    _add(conversation, turn, room=ROOM_FOR_AN_ANSWER)
    _record(turn, "message.say", person_actor(person), {"override": override, "reply": turn.reply})
    if not settles:
        transaction.on_commit(partial(messages.send_answer, turn.id))
    return turn


@transaction.atomic
def say_as_agent(run_id: UUID, *, agent: AgentRegistry, text: str, who: Turn.Who) -> Turn:
    """`who` is AGENT or TOOL_RESULT: an agent's key never speaks as the user. Raises Invalid."""
    if who is Turn.Who.USER:
        raise Invalid("An agent cannot speak as the user.")
    turn = Turn(who=who, author=agent.name, text=_checked(text), status=Turn.Status.ANSWERED)
    _add(hold(run_id), turn)
    _record(turn, "message.say", Actor("agent", str(agent.id), agent.name), {})
    return turn


@transaction.atomic
def resend(run_id: UUID, number: int, *, person: Person) -> Turn | None:
    """Have a failed or refused turn routed and answered anew; None where there is no such turn.
    Raises NotToBeSentAgain."""
    hold(run_id)
    turn = Turn.objects.filter(conversation_id=run_id, number=number, who=Turn.Who.USER).first()
    if turn is None:
        return None
    if not turn.may_be_sent_again:
        raise NotToBeSentAgain(phrase("This turn is no longer one that failed."))
    turn.status, turn.decision, turn.target, turn.error = Turn.Status.WAITING, None, "", None
    turn.times_lost, turn.finished_at, turn.sent_at = 0, None, clock.now()
    turn.save()
    _record(turn, "message.resend", person_actor(person), {})
    tell(turn)
    transaction.on_commit(partial(messages.send_answer, turn.id))
    return turn


@transaction.atomic
def unpin(run_id: UUID, *, person: Person) -> None:
    """The rules decide again. Safe to call twice."""
    conversation = hold(run_id)
    if not conversation.pin:
        return
    conversation.pin = ""
    conversation.save(update_fields=["pin"])
    record("conversation.unpin", actor=person_actor(person), run_id=run_id)
    transaction.on_commit(partial(live.hint_run, run_id, {"kind": "state"}))


def tell(turn: Turn) -> None:
    """Once it is committed, open pages and waiting calls hear of it."""
    transaction.on_commit(partial(live.announce, turn.id))
    transaction.on_commit(partial(hint, turn))


def hint(turn: Turn) -> None:
    live.hint_run(turn.conversation_id, {"kind": "turn", "number": turn.number})


def _known(conversation: Conversation, key: str) -> Turn | None:
    return conversation.turns.filter(key=key).first() if key else None


def _add(conversation: Conversation, turn: Turn, *, room: int = 0) -> None:
    """The next number is its own, and `room` more are kept free after it."""
    now = clock.now()
    turn.conversation, turn.number = conversation, conversation.latest_number + 1
    turn.created_at = turn.sent_at = now
    if turn.is_final:
        turn.finished_at = now
    turn.save(force_insert=True)
    conversation.latest_number = turn.number + room
    conversation.save(update_fields=["latest_number"])
    tell(turn)


def _record(turn: Turn, verb: str, actor: Actor, payload: dict[str, Any]) -> None:
    said = {"number": turn.number, "who": str(turn.who), **payload}
    record(verb, actor=actor, run_id=turn.conversation_id, payload=said)


def _checked(text: str) -> str:
    said = storable(text).strip()
    if not any(letter.isprintable() and not letter.isspace() for letter in said):
        raise Invalid(phrase("Write something."))
    if len(said) > LONGEST:
        raise Invalid(phrase("At most {count} characters.", count=LONGEST))
    return said
