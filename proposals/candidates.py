"""A candidate as its card shows it, and where it lies on the picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from proposals.differences import Differences, differences

SET_OFF_SHOWN = 3


@dataclass(frozen=True)
class Place:
    """Where a candidate lies on the picture, in percent; `outside` says which way it is off."""

    left: float = 0
    top: float = 0
    width: float = 0
    height: float = 0
    outside: str = ""


@dataclass(frozen=True)
class Attribute:
    name: str
    value: str
    differs: bool


@dataclass(frozen=True)
class CandidateCard:
    """One candidate. `index` counts from 0 as in the API, `number` from 1 as people read it.

    `letter` is that of its row, in a table of several targets, where the picture's numbers belong
    to the candidates of another row. `alone` when its row has no other.
    """

    index: int
    data: Mapping[str, Any]
    differences: Differences
    place: Place | None
    starred: bool
    acted: bool
    letter: str = ""
    alone: bool = False

    @property
    def mark(self) -> str:
        """Names it on the page: `0` or, by its row, `C1`."""
        return f"{self.letter}{self.number}" if self.letter else str(self.index)

    @property
    def label(self) -> str:
        """What its box says: `1`, `C1`, or `C` where there is no second."""
        return self.letter + ("" if self.letter and self.alone else str(self.number))

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def called(self) -> str:
        """The words a person would use for it."""
        return str(self.data.get("name") or self.data.get("text") or "")

    @property
    def called_alike(self) -> str:
        """The long first part of the name that all candidates share."""
        return self.called[: self.differences.name_head] if self.data.get("name") else ""

    @property
    def called_apart(self) -> str:
        return self.called[len(self.called_alike) :]

    @property
    def kind(self) -> str:
        return str(self.data.get("role") or self.data.get("tag") or gettext("element"))

    @property
    def text_beside_name(self) -> str:
        text = str(self.data.get("text") or "")
        return "" if text == self.called else text

    @property
    def attributes(self) -> list[Attribute]:
        """Those that differ first."""
        held = self.data.get("attributes") or {}
        found = [
            Attribute(str(name), str(value), name in self.differences.attributes)
            for name, value in held.items()
            if value
        ]
        return sorted(found, key=lambda attribute: not attribute.differs)

    @property
    def telling_attributes(self) -> list[Attribute]:
        return [attribute for attribute in self.attributes if attribute.differs]

    @property
    def common_attributes(self) -> list[Attribute]:
        return [attribute for attribute in self.attributes if not attribute.differs]

    @property
    def warnings(self) -> list[str]:
        """Why acting on it may fail or surprise."""
        found = []
        if not self.data.get("visible", True):
            found.append(gettext("hidden"))
        if not self.data.get("enabled", True):
            found.append(gettext("disabled"))
        if self.covered_by:
            found.append(gettext("covered by {cover}").format(cover=self.covered_by))
        return found

    @property
    def set_off_words(self) -> list[str]:
        """The controls that Enter in it presses, where the call presses Enter."""
        held = self.data.get("sets_off") or {}
        return [str(words) for words in held.get("words") or ()][:SET_OFF_SHOWN]

    @property
    def is_unforeseeable(self) -> bool:
        held = self.data.get("sets_off")
        return isinstance(held, Mapping) and not held.get("is_known")

    @property
    def covered_by(self) -> str:
        cover = self.data.get("covered_by")
        if isinstance(cover, Mapping):
            text = str(cover.get("text") or "")
            return f"<{cover.get('tag')}>" + (f" “{text}”" if text else "")
        return str(cover or "")


def candidate_cards(
    candidates: Sequence[Mapping[str, Any]],
    *,
    viewport: Mapping[str, Any] | None = None,
    starred: int = -1,
    acted: int | None = None,
    letter: str = "",
) -> list[CandidateCard]:
    apart = differences(candidates)
    return [
        CandidateCard(
            index=index,
            data=data,
            differences=apart,
            place=place_of(data.get("box"), viewport or {}),
            starred=index == starred,
            acted=index == acted,
            letter=letter,
            alone=len(candidates) == 1,
        )
        for index, data in enumerate(candidates)
    ]


def found_card(
    data: Mapping[str, Any], *, beside: Sequence[Mapping[str, Any]], viewport: Mapping[str, Any]
) -> CandidateCard:
    """What a reviewer looked up, as one more candidate after those that are listed."""
    return CandidateCard(
        index=len(beside),
        data=data,
        differences=Differences(),
        place=place_of(data.get("box"), viewport),
        starred=False,
        acted=False,
    )


def place_of(box: Mapping[str, Any] | None, viewport: Mapping[str, Any]) -> Place | None:
    """A box of the page on its picture; None when either is unknown."""
    width, height = float(viewport.get("width") or 0), float(viewport.get("height") or 0)
    if not box or width <= 0 or height <= 0:
        return None
    left = float(box["x"]) - float(viewport.get("scroll_x") or 0)
    top = float(box["y"]) - float(viewport.get("scroll_y") or 0)
    right, bottom = left + float(box["width"]), top + float(box["height"])
    return Place(
        left=_percent(left, width),
        top=_percent(top, height),
        width=_percent(right - left, width),
        height=_percent(bottom - top, height),
        outside=_outside(left, top, right, bottom, width, height),
    )


def _percent(length: float, whole: float) -> float:
    return round(100 * length / whole, 3)


def _outside(
    left: float, top: float, right: float, bottom: float, width: float, height: float
) -> str:
    if bottom <= 0:
        return "above"
    if top >= height:
        return "below"
    if right <= 0:
        return "left of"
    return "right of" if left >= width else ""
