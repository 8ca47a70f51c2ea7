"""One prompt and all that is known around it when it is routed."""

from dataclasses import dataclass
from enum import StrEnum

from routing.domain.rules import Target
from routing.domain.text import clean


class Role(StrEnum):
    """Who wrote a message. What a tool gave back are nobody's words."""

    USER = "user"
    AGENT = "agent"
    TOOL_RESULT = "tool_result"


class State(StrEnum):
    """Where the conversation stands. Waiting: the escalated agent asked a question."""

    NONE = ""
    ESCALATION_WAITING = "ESCALATION_WAITING"


@dataclass(frozen=True)
class Message:
    role: Role
    content: str


@dataclass(frozen=True)
class Turn:
    """`history` is oldest first and ends before `prompt`. `pin` holds until it is changed,
    `override` for this turn, `sticky` since the last escalation went well."""

    prompt: str
    history: tuple[Message, ...] = ()
    state: State = State.NONE
    pin: Target | None = None
    override: Target | None = None
    sticky: bool = False


@dataclass(frozen=True)
class Command:
    """A prompt without the command that opens it. Alone it pins, with text it is for one turn."""

    target: Target | None
    text: str
    word: str = ""

    @property
    def pins(self) -> bool:
        return self.target is not None and not self.text


COMMANDS = {"/escalate": Target.ESCALATE, "/primary": Target.LOCAL}


def read_command(prompt: str) -> Command:
    """The cleaned text, and the target that its first word demands."""
    text = clean(prompt)
    first, _, rest = text.partition(" ")
    word = first.lower()
    if word in COMMANDS:
        return Command(COMMANDS[word], rest, word)
    return Command(None, text)


def without_command(prompt: str) -> str:
    """The same with its lines as they were written."""
    word = read_command(prompt).word
    return prompt.strip()[len(word) :].strip()
