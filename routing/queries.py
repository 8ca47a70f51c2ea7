"""Reads of conversations: what went before a turn, a page of turns, where it all stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from routing.domain.rules import Target
from routing.domain.text import asks_a_question
from routing.domain.turn import Message, Role, State, read_command
from routing.models import Conversation, Turn

REMEMBERED = 200  # turns that a prompt is routed and answered with


@dataclass(frozen=True)
class Standing:
    """Where a conversation stands: what the next turn will find."""

    pin: str = ""
    is_sticky: bool = False
    state: State = State.NONE


@dataclass(frozen=True)
class TurnsPage:
    """Turns in their order; `before` is the number that the page before it ends below."""

    turns: list[Turn]
    before: int | None


def standing_of(run_id: UUID) -> Standing:
    known = Conversation.objects.filter(pk=run_id).first()
    if known is None:
        return Standing()
    return Standing(known.pin, known.is_sticky, state_before(known.latest_number + 1, run_id))


def state_before(number: int, run_id: UUID) -> State:
    """Waiting while the latest words of any agent are a question of the escalated one."""
    said = Turn.objects.filter(conversation_id=run_id, number__lt=number, who=Turn.Who.AGENT)
    latest = said.order_by("-number").first()
    if latest and latest.target == Target.ESCALATE and asks_a_question(latest.text):
        return State.ESCALATION_WAITING
    return State.NONE


def history_before(turn: Turn) -> tuple[Message, ...]:
    """Oldest first. Commands alone are not part of it, and neither is what only answered the
    run's own question."""
    before = Turn.objects.filter(conversation_id=turn.conversation_id, number__lt=turn.number)
    latest = list(before.order_by("-number")[:REMEMBERED])[::-1]
    return tuple(Message(Role(one.who), one.text) for one in latest if not _is_aside(one))


def _is_aside(turn: Turn) -> bool:
    if turn.who != Turn.Who.USER:
        return False
    return read_command(turn.text).pins or bool(turn.reply and turn.decision is None)


def page_of_turns(run_id: UUID, *, size: int, before: int | None = None) -> TurnsPage:
    """The latest ones, or the latest of those below `before`."""
    found = Turn.objects.filter(conversation_id=run_id)
    older = found.filter(number__lt=before) if before else found
    page: Sequence[Turn] = list(older.order_by("-number")[: size + 1])
    turns = list(page[:size])[::-1]
    return TurnsPage(turns, turns[0].number if len(page) > size else None)


def turn_count(run_id: UUID) -> int:
    return Turn.objects.filter(conversation_id=run_id).count()


def answer_to(turn: Turn) -> Turn | None:
    """A person's turn's; an agent's has none."""
    if turn.who != Turn.Who.USER:
        return None
    answers = Turn.objects.filter(conversation_id=turn.conversation_id, who=Turn.Who.AGENT)
    return answers.filter(number=turn.answer_number).first()
