"""Reads for the desk."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import (
    Case,
    Func,
    IntegerField,
    JSONField,
    Prefetch,
    Q,
    QuerySet,
    TextField,
    Value,
    When,
)

from agents import duty
from agents.models import AgentRegistry, Person
from confidence.models import Precedent
from core import clock
from proposals import access
from proposals.cards import Card
from proposals.domain import WAITING, Status
from proposals.filters import Filters
from proposals.models import SETTLED, Decision, Message, Proposal

NO_FILTERS = Filters()
PAGE_ROWS = 30
RANK = Case(
    When(risk=Proposal.Risk.IRREVERSIBLE, then=Value(0)),
    default=Value(1),
    output_field=IntegerField(),
)
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


@dataclass(frozen=True)
class Place:
    """Where a card stands in the queue: the irreversible first, then the oldest."""

    rank: int
    created_at: datetime
    id: UUID

    def __str__(self) -> str:
        """Sorts as text the way the queue does."""
        return f"{self.rank} {self.created_at.isoformat(timespec='microseconds')} {self.id}"


def place_of(proposal: Proposal) -> Place:
    return Place(0 if proposal.is_irreversible else 1, proposal.created_at, proposal.pk)


def read_place(words: str) -> Place | None:
    """What `str(place)` wrote; None for anything else."""
    try:
        rank, created_at, proposal_id = words.split(" ")
        return Place(int(rank), datetime.fromisoformat(created_at), UUID(proposal_id))
    except ValueError:
        return None


@dataclass(frozen=True)
class Page:
    """Rows of the queue in its order; `end` is where the next page begins, None at the end."""

    rows: list[Proposal]
    end: Place | None


def queue_of(person: Person, filters: Filters = NO_FILTERS) -> QuerySet[Proposal]:
    """What waits for this person's teams: the irreversible first, then the oldest."""
    waiting = filters.narrow(_waiting(rows_for(person)), person)
    return waiting.annotate(rank=RANK).order_by("rank", "created_at", "pk")


def queue_page(
    person: Person, filters: Filters = NO_FILTERS, *, after: Place | None = None
) -> Page:
    """The first rows, or those that come after a place."""
    waiting = queue_of(person, filters)
    if after:
        waiting = waiting.filter(_comes_after(after))
    rows = list(waiting[: PAGE_ROWS + 1])
    shown = rows[:PAGE_ROWS]
    return Page(shown, place_of(shown[-1]) if len(rows) > PAGE_ROWS else None)


def _comes_after(place: Place) -> Q:
    same_rank = Q(rank=place.rank)
    later = Q(created_at__gt=place.created_at) | Q(created_at=place.created_at, pk__gt=place.id)
    return Q(rank__gt=place.rank) | (same_rank & later)


def _waiting(proposals: QuerySet[Proposal]) -> QuerySet[Proposal]:
    return proposals.filter(status__in=WAITING).exclude(
        status=Status.PENDING, expires_at__lte=clock.now()
    )


def recently_settled(
    person: Person, filters: Filters = NO_FILTERS, *, limit: int = 20
) -> QuerySet[Proposal]:
    """What was decided or ended last, newest first."""
    settled = filters.narrow(rows_for(person).exclude(status__in=WAITING), person)
    return settled.order_by(SETTLED.desc())[:limit]


def pending_count(person: Person, filters: Filters = NO_FILTERS) -> int:
    return filters.narrow(_waiting(access.visible_to(person)), person).count()


def rows_of(
    person: Person, ids: Iterable[UUID], filters: Filters = NO_FILTERS
) -> QuerySet[Proposal]:
    """These rows, as far as this person may see them and wants to."""
    return filters.narrow(rows_for(person).filter(pk__in=list(ids)), person)


def messages_about(action_id: UUID) -> list[dict[str, Any]]:
    """What reviewers told the agent while this action waited, as the API says it."""
    said = Message.objects.filter(proposal__action_id=action_id).select_related("person")
    return [
        {"from": one.person.username, "at": clock.rfc3339(one.created_at), "text": one.text}
        for one in said
    ]


NOBODY = (
    "Nobody is on duty for this agent's team: no reviewer has the desk open. "
    "It waits all the same, and expires if nobody comes."
)


def duty_words(agent: AgentRegistry) -> dict[str, Any]:
    """What a pending answer says of the people who could decide; nothing when nobody can tell."""
    attended = duty.is_attended(list(agent.teams.values_list("id", flat=True)))
    if attended is None:
        return {}
    return {"on_duty": True} if attended else {"on_duty": False, "note": NOBODY}


def card_of(proposal: Proposal) -> Card:
    """The card with who decided, and the proposal that took its place if it went stale."""
    decisions = proposal.decisions.select_related("person")
    successor = proposal.replaced_by.only("id", "status").order_by("created_at").last()
    taught = Precedent.objects.filter(proposal_id=proposal.pk)
    is_remembered = proposal.decided_at is not None and taught.exists()
    messages = proposal.messages.select_related("person")
    return Card(proposal, tuple(decisions), tuple(messages), successor, is_remembered)
