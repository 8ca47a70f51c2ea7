"""What a reviewer looked up on the waiting page, as its card shows it; no rows are written here."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext

from core.speaking import spoken
from proposals.candidates import CandidateCard, found_card
from proposals.cards import Card
from proposals.equation import count_words
from proposals.models import Preview
from proposals.services.modifying import NAMELESS_TARGETS
from proposals.targets import TargetCard

SAME = ("fingerprint", "path", "frame")
LISTED = 5


@dataclass(frozen=True)
class Look:
    """A preview beside the candidates that the card lists already."""

    preview: Preview
    target: TargetCard
    viewport: Mapping[str, Any]

    @cached_property
    def found(self) -> TargetCard:
        """How sure it is, and everything it matches."""
        return TargetCard(self.preview.match_confidence or {}, viewport=self.viewport)

    @property
    def candidate(self) -> CandidateCard | None:
        """The one element it means, with the number it would get; None for none or several."""
        data = self.preview.candidate
        listed = [each.data for each in self.target.candidates]
        return found_card(data, beside=listed, viewport=self.viewport) if data else None

    @property
    def looks_irreversible(self) -> bool:
        return self.preview.is_irreversible

    @property
    def same_as(self) -> CandidateCard | None:
        """The listed candidate that is this very element."""
        data = self.preview.candidate or {}
        return next((each for each in self.target.candidates if _is_same(each.data, data)), None)

    @property
    def matches(self) -> list[CandidateCard]:
        return self.found.candidates[:LISTED]

    @property
    def words(self) -> str:
        """Why it cannot be approved, or that it can."""
        if self.preview.status == Preview.Status.WAITING:
            return gettext("Still looking on the page.")
        if self.preview.error:
            said = str(self.preview.error.get("message") or "")
            return spoken(said) or gettext("It could not be looked up.")
        count = int(self.found.confidence.get("match_count") or 0)
        if self.candidate:
            return gettext("It means exactly one element.")
        several = gettext("It matches {count}: not one.").format(count=count_words(count))
        return several if count else gettext("It matches nothing.")


def look_of(preview: Preview, card: Card) -> Look:
    return Look(preview, card.shown, card.proposal.viewport)


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    known = other.get("fingerprint") and other.get("path")
    return bool(known) and all(one.get(name) == other.get(name) for name in SAME)


def takes_another(card: Card) -> bool:
    """Whether another element can be named for the target that is shown."""
    return bool(card.candidates) and card.proposal.tool not in NAMELESS_TARGETS
