"""Reads for the desk."""

from uuid import UUID

from django.db.models import (
    Case,
    Func,
    IntegerField,
    JSONField,
    Prefetch,
    QuerySet,
    TextField,
    Value,
    When,
)

from agents.models import Person
from core import clock
from proposals import access
from proposals.cards import Card
from proposals.domain import Status
from proposals.models import Decision, Proposal

WAITING = (Status.PENDING, Status.OUTCOME_UNKNOWN)
FOR_THE_LIST = (
    "id", "status", "version", "agent", "agent__name", "agent__tier", "tool", "intent", "level",
    "score", "risk", "reasons", "page_url", "created_at", "expires_at", "decided_at", "viewer",
    "viewer__username", "viewed_until", "chosen_index", "approved_index", "run_id", "step_id",
)  # fmt: skip
LONG_PARAMS = "{text,fields}"  # up to megabytes of typed text, which no row has room for
SHORT_PARAMS = Func(
    "params",
    Value(LONG_PARAMS, output_field=TextField()),
    template="(%(expressions)s::text[])",
    arg_joiner=" - ",
    output_field=JSONField(),
)
FIELD_COUNT = Func(
    "params__fields", function="jsonb_array_length", output_field=IntegerField(null=True)
)


def rows_for(person: Person) -> QuerySet[Proposal]:
    """What a row of the list shows: no candidates, no snippet; the call's object by itself."""
    decisions = Decision.objects.select_related("person").only(
        "proposal", "verb", "created_at", "person__username"
    )
    return (
        access.visible_to(person)
        .select_related("agent", "viewer")
        .only(*FOR_THE_LIST)
        .annotate(said=SHORT_PARAMS, field_count=FIELD_COUNT)
        .prefetch_related(Prefetch("decisions", queryset=decisions))
    )


def queue_of(person: Person) -> QuerySet[Proposal]:
    """What waits for this person's teams: the irreversible first, then the oldest."""
    risk = Case(
        When(risk=Proposal.Risk.IRREVERSIBLE, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return _waiting(rows_for(person)).order_by(risk, "created_at")


def _waiting(proposals: QuerySet[Proposal]) -> QuerySet[Proposal]:
    return proposals.filter(status__in=WAITING).exclude(
        status=Status.PENDING, expires_at__lte=clock.now()
    )


def recently_settled(person: Person, *, limit: int = 20) -> QuerySet[Proposal]:
    """What was decided or ended last, newest first."""
    return rows_for(person).exclude(status__in=WAITING).order_by("-created_at")[:limit]


def pending_count(person: Person) -> int:
    return _waiting(access.visible_to(person)).count()


def row_of(person: Person, proposal_id: UUID | str) -> Proposal | None:
    """One row of the list, or None when this person may not see it."""
    return rows_for(person).filter(pk=proposal_id).first()


def card_of(proposal: Proposal) -> Card:
    """The card with who decided, and the proposal that took its place if it went stale."""
    decisions = proposal.decisions.select_related("person")
    successor = proposal.replaced_by.only("id", "status").order_by("created_at").last()
    return Card(proposal, tuple(decisions), successor)
