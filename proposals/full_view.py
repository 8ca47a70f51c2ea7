"""The whole page as a card shows it: taken, being taken, or why not; no rows are written here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.utils.translation import gettext

from proposals.candidates import CandidateCard, place_of
from proposals.cards import Card
from proposals.models import FullPicture
from proposals.services.full_pictures import LATE, is_late
from proposals.targets import TargetCard

GONE = frozenset({"browser_lost", "run_ended", "expired"})


@dataclass(frozen=True)
class FullView:
    """`may_ask` while the page waits, for those who decide."""

    card: Card
    asked: FullPicture | None
    may_ask: bool
    now: datetime

    @property
    def is_offered(self) -> bool:
        """A settled card keeps what was taken, and nothing else."""
        return bool(self.card.proposal.picture) and (self.may_ask or self.state == "done")

    @property
    def state(self) -> str:
        if self.asked is None:
            return "none"
        return "late" if is_late(self.asked, self.now) else str(self.asked.status)

    @property
    def mark(self) -> str:
        """Changes when there is something else to show."""
        return f"{self.asked.pk if self.asked else ''} {self.state} {self.may_ask}"

    @property
    def late_in_ms(self) -> int:
        """When it is given up."""
        left = self.asked.created_at + LATE - self.now if self.asked else timedelta()
        return max(0, round(left.total_seconds() * 1000))

    @property
    def words(self) -> str:
        """Why there is none."""
        if self.state == "late":
            return gettext("The page did not answer in time.")
        error = (self.asked.error if self.asked else None) or {}
        return str(error.get("message") or gettext("The picture could not be taken."))

    @property
    def advice(self) -> str:
        error = (self.asked.error if self.asked else None) or {}
        if error.get("code") in GONE:
            return gettext("The page is gone. Nothing can be done on it any more: reject.")
        return gettext("The page was not touched. Take it again, or decide by its window alone.")

    @property
    def is_cut(self) -> bool:
        return bool(self.asked and self.asked.page_height > self.asked.viewport["height"])

    @property
    def viewport(self) -> Mapping[str, Any]:
        return self.asked.viewport if self.asked else {}

    @cached_property
    def boxes(self) -> list[CandidateCard]:
        """Those that the picture shows, of the target with the plain numbers."""
        return self._placed(self.card.shown)

    @cached_property
    def other_boxes(self) -> list[tuple[TargetCard, CandidateCard]]:
        return [(row, one) for row in self.card.other_rows for one in self._placed(row)]

    def _placed(self, target: TargetCard) -> list[CandidateCard]:
        moved = (
            replace(one, place=place_of(one.data.get("box"), self.viewport))
            for one in target.candidates
        )
        return [one for one in moved if one.place and not one.place.outside]
