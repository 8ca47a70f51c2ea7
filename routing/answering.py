"""The worker's side of a turn: route it, ask the model it goes to, pass on what that writes.

No transaction is open while a model is asked.
"""

import logging
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from uuid import UUID

from django.db import Error

from core.chat.errors import Forbidden, NoAnswer, NotConfigured, Refused
from core.text import storable
from core.words import phrase
from routing import executors, messages, queries, rules, services
from routing.domain import turn as domain
from routing.domain.chat import chat_of
from routing.domain.rules import Target
from routing.models import Turn
from routing.services import ClaimLost, Failure

log = logging.getLogger(__name__)
TELL_EVERY_S = 0.15
ALIVE_EVERY_S = 2.0

NO_MODEL = Failure(
    "no_model",
    phrase("No model is connected for this agent, so nobody answered."),
    Turn.Status.REFUSED,
)
NOTHING = Failure("no_answer", phrase("The model wrote nothing."))
BROKEN = Failure("internal", phrase("Pointsman failed on this turn. It was logged."))
REFUSALS = (Refused, Forbidden, NotConfigured)


def answer(turn_id: UUID) -> None:
    """Safe to call at any time and any number of times: one worker answers."""
    turn = services.claim(turn_id)
    if turn is None:
        return
    try:
        _answer(turn)
    except ClaimLost:
        log.warning("turn %s was taken over", turn_id)
    except Error:
        raise  # the database is gone: the sweep finds the turn when its lease is over
    except Exception:  # a worker's edge: the turn is marked
        log.exception("turn %s was not answered", turn_id)
        services.fail(turn, BROKEN)


def sweep() -> None:
    """Everything that a killed process or a lost message left behind. What is wrong with one turn
    holds up no other."""
    for lost in services.lost_turns():
        _attempt(partial(services.recover, lost))
    for turn_id in services.sent_too_long_ago():
        messages.send_answer(turn_id)


def _attempt(work: Callable[[], object]) -> None:
    try:
        work()
    except ClaimLost:
        log.info("a turn was taken up meanwhile")
    except Exception:
        log.exception("a sweep failed; it is tried again")


def _answer(turn: Turn) -> None:
    history = queries.history_before(turn)
    if turn.decision is None:
        services.note_decision(turn, services.route(_prompted(turn, history), rules.current()))
    command = domain.read_command(turn.text)
    if command.pins and command.target:
        services.pin(turn, command.target)
    elif not executors.is_connected(Target(turn.target)):
        services.fail(turn, NO_MODEL)
    else:
        _converse(turn, chat_of(history, turn.text))


def _prompted(turn: Turn, history: tuple[domain.Message, ...]) -> domain.Turn:
    conversation = turn.conversation
    return domain.Turn(
        prompt=turn.text,
        history=history,
        state=queries.state_before(turn.number, turn.conversation_id),
        pin=_target(conversation.pin),
        override=_target(turn.override),
        sticky=conversation.is_sticky,
    )


def _target(name: str) -> Target | None:
    return Target(name) if name else None


def _converse(turn: Turn, chat: list[dict[str, str]]) -> None:
    target = Target(turn.target)
    words = _Words(turn)
    try:
        words.take(executors.ask(target, chat))
    except NoAnswer as error:
        services.fail(turn, _failure(error), written=words.written)
        return
    if words.written.strip():
        services.answer(turn, words.written, author=executors.model_of(target))
    else:
        services.fail(turn, NOTHING)


def _failure(error: NoAnswer) -> Failure:
    status = Turn.Status.REFUSED if isinstance(error, REFUSALS) else Turn.Status.FAILED
    said: Any = phrase("The model {failure}.", failure=f"{error.title}: {error}")
    return Failure("no_answer", said, status)


class _Words:
    """What a model has written so far; now and then it is noted, so that pages can show it."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.written = ""
        self._noted_at = time.monotonic()

    def take(self, pieces: Iterable[str]) -> None:
        """Raises NoAnswer and ClaimLost."""
        for piece in pieces:
            self.written += storable(piece)
            silent_s = time.monotonic() - self._noted_at
            if silent_s > (TELL_EVERY_S if piece else ALIVE_EVERY_S):
                self._note()

    def _note(self) -> None:
        services.note_words(self.turn, self.written)
        self._noted_at = time.monotonic()
