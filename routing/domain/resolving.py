"""What does a confirmation confirm? The first of four sources that has something to say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from routing.domain.confirmation import Detection, detect
from routing.domain.rules import Rules
from routing.domain.text import clean, is_empty, lower
from routing.domain.turn import Message, Role, read_command


class Source(StrEnum):
    OWN_SCOPE = "own_scope"
    AGENT_PROPOSAL = "agent_proposal"
    PENDING_TASK = "pending_task"
    AGENT_MESSAGE = "agent_message"
    PROMPT = "prompt"


AGENTS_WORDS = frozenset({Source.AGENT_PROPOSAL, Source.AGENT_MESSAGE})


@dataclass(frozen=True)
class Resolved:
    """The text that is routed. `marker` are the agent's words that propose something new."""

    text: str
    source: Source
    marker: str = ""

    @property
    def author(self) -> Role:
        return Role.AGENT if self.source in AGENTS_WORDS else Role.USER

    def as_dict(self) -> dict[str, str]:
        return {"text": self.text, "source": self.source.value, "author": self.author.value}


def resolve(detection: Detection, history: Sequence[Message], rules: Rules) -> Resolved | None:
    """None where there is nothing to confirm: no scope and no history."""
    if detection.scope:
        return Resolved(detection.scope, Source.OWN_SCOPE)
    said = next(_agents_messages(history), None)
    if said and (marker := rules.confirmation_new_scope_markers.first_in(lower(said))):
        return Resolved(said, Source.AGENT_PROPOSAL, marker)
    if task := next(_tasks(history, rules), None):
        return Resolved(task, Source.PENDING_TASK)
    return Resolved(said, Source.AGENT_MESSAGE) if said else None


def _agents_messages(history: Sequence[Message]) -> Iterator[str]:
    for message in reversed(history):
        if message.role is Role.AGENT and not is_empty(message.content):
            yield clean(message.content)


def _tasks(history: Sequence[Message], rules: Rules) -> Iterator[str]:
    """What the user asked for, latest first. A confirmation with a tail asks for its tail."""
    for message in reversed(history):
        if message.role is Role.USER:
            text = read_command(message.content).text
            found = detect(text, rules)
            task = found.scope if found.is_confirmation else text
            if not found.retracted and not is_empty(task):
                yield task
