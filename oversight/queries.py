"""What the agents did and what it cost, counted by the database in few queries a page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import (
    Aggregate,
    Count,
    Exists,
    FloatField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Sum,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, TruncDate

from agents.access import agents_overseen_by
from agents.models import AgentRegistry, ApiKey, Person
from audit.models import BrowserAudit
from audit.queries import audit_failures_by_day
from audit.services import SYSTEM_CHAIN
from confidence.domain.gate import ALL_TIERS
from confidence.models import TiebreakCall
from core import clock
from oversight.domain import (
    Day,
    Tally,
    Tiebreaks,
    Volume,
    compare_volume,
    share,
    total_of,
    total_tiebreaks,
    would_be_sent,
)
from proposals.models import Decision
from runs.access import visible_to
from runs.models import Action, Run, WrongTargetReport

PAGE_SIZE = 50
CHANGES_SHOWN = 10
RUNS_SHOWN = 100
SENT = Q(gate_reasons__contains="match_confidence")
Agents = QuerySet[AgentRegistry]


class Percentile(Aggregate):
    """PostgreSQL's `percentile_cont`: `rank` 0..1."""

    function = "percentile_cont"
    template = "%(function)s(%(rank)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()

    def __init__(self, expression: Any, *, rank: float) -> None:
        super().__init__(expression, rank=rank)


@dataclass(frozen=True)
class Latency:
    """Milliseconds that the layer added to an act; None where nothing was measured."""

    p50_ms: float | None = None
    p99_ms: float | None = None


@dataclass(frozen=True)
class TierFigures:
    tier: str
    tally: Tally
    latency: Latency
    tiebreaks: Tiebreaks
    volume: Volume


@dataclass(frozen=True)
class AgentFigures:
    agent: AgentRegistry
    tally: Tally
    latency: Latency
    tiebreaks: Tiebreaks

    @property
    def would_be_sent(self) -> int:
        return would_be_sent(self.tally, agent_flag=self.agent.match_confidence_gating_enabled)


@dataclass(frozen=True)
class Figures:
    """All that the roll-out page counts of `days` days."""

    days: int
    total: Tally
    latency: Latency
    tiebreaks: Tiebreaks
    tiers: tuple[TierFigures, ...]
    agents: tuple[AgentFigures, ...]
    idle_count: int


# --- days -------------------------------------------------------------------------------
def first_day(days: int) -> date:
    """The first of the last `days` days (UTC), today included."""
    return clock.now().date() - timedelta(days=days - 1)


def start_of_days(days: int) -> datetime:
    return _start_of(first_day(days))


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


# --- acts -------------------------------------------------------------------------------
def acts_of(agents: Agents, *, since: date) -> QuerySet[Action]:
    """Scored acts from that day on: not reads, which never gate, and not dry runs."""
    scored = Action.objects.filter(
        created_at__gte=_start_of(since),
        match_confidence__isnull=False,
        dry_run=False,
        run__agent__in=agents,
    )
    return scored.exclude(gate_reasons__contains="read_only").order_by()


def tallies(agents: Agents, *, since: date) -> dict[UUID, Tally]:
    """By agent; an agent without an act is missing."""
    counted = (
        acts_of(agents, since=since)
        .annotate(level=KT("match_confidence__level"))
        .values("run__agent_id")
        .annotate(
            acts=Count("id"),
            clear=Count("id", filter=Q(level="high")),
            caution=Count("id", filter=Q(level="partial")),
            danger=Count("id", filter=Q(level="ambiguous")),
            would=Count("id", filter=Q(would_gate=True)),
            sent=Count("id", filter=SENT),
        )
    )
    return {row["run__agent_id"]: _tally(row) for row in counted}


def _tally(row: Mapping[str, Any]) -> Tally:
    return Tally(
        acts=row["acts"],
        clear=row["clear"],
        caution=row["caution"],
        danger=row["danger"],
        would_gate=row["would"],
        sent=row["sent"],
    )


ADDED_MS = Cast(KT("timings__added_ms"), FloatField())
PERCENTILES = {
    "p50": Percentile(ADDED_MS, rank=0.5),
    "p99": Percentile(ADDED_MS, rank=0.99),
}


def latency_of(acts: QuerySet[Action]) -> Latency:
    measured = acts.aggregate(**PERCENTILES)
    return Latency(measured["p50"], measured["p99"])


def latencies(acts: QuerySet[Action], *, by: str) -> dict[Any, Latency]:
    measured = acts.values(by).annotate(**PERCENTILES)
    return {row[by]: Latency(row["p50"], row["p99"]) for row in measured}


def tiebreaks(agents: Agents, *, since: date) -> dict[UUID, Tiebreaks]:
    """By agent; an agent without a call is missing."""
    picked = Q(outcome=TiebreakCall.Outcome.PICKED)
    counted = (
        TiebreakCall.objects.filter(
            created_at__gte=_start_of(since), agent_id__in=agents.values("pk")
        )
        .values("agent_id")
        .annotate(calls=Count("id"), picks=Count("id", filter=picked), cost=Sum("cost_usd"))
        .order_by()
    )
    rows = counted.values_list("agent_id", "calls", "picks", "cost")
    return {agent_id: Tiebreaks(*counts) for agent_id, *counts in rows if agent_id}


def volumes(agents: Agents, *, days: int) -> dict[str, Volume]:
    """Each tier's proposals against its shadow baseline, looking back twice as far."""
    counted = (
        acts_of(agents, since=first_day(2 * days))
        .annotate(on=TruncDate("created_at", tzinfo=UTC))
        .values("run__agent__tier", "on")
        .annotate(acts=Count("id"), would=Count("id", filter=Q(would_gate=True)))
        .annotate(sent=Count("id", filter=SENT))
    )
    by_tier: dict[str, list[Day]] = {tier: [] for tier in ALL_TIERS}
    for row in counted:
        day = Day(row["on"], row["acts"], row["would"], row["sent"])
        by_tier[row["run__agent__tier"]].append(day)
    start = first_day(days)
    return {tier: compare_volume(each, window_start=start) for tier, each in by_tier.items()}


# --- the roll-out page ------------------------------------------------------------------
def figures_for(person: Person, *, days: int) -> Figures:
    """Everything of the agents that this person oversees."""
    overseen, since = agents_overseen_by(person), first_day(days)
    agents = list(overseen.order_by("name"))
    acts = acts_of(overseen, since=since)
    tally, calls = tallies(overseen, since=since), tiebreaks(overseen, since=since)
    by_agent = latencies(acts, by="run__agent_id")
    rows = [
        AgentFigures(
            agent,
            tally.get(agent.pk, Tally()),
            by_agent.get(agent.pk, Latency()),
            calls.get(agent.pk, Tiebreaks()),
        )
        for agent in agents
        if agent.pk in tally or agent.pk in calls
    ]
    by_tier, volume = latencies(acts, by="run__agent__tier"), volumes(overseen, days=days)
    return Figures(
        days=days,
        total=total_of(tally.values()),
        latency=latency_of(acts),
        tiebreaks=total_tiebreaks(calls.values()),
        tiers=tuple(
            _tier_figures(tier, rows, by_tier.get(tier, Latency()), volume[tier])
            for tier in ALL_TIERS
        ),
        agents=tuple(rows),
        idle_count=len(agents) - len(rows),
    )


def _tier_figures(
    tier: str, rows: Iterable[AgentFigures], latency: Latency, volume: Volume
) -> TierFigures:
    own = [row for row in rows if row.agent.tier == tier]
    return TierFigures(
        tier,
        total_of(row.tally for row in own),
        latency,
        total_tiebreaks(row.tiebreaks for row in own),
        volume,
    )


@dataclass(frozen=True)
class Forecast:
    """What gating would have sent to a person, had some tiers been in force in these days."""

    days: int
    acts: int
    unsure: int
    would_be_sent: int
    agents: tuple[AgentFigures, ...]

    @property
    def share(self) -> float | None:
        return share(self.would_be_sent, self.acts)

    @property
    def a_day(self) -> float:
        return self.would_be_sent / self.days


def forecast(tiers: Iterable[str], *, days: int) -> Forecast:
    """Of every agent of these tiers, whoever asks: the switch is thrown for all of them."""
    agents = AgentRegistry.objects.filter(tier__in=list(tiers)).order_by("name")
    tally = tallies(agents.order_by(), since=first_day(days))
    rows = [
        AgentFigures(agent, tally[agent.pk], Latency(), Tiebreaks())
        for agent in agents
        if agent.pk in tally
    ]
    busiest = sorted(rows, key=lambda row: -row.would_be_sent)
    return Forecast(
        days=days,
        acts=sum(row.tally.acts for row in rows),
        unsure=sum(row.tally.unsure for row in rows),
        would_be_sent=sum(row.would_be_sent for row in rows),
        agents=tuple(busiest),
    )


# --- the record's health ----------------------------------------------------------------
@dataclass(frozen=True)
class RecordHealth:
    """Audit entries written in these days, and writes that failed. `failed` None: not known."""

    entries: int
    failed: int | None

    @property
    def attempts(self) -> int:
        return self.entries + (self.failed or 0)

    @property
    def error_rate(self) -> float | None:
        return None if self.failed is None else share(self.failed, self.attempts)


def record_health(*, days: int) -> RecordHealth:
    entries = BrowserAudit.objects.filter(at__gte=_start_of(first_day(days))).count()
    failures = audit_failures_by_day(days)
    return RecordHealth(entries, failed=sum(failures.values()) if failures else None)


# --- the agents' pages ------------------------------------------------------------------
@dataclass(frozen=True)
class AgentRow:
    """One line of the list: what it did in the last days and what reviewers said of it."""

    agent: AgentRegistry
    tally: Tally
    decided: int
    approved: int
    wrong: int
    last_used_at: datetime | None

    @property
    def approve_share(self) -> float | None:
        return share(self.approved, self.decided)


def page_of_agents(person: Person, *, days: int, after: str = "") -> list[AgentRow]:
    """By name, those after `after`; one more than a page holds when there is a next page."""
    page = list(agents_overseen_by(person).filter(name__gt=after).order_by("name")[: PAGE_SIZE + 1])
    return rows_of(page, days=days)


def rows_of(page: list[AgentRegistry], *, days: int) -> list[AgentRow]:
    agents = AgentRegistry.objects.filter(pk__in=[agent.pk for agent in page]).order_by()
    since = first_day(days)
    tally, said, used = tallies(agents, since=since), verdicts(agents, since=since), uses(agents)
    wrong = wrong_targets(agents, since=since)
    return [
        AgentRow(
            agent,
            tally.get(agent.pk, Tally()),
            *said.get(agent.pk, (0, 0)),
            wrong.get(agent.pk, 0),
            used.get(agent.pk),
        )
        for agent in page
    ]


def verdicts(agents: Agents, *, since: date) -> dict[UUID, tuple[int, int]]:
    """By agent: how many proposals people decided, and how many of them as proposed."""
    counted = (
        decisions_of(agents, since=since)
        .values("proposal__agent_id")
        .annotate(decided=Count("id"), approved=Count("id", filter=APPROVED))
    )
    return {row["proposal__agent_id"]: (row["decided"], row["approved"]) for row in counted}


APPROVED = Q(verb=Decision.Verb.APPROVE, was_changed=False)
MODIFIED = Q(verb=Decision.Verb.MODIFY) | Q(verb=Decision.Verb.APPROVE, was_changed=True)
REJECTED = Q(verb=Decision.Verb.REJECT)


def decisions_of(agents: Agents, *, since: date) -> QuerySet[Decision]:
    """What people decided: not first approvals of two, nor what was said of an outcome.

    `was_changed`: the first of two people changed the call, whatever the second one's verb is."""
    verb = Decision.Verb
    firsts = Decision.objects.filter(proposal=OuterRef("proposal"), verb=verb.FIRST)
    return (
        Decision.objects.filter(
            proposal__agent__in=agents,
            created_at__gte=_start_of(since),
            verb__in=[verb.APPROVE, verb.MODIFY, verb.REJECT],
        )
        .annotate(was_changed=Exists(firsts.exclude(modifications={})))
        .order_by()
    )


def wrong_targets(agents: Agents, *, since: date) -> dict[UUID, int]:
    """By agent: how many of its acts people reported as having hit the wrong element."""
    reports = WrongTargetReport.objects.filter(
        action__run__agent__in=agents, created_at__gte=_start_of(since)
    )
    counted = reports.order_by().values("action__run__agent_id").annotate(count=Count("id"))
    return dict(counted.values_list("action__run__agent_id", "count"))


def uses(agents: Agents) -> dict[UUID, datetime | None]:
    """By agent: when one of its keys was last used."""
    used = ApiKey.objects.filter(agent__in=agents).values("agent_id").order_by()
    return dict(used.annotate(last=Max("last_used_at")).values_list("agent_id", "last"))


def changes_of(agent: AgentRegistry) -> list[BrowserAudit]:
    """The latest changes of an agent by people, newest first."""
    entries = BrowserAudit.objects.filter(chain=SYSTEM_CHAIN, agent_id=agent.pk)
    return list(entries.order_by("-sequence")[:CHANGES_SHOWN])


def open_runs(person: Person) -> list[Run]:
    """Those whose pages the person may see: their teams', the latest active first."""
    seen = visible_to(person).filter(status=Run.Status.OPEN).select_related("agent")
    return list(seen.order_by("-active_at")[:RUNS_SHOWN])
