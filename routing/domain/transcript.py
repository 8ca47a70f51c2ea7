"""A conversation as people write it down: `user: ...`, `agent: ...`, one below the other."""

import re

from routing.domain.turn import Message, Role

SPEAKERS = {"user": Role.USER, "agent": Role.AGENT, "tool": Role.TOOL_RESULT}
_line = re.compile(r"\s*(user|agent|tool|tool_result)\s*:\s?(.*)", re.IGNORECASE | re.DOTALL)


class NoSpeaker(Exception):
    """The first line does not say who speaks."""


def read_transcript(text: str) -> tuple[Message, ...]:
    """A line without a speaker goes on with the message above it. Raises NoSpeaker."""
    said: list[tuple[Role, list[str]]] = []
    for line in text.splitlines():
        if opening := _line.fullmatch(line):
            said.append((_speaker(opening[1]), [opening[2]]))
        elif said:
            said[-1][1].append(line)
        elif line.strip():
            raise NoSpeaker
    return tuple(Message(role, "\n".join(lines).rstrip()) for role, lines in said)


def _speaker(word: str) -> Role:
    return SPEAKERS[word.lower().removesuffix("_result")]
