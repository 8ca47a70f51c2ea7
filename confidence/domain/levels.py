"""The three levels of certainty and the thresholds between them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

HIGH_THRESHOLD_FLAG = "MATCH_CONFIDENCE_HIGH_THRESHOLD"
PARTIAL_THRESHOLD_FLAG = "MATCH_CONFIDENCE_PARTIAL_THRESHOLD"


class MatchLevel(StrEnum):
    """high: exactly the match intended. partial: the best of several is plausible.
    ambiguous: a person decides."""

    HIGH = "high"
    PARTIAL = "partial"
    AMBIGUOUS = "ambiguous"

    def __repr__(self) -> str:  # so that the repr of a MatchConfidence can be read back
        return repr(self.value)


class BadThreshold(ValueError):
    """A threshold breaks 0 < partial <= high <= 1. `flag` is the setting to correct."""

    def __init__(self, flag: str, problem: str) -> None:
        super().__init__(f"{flag} {problem}")
        self.flag = flag


@dataclass(frozen=True)
class Thresholds:
    """The lowest scores that still are high and partial. Raises BadThreshold."""

    high: float = 0.85
    partial: float = 0.50

    def __post_init__(self) -> None:
        _check_range(HIGH_THRESHOLD_FLAG, self.high)
        _check_range(PARTIAL_THRESHOLD_FLAG, self.partial)
        if self.partial > self.high:
            raise BadThreshold(
                PARTIAL_THRESHOLD_FLAG,
                f"is {self.partial}, above {HIGH_THRESHOLD_FLAG}, which is {self.high}",
            )

    def level_of(self, score: float) -> MatchLevel:
        if _reaches(score, self.high):
            return MatchLevel.HIGH
        if _reaches(score, self.partial):
            return MatchLevel.PARTIAL
        return MatchLevel.AMBIGUOUS


def _check_range(flag: str, value: object) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= 1:  # type: ignore[operator]  # is_number guards it
        raise BadThreshold(flag, f"must be a number above 0 and at most 1, not {value!r}")


def _reaches(score: float, threshold: float) -> bool:
    """A threshold made by arithmetic (0.1 + 0.2) must not move a level, hence the tolerance."""
    return score >= threshold or math.isclose(score, threshold, rel_tol=1e-9)


def worst_level(levels: Iterable[MatchLevel]) -> MatchLevel:
    """A form is as certain as its worst field. No levels at all are ambiguous."""
    order = list(MatchLevel)
    return max(levels, key=order.index, default=MatchLevel.AMBIGUOUS)


def match_level_from(value: object) -> MatchLevel:
    """Exactly one of the three words; any other is ambiguous, so that doubt reaches a person."""
    if isinstance(value, str) and value in set(MatchLevel):
        return MatchLevel(value)
    return MatchLevel.AMBIGUOUS


def coerce_match_level_for_storage(value: object) -> str:
    return match_level_from(value).value
