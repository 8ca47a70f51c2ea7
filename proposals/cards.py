"""A proposal as its card shows it: plain values for the template, no rows are written here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from proposals.differences import Differences, differences
from proposals.domain import Status
from proposals.equation import Equation, count_words, equation
from proposals.models import Decision, Proposal

TOOL_WORDS = {
    "browser_click": "Click",
    "browser_type": "Type into",
    "browser_navigate": "Go to",
    "browser_select_option": "Choose in",
    "browser_fill_form": "Fill in a form",
    "browser_press_key": "Press a key",
    "browser_mouse_click_xy": "Click at a point",
    "browser_hover": "Hover over",
    "browser_drag": "Drag",
    "browser_extract_text": "Read text of",
    "browser_file_upload": "Upload a file to",
    "browser_navigate_back": "Go back",
    "browser_take_screenshot": "Take a picture",
    "browser_wait_for": "Wait for",
    "browser_close": "Close the page",
}
OBJECTS = ("target", "url", "key")
REASON_WORDS = {
    "tier": "Agents of tier {tier} always ask before they act on a page.",
    "no_target": "This call names no element, so there is nothing to score.",
}
CLOSING_WORDS = {
    Status.EXPIRED: "Nobody decided in time. Nothing was done.",
    Status.CANCELLED: "The run ended before a decision. Nothing was done.",
    Status.SUPERSEDED: "The agent asked for something else. Nothing was done.",
    Status.STALE: "The page no longer holds what was approved. Nothing was clicked.",
    Status.OUTCOME_UNKNOWN: "The worker stopped while it acted. Nobody knows what happened.",
}


def tool_words(tool: str) -> str:
    """`browser_click` as `Click`; a tool we have no words for keeps its own."""
    bare = tool.removeprefix("browser_").replace("_", " ")
    return TOOL_WORDS.get(tool) or bare[:1].upper() + bare[1:]


def object_of(params: Mapping[str, Any]) -> str:
    """What the call acts on, as the agent named it."""
    named = (params.get(name) for name in OBJECTS)
    return next((value for value in named if isinstance(value, str) and value), "")


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
    """One candidate. `index` counts from 0 as in the API, `number` from 1 as people read it."""

    index: int
    data: Mapping[str, Any]
    differences: Differences
    place: Place | None
    starred: bool
    acted: bool

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def key(self) -> str:
        return str(self.number) if self.number <= 9 else ""

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
        return str(self.data.get("role") or self.data.get("tag") or "element")

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
            found.append("hidden")
        if not self.data.get("enabled", True):
            found.append("disabled")
        if self.covered_by:
            found.append(f"covered by {self.covered_by}")
        return found

    @property
    def covered_by(self) -> str:
        cover = self.data.get("covered_by")
        if isinstance(cover, Mapping):
            text = str(cover.get("text") or "")
            return f"<{cover.get('tag')}>" + (f" “{text}”" if text else "")
        return str(cover or "")


@dataclass(frozen=True)
class Card:
    """Everything the card of one proposal shows. `decisions` are in order, with their people."""

    proposal: Proposal
    decisions: tuple[Decision, ...]
    successor: Proposal | None = None

    @property
    def confidence(self) -> Mapping[str, Any]:
        return self.proposal.match_confidence or {}

    @property
    def params(self) -> Mapping[str, Any]:
        return self.proposal.params or {}

    @property
    def title(self) -> str:
        return tool_words(self.proposal.tool)

    @property
    def object(self) -> str:
        return object_of(self.params)

    @property
    def object_is_address(self) -> bool:
        return bool(self.params.get("url")) and self.object == self.params.get("url")

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """The rest of the call: what is typed, pressed or chosen."""
        shown = {"element", *[name for name in OBJECTS if self.params.get(name) == self.object]}
        return [
            (name, value if isinstance(value, str) else repr(value))
            for name, value in self.params.items()
            if name not in shown and value not in (None, "", False)
        ]

    @cached_property
    def candidates(self) -> list[CandidateCard]:
        return candidate_cards(
            self.proposal.candidates,
            viewport=self.proposal.viewport,
            starred=self.proposal.chosen_index,
            acted=self.proposal.approved_index,
        )

    @property
    def differences(self) -> list[str]:
        return differences(self.proposal.candidates).words

    @property
    def equation(self) -> Equation | None:
        return equation(self.confidence)

    @property
    def reasons(self) -> list[str]:
        return [self._reason_words(code) for code in self.proposal.reasons]

    def _reason_words(self, code: str) -> str:
        if code == "match_confidence":
            return self._doubt_words()
        words = REASON_WORDS.get(code, code.replace("_", " "))
        return words.format(tier=self.proposal.agent.tier)

    def _doubt_words(self) -> str:
        matches = int(self.confidence.get("match_count") or 0)
        if matches > 1:
            return f"{count_words(matches).capitalize()} visible elements match what it named."
        return "It is not certain enough that this is the element it means."

    @property
    def offstage(self) -> list[CandidateCard]:
        """Those that the picture does not show."""
        return [each for each in self.candidates if each.place and each.place.outside]

    @property
    def hidden_count(self) -> int:
        counted = int(self.confidence.get("total_count") or 0)
        return max(0, counted - int(self.confidence.get("match_count") or 0))

    @property
    def undescribed_count(self) -> int:
        counted = int(self.confidence.get("match_count") or 0)
        return max(0, counted - len(self.candidates)) if self.candidates else 0

    @property
    def starred_number(self) -> int | None:
        index = self.proposal.chosen_index
        return index + 1 if 0 <= index < len(self.candidates) else None

    @property
    def acted_number(self) -> int | None:
        index = self.proposal.approved_index
        return index + 1 if index is not None and index >= 0 else None

    @property
    def star_words(self) -> str:
        """Why a candidate is starred."""
        tiebreak = self.confidence.get("tiebreak") or {}
        if tiebreak.get("chosen_index", -1) == self.proposal.chosen_index:
            return "picked by the tiebreaker"
        return "the only match" if len(self.candidates) == 1 else "best by what can be seen"

    @property
    def tiebreak_words(self) -> str:
        return str((self.confidence.get("tiebreak") or {}).get("rationale") or "")

    @property
    def decision(self) -> Decision | None:
        """The one that settled it: a retry or a mark comes after it and is told apart."""
        return self.decisions[0] if self.decisions else None

    @property
    def follow_ups(self) -> tuple[Decision, ...]:
        return self.decisions[1:]

    @property
    def closing_words(self) -> str:
        return CLOSING_WORDS.get(Status(self.proposal.status), "")


def candidate_cards(
    candidates: Sequence[Mapping[str, Any]],
    *,
    viewport: Mapping[str, Any] | None = None,
    starred: int = -1,
    acted: int | None = None,
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
        )
        for index, data in enumerate(candidates)
    ]


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
