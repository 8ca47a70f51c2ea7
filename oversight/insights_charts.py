"""The charts of the insights page: each is a table by day, and a script draws what it says."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from django.utils.translation import gettext

from oversight.insights import Insights
from oversight.templatetags.figures import milliseconds, percent, usd, whole
from proposals.templatetags.desk import seconds


@dataclass(frozen=True)
class Series:
    """A column: `tone` is its colour, and those of the levels are for levels alone; `say` writes a
    value for people."""

    name: str
    field: str
    tone: str
    say: Callable[[Any], str]


@dataclass(frozen=True)
class Cell:
    name: str
    value: Any
    words: str


@dataclass(frozen=True)
class Chart:
    """`unit` names what the axis says: count, share, ms or usd."""

    slug: str
    title: str
    about: str
    kind: Literal["stack", "lines"]
    unit: Literal["count", "share", "ms", "usd"]
    series: tuple[Series, ...]
    days: Sequence[Any]

    @property
    def rows(self) -> Iterator[tuple[date, list[Cell]]]:
        """The latest day first."""
        for day in reversed(self.days):
            values = [(each, getattr(day, each.field)) for each in self.series]
            yield day.on, [Cell(each.name, value, each.say(value)) for each, value in values]

    @property
    def is_empty(self) -> bool:
        return not any(getattr(day, each.field) for day in self.days for each in self.series)


@dataclass(frozen=True)
class ShareDay:
    on: date
    approved: float | None
    modified: float | None
    rejected: float | None


def _time(value: float | None) -> str:
    return seconds(value) or "–"


def _levels() -> tuple[Series, ...]:
    return (
        Series(gettext("clear"), "clear", "clear", whole),
        Series(gettext("caution"), "caution", "caution", whole),
        Series(gettext("danger"), "danger", "danger", whole),
    )


def charts_of(found: Insights) -> list[Chart]:
    verbs = ("approved", "modified", "rejected")
    shares = [ShareDay(day.on, *map(day.share_of, verbs)) for day in found.decisions]
    return [
        Chart(
            "volume",
            gettext("Volume by level"),
            gettext("Acts a day, by how sure their target was."),
            "stack",
            "count",
            _levels(),
            found.acts,
        ),
        Chart(
            "decision-time",
            gettext("Time to decide"),
            gettext(
                "From the proposal's birth to the decision: half were faster than p50, nine in ten "
                "faster than p90."
            ),
            "lines",
            "ms",
            (Series("p50", "p50_ms", "accent", _time), Series("p90", "p90_ms", "unseen", _time)),
            found.decisions,
        ),
        Chart(
            "verdicts",
            gettext("Approved, modified, rejected"),
            gettext("Shares of what people decided that day."),
            "stack",
            "share",
            (
                Series(gettext("approved"), "approved", "accent", percent),
                Series(gettext("modified"), "modified", "unseen", percent),
                Series(gettext("rejected"), "rejected", "none", percent),
            ),
            shares,
        ),
        Chart(
            "tiebreaks",
            gettext("Tiebreaks"),
            gettext(
                "Questions to the tiebreaker, how many it settled with a pick, and how many came "
                "from memory."
            ),
            "lines",
            "count",
            (
                Series(gettext("asked"), "calls", "accent", whole),
                Series(gettext("picks"), "picks", "none", whole),
                Series(gettext("from memory"), "cached", "unseen", whole),
            ),
            found.tiebreaks,
        ),
        Chart(
            "tiebreak-cost",
            gettext("Cost of tiebreaks"),
            gettext("What the tiebreaker's model charged a day."),
            "stack",
            "usd",
            (Series(gettext("cost"), "cost_usd", "accent", usd),),
            found.tiebreaks,
        ),
        Chart(
            "latency",
            gettext("Added latency"),
            gettext("What judging added to an act before it went on, without a person's time."),
            "lines",
            "ms",
            (
                Series("p50", "p50_ms", "accent", milliseconds),
                Series("p99", "p99_ms", "unseen", milliseconds),
            ),
            found.acts,
        ),
        Chart(
            "wrong-targets",
            gettext("Wrong targets by level"),
            gettext("Acts that a person reported afterwards, by the level they had."),
            "stack",
            "count",
            _levels(),
            found.reports,
        ),
    ]
