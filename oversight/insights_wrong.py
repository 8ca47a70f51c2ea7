"""Selectors that people reported as having hit another element than was meant."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Max, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from agents.access import agents_overseen_by
from agents.models import Person
from oversight.domain import share
from oversight.insights import start_of
from runs.models import Action, WrongTargetReport

SHOWN = 20
# As `runs/targets.py` names the first target of a call.
CALL = Coalesce(
    KT("params__target"),
    KT("params__fields__0__target"),
    KT("params__startTarget"),
    Value(""),
    output_field=TextField(),
)


@dataclass(frozen=True)
class WrongSelector:
    """A selector on a site: how often it was acted on, and how often that was reported. `acts` and
    `reports` are of the same days, so an act of earlier days may be reported in these."""

    target: str
    host: str
    reports: int
    acts: int
    last_at: datetime

    @property
    def share(self) -> float | None:
        return share(self.reports, self.acts) if self.acts >= self.reports else None


def wrong_selectors_for(person: Person, *, since: date) -> list[WrongSelector]:
    """The most reported first, in two queries; only of the agents that the person oversees."""
    reported = (
        WrongTargetReport.objects.filter(
            created_at__gte=start_of(since), action__run__agent__in=agents_overseen_by(person)
        )
        .exclude(target="")
        .order_by()
        .values("target", "host")
        .annotate(reports=Count("id"), last_at=Max("created_at"))
        .order_by("-reports", "target", "host")[:SHOWN]
    )
    rows = list(reported)
    acts = _acts_on({(row["target"], row["host"]) for row in rows}, person, since=since)
    return [WrongSelector(**row, acts=acts.get((row["target"], row["host"]), 0)) for row in rows]


def _acts_on(
    named: Iterable[tuple[str, str]], person: Person, *, since: date
) -> dict[tuple[str, str], int]:
    targets, hosts = {target for target, _ in named}, {host for _, host in named}
    acted = (
        Action.objects.filter(
            acting_at__gte=start_of(since),
            page_host__in=hosts,
            run__agent__in=agents_overseen_by(person),
        )
        .annotate(call=CALL)
        .filter(call__in=targets)
        .order_by()
        .values("page_host", "call")
        .annotate(acts=Count("id"))
    )
    return {(row["call"], row["page_host"]): row["acts"] for row in acted}
