"""One target of a call as its card shows it: how sure, which candidates, what is done with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext

from proposals.call_words import listed
from proposals.candidates import CandidateCard, candidate_cards
from proposals.changes import Writable, writable_values
from proposals.differences import differences
from proposals.equation import Equation, equation
from proposals.tiebreaks import TiebreakWords, tiebreak_words

DOTS = "•••"  # stands where a secret is not shown


@dataclass(frozen=True)
class Deed:
    """What is done with a target: `writes` “Robin Fell”. No value where nothing is given to it."""

    verb: str
    value: str = ""

    @property
    def is_secret(self) -> bool:
        return self.value == DOTS


@dataclass(frozen=True)
class TargetCard:
    """`index` is its place in the call. `letter` and `deed` belong to a row of several targets; of
    those, the one that `is_shown` has the numbers on the picture. `writable` is what is written
    there, if a reviewer may change it; `starred_by` is the first of two people."""

    confidence: Mapping[str, Any]
    index: int = 0
    letter: str = ""
    deed: Deed = Deed("")
    is_shown: bool = True
    acted: int | None = None
    viewport: Mapping[str, Any] = field(default_factory=dict)
    writable: Writable | None = None
    starred_by: str = ""

    @property
    def name(self) -> str:
        return str(self.confidence.get("name") or gettext("target"))

    @property
    def selector(self) -> str:
        return str(self.confidence.get("target") or "")

    @property
    def intent(self) -> str:
        return str(self.confidence.get("intent") or "")

    @property
    def level(self) -> str:
        return str(self.confidence.get("level") or "")

    @property
    def score(self) -> float | None:
        return self.confidence.get("score")

    @property
    def pick_name(self) -> str:
        """The form's name for the pick."""
        return pick_name(self.index) if self.letter else "chosen_index"

    @property
    def id_prefix(self) -> str:
        return f"{self.letter}-" if self.letter else ""

    @cached_property
    def candidates(self) -> list[CandidateCard]:
        return candidate_cards(
            self.confidence.get("candidates") or [],
            viewport=self.viewport,
            starred=self.starred,
            acted=self.acted,
            letter="" if self.is_shown else self.letter,
        )

    @property
    def differences(self) -> list[str]:
        return differences(self.confidence.get("candidates") or []).words

    @property
    def equation(self) -> Equation | None:
        return equation(self.confidence)

    @property
    def starred(self) -> int:
        index = self.confidence.get("chosen_index")
        return index if isinstance(index, int) else -1

    @property
    def starred_number(self) -> int | None:
        return self.starred + 1 if 0 <= self.starred < len(self.candidates) else None

    @property
    def acted_number(self) -> int | None:
        return self.acted + 1 if self.acted is not None and self.acted >= 0 else None

    @property
    def is_changed(self) -> bool:
        """A reviewer took another one than the starred, or one where none was."""
        return self.acted_number is not None and self.acted_number != self.starred_number

    @property
    def needs_pick(self) -> bool:
        return self.starred_number is None and self.acted_number is None

    @property
    def meant(self) -> CandidateCard | None:
        """The one that was decided on, else the starred one."""
        index = (self.acted_number or self.starred_number or 0) - 1
        return self.candidates[index] if 0 <= index < len(self.candidates) else None

    @property
    def hidden_count(self) -> int:
        counted = int(self.confidence.get("total_count") or 0)
        return max(0, counted - int(self.confidence.get("match_count") or 0))

    @property
    def undescribed_count(self) -> int:
        counted = int(self.confidence.get("match_count") or 0)
        return max(0, counted - len(self.candidates)) if self.candidates else 0

    @property
    def tiebreak(self) -> TiebreakWords | None:
        return tiebreak_words(self.confidence.get("tiebreak"))

    @property
    def star_words(self) -> str:
        """Why a candidate is starred."""
        if self.starred_by and len(self.candidates) > 1:
            words = gettext("picked by {name}, the first of two people")
            return words.format(name=self.starred_by)
        tiebreak = self.confidence.get("tiebreak") or {}
        if self.tiebreak and self.tiebreak.picked and tiebreak["chosen_index"] == self.starred:
            return self.tiebreak.starred
        is_only = len(self.candidates) == 1
        return gettext("the only match") if is_only else gettext("best by what can be seen")


def target_rows(
    fields: Sequence[Mapping[str, Any]],
    *,
    tool: str,
    params: Mapping[str, Any],
    shown: int = -1,
    acted: Sequence[int] = (),
    viewport: Mapping[str, Any] | None = None,
    starred_by: str = "",
) -> list[TargetCard]:
    """The table of a call with several targets, in the call's order."""
    writables = writable_values(tool, params)
    return [
        TargetCard(
            confidence,
            index=index,
            letter=letter_of(index),
            deed=deed_on(tool, params, index),
            is_shown=index == shown,
            acted=acted[index] if index < len(acted) else None,
            viewport=viewport or {},
            writable=writables.get(index),
            starred_by=starred_by,
        )
        for index, confidence in enumerate(fields)
    ]


def pick_name(index: int) -> str:
    return f"field-{index}"


def letter_of(index: int) -> str:
    """A to Z, then AA and on, as in a spreadsheet."""
    before, place = divmod(index, len(ascii_uppercase))
    return (letter_of(before - 1) if before else "") + ascii_uppercase[place]


def deed_on(tool: str, params: Mapping[str, Any], index: int) -> Deed:
    if tool == "browser_drag":
        return Deed(gettext("is dropped on") if index else gettext("is dragged"))
    given = params.get("fields") or []
    return (
        _deed_on_field(given[index])
        if index < len(given)
        else Deed(gettext("is pressed at the end"))
    )


def _deed_on_field(given: Mapping[str, Any]) -> Deed:
    value = given.get("value")
    if isinstance(value, bool):
        return Deed(gettext("gets ticked") if value else gettext("gets unticked"))
    if value == "":
        return Deed(gettext("gets emptied"))
    match given.get("type"):
        case "combobox" | "radio":
            verb = gettext("is set to")
        case "file":
            verb = gettext("gets the file")
        case _:
            verb = gettext("gets")
    return Deed(verb, listed(value))
