"""Who does something: one value for agents, people and the system itself."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Actor:
    """The doer of one act, as the audit names it."""

    kind: Literal["agent", "person", "system"]
    id: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


SYSTEM = Actor(kind="system", id="", name="pointsman")
