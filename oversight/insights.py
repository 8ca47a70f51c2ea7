"""What the insights page counts: days of acts, decisions, tiebreaks and reports, all by SQL."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import TruncDate

from agents.access import agents_overseen_by
from agents.models import Person
from confidence.models import TiebreakCall
from oversight.domain import share
from oversight.queries import (
    APPROVED,
    MODIFIED,
    PERCENTILES,
    REJECTED,
    Agents,
    Latency,
    Percentile,
    acts_of,
    decisions_of,
    first_day,
    latency_of,
)
from proposals.models import Decision
from runs.models import WrongTargetReport

LEVELS = {"clear": "high", "caution": "partial", "danger": "ambiguous"}


@dataclass(frozen=True)
class ActDay:
    on: date
    clear: int = 0
    caution: int = 0
    danger: int = 0
    p50_ms: float | None = None
    p99_ms: float | None = None


@dataclass(frozen=True)
class DecisionDay:
    """What people said that day, and how long after the proposal's birth they said it."""

    on: date
    approved: int = 0
    modified: int = 0
    rejected: int = 0
    p50_ms: float | None = None
    p90_ms: float | None = None

    @property
    def total(self) -> int:
        return self.approved + self.modified + self.rejected

    def share_of(self, verb: str) -> float | None:
        return share(getattr(self, verb), self.total)


@dataclass(frozen=True)
class TiebreakDay:
    """`picks`: calls that were settled; `cached`: settled or not, from memory and for nothing."""

    on: date
    calls: int = 0
    picks: int = 0
    cached: int = 0
    cost_usd: Decimal = Decimal(0)


@dataclass(frozen=True)
class ReportDay:
    """Wrong targets reported that day, by the level that the action had."""

    on: date
    clear: int = 0
    caution: int = 0
    danger: int = 0


@dataclass(frozen=True)
class LevelReports:
    tone: str
    acts: int
    reports: int

    @property
    def per_act(self) -> float | None:
        return share(self.reports, self.acts)


@dataclass(frozen=True)
class DecisionTimes:
    p50_ms: float | None
    p90_ms: float | None


@dataclass(frozen=True)
class Insights:
    """All of `days` days, today included, of the agents that somebody oversees."""

    days: int
    acts: tuple[ActDay, ...]
    decisions: tuple[DecisionDay, ...]
    tiebreaks: tuple[TiebreakDay, ...]
    reports: tuple[ReportDay, ...]
    latency: Latency
    times: DecisionTimes

    @property
    def act_count(self) -> int:
        return sum(day.clear + day.caution + day.danger for day in self.acts)

    @property
    def decided(self) -> int:
        return sum(day.total for day in self.decisions)

    @property
    def approved_share(self) -> float | None:
        return share(sum(day.approved for day in self.decisions), self.decided)

    @property
    def tiebreak_calls(self) -> int:
        return sum(day.calls for day in self.tiebreaks)

    @property
    def pick_share(self) -> float | None:
        return share(sum(day.picks for day in self.tiebreaks), self.tiebreak_calls)

    @property
    def cost_usd(self) -> Decimal:
        return sum((day.cost_usd for day in self.tiebreaks), Decimal(0))

    @property
    def report_count(self) -> int:
        return sum(row.reports for row in self.by_level)

    @property
    def by_level(self) -> list[LevelReports]:
        return [
            LevelReports(tone, _total(self.acts, tone), _total(self.reports, tone))
            for tone in LEVELS
        ]

    @property
    def is_empty(self) -> bool:
        return not (self.act_count or self.decided or self.tiebreak_calls or self.report_count)


def _total(days: Iterable[ActDay | ReportDay], tone: str) -> int:
    return sum(getattr(day, tone) for day in days)


def insights_for(person: Person, *, days: int) -> Insights:
    """Six queries, however many agents and days."""
    agents, since = agents_overseen_by(person), first_day(days)
    dates = [since + timedelta(days=past) for past in range(days)]
    decided = decisions_of(agents, since=since)
    return Insights(
        days=days,
        acts=_filled(dates, ActDay, act_days(agents, since=since)),
        decisions=_filled(dates, DecisionDay, decision_days(decided)),
        tiebreaks=_filled(dates, TiebreakDay, tiebreak_days(agents, since=since)),
        reports=_filled(dates, ReportDay, report_days(agents, since=since)),
        latency=latency_of(acts_of(agents, since=since)),
        times=DecisionTimes(**decided.aggregate(**DECISION_TIMES)),
    )


def _filled(dates: list[date], kind: Any, rows: Iterable[Mapping[str, Any]]) -> tuple[Any, ...]:
    """Every day in order: one without a row is a day of nothing."""
    known = {row["on"]: kind(**row) for row in rows}
    return tuple(known.get(on) or kind(on) for on in dates)


def start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


def day_of(field: str) -> TruncDate:
    return TruncDate(field, tzinfo=UTC)


def _by_tone(level: str) -> dict[str, Count]:
    return {tone: Count("id", filter=Q(**{level: name})) for tone, name in LEVELS.items()}


def act_days(agents: Agents, *, since: date) -> Iterable[Mapping[str, Any]]:
    acts = acts_of(agents, since=since).annotate(level=KT("match_confidence__level"))
    by_day = acts.annotate(on=day_of("created_at")).values("on")
    counted = by_day.annotate(
        **_by_tone("level"), p50_ms=PERCENTILES["p50"], p99_ms=PERCENTILES["p99"]
    )
    return counted.values("on", *LEVELS, "p50_ms", "p99_ms")


DECISION_TIMES = {
    "p50_ms": Percentile("elapsed_ms", rank=0.5),
    "p90_ms": Percentile("elapsed_ms", rank=0.9),
}


def decision_days(decided: QuerySet[Decision]) -> Iterable[Mapping[str, Any]]:
    return (
        decided.annotate(on=day_of("created_at"))
        .values("on")
        .annotate(
            approved=Count("id", filter=APPROVED),
            modified=Count("id", filter=MODIFIED),
            rejected=Count("id", filter=REJECTED),
            **DECISION_TIMES,
        )
    )


def tiebreak_days(agents: Agents, *, since: date) -> Iterable[Mapping[str, Any]]:
    calls = TiebreakCall.objects.filter(
        created_at__gte=start_of(since), agent_id__in=agents.values("pk")
    )
    by_day = calls.annotate(on=day_of("created_at")).values("on").order_by()
    picked = Q(outcome=TiebreakCall.Outcome.PICKED)
    return by_day.annotate(
        calls=Count("id"),
        picks=Count("id", filter=picked),
        cached=Count("id", filter=Q(cache_hit=True)),
        cost_usd=Sum("cost_usd"),
    ).values("on", "calls", "picks", "cached", "cost_usd")


def report_days(agents: Agents, *, since: date) -> Iterable[Mapping[str, Any]]:
    reports = WrongTargetReport.objects.filter(
        created_at__gte=start_of(since), action__run__agent__in=agents
    )
    by_day = reports.annotate(on=day_of("created_at")).values("on").order_by()
    return by_day.annotate(**_by_tone("level"))
