"""What becomes of an act that nobody was asked about."""

from collections.abc import Iterable
from enum import StrEnum


class Mode(StrEnum):
    """From lax to strict. `latch`: it is done, and the run is marked. `block`: it is refused.
    `ask`: it is refused, and asking means that a person must say yes."""

    LATCH = "latch"
    BLOCK = "block"
    ASK = "ask"

    @property
    def refuses(self) -> bool:
        return self is not Mode.LATCH


def strictest(modes: Iterable[str | None]) -> Mode:
    """Of those that somebody wants; an empty or absent one is nobody's wish."""
    order = list(Mode)
    return max((Mode(one) for one in modes if one), key=order.index, default=Mode.LATCH)
