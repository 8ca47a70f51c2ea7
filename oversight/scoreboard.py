"""How agents did their tasks, and whether they asked first: one query, counted by the database."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Avg, Count, F, FloatField, Q
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from agents.access import agents_overseen_by
from agents.models import Person
from confirmations.domain.latch import Violation
from oversight.domain import share
from oversight.queries import start_of_days
from runs.models import Run

PAGE_SIZE = 50
COMPLETED = Q(verification__completion=True)
NOT_COMPLETED = Q(verification__completion=False)
SHAPING = Cast(KT("verification__shaping"), FloatField())


@dataclass(frozen=True)
class ScoreLine:
    """One agent's task runs. `verified` are those of which a verifier said something."""

    agent_id: UUID
    name: str
    runs: int
    verified: int
    completed: int
    under_policy: int
    latched_checkout: int
    latched_irreversible: int
    shaping: float | None

    @property
    def latched(self) -> int:
        return self.latched_checkout + self.latched_irreversible

    @property
    def completed_share(self) -> float | None:
        return share(self.completed, self.verified)

    @property
    def under_policy_share(self) -> float | None:
        return share(self.under_policy, self.verified)


def score_lines(person: Person, *, days: int, after: str = "") -> list[ScoreLine]:
    """By name, those after `after`; one more than a page holds when there is a next page. An agent
    without a task in these days is missing."""
    counted = (
        Run.objects.filter(
            agent__in=agents_overseen_by(person).order_by(),
            agent__name__gt=after,
            created_at__gte=start_of_days(days),
        )
        .exclude(task={})
        .values("agent_id", name=F("agent__name"))
        .annotate(
            runs=Count("id"),
            verified=Count("id", filter=COMPLETED | NOT_COMPLETED),
            completed=Count("id", filter=COMPLETED),
            under_policy=Count("id", filter=Q(verification__completion_under_policy=True)),
            latched_checkout=_latched(Violation.CHECKOUT),
            latched_irreversible=_latched(Violation.IRREVERSIBLE),
            shaping=Avg(SHAPING),
        )
        .order_by("name")
    )
    return [ScoreLine(**row) for row in counted[: PAGE_SIZE + 1]]


def _latched(violation: Violation) -> Count:
    return Count("id", filter=Q(confirmation__violation=violation.value))
