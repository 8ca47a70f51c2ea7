"""A proposal that nobody decides escalates once, when two thirds of its time are over."""

from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db import transaction

from core import clock, live
from proposals.domain import Status
from proposals.models import Proposal
from webhooks import domain, events, services
from webhooks.domain import Event
from webhooks.models import Escalation

KEPT_FOR = timedelta(days=30)


def escalate_due() -> list[UUID]:
    """Escalate what waits too long. Returns the proposals that this call escalated."""
    now = clock.now()
    waiting = Proposal.objects.filter(status=Status.PENDING, expires_at__gt=now)
    calm = waiting.exclude(pk__in=Escalation.objects.values("proposal_id"))
    times = calm.order_by("created_at").values_list("id", "created_at", "expires_at")
    late = [
        proposal_id
        for proposal_id, created_at, expires_at in times
        if domain.escalates_at(created_at=created_at, expires_at=expires_at) <= now
    ]
    return [proposal_id for proposal_id in late if _escalate(proposal_id)]


@transaction.atomic
def _escalate(proposal_id: UUID) -> bool:
    """False when another sweep did it."""
    made = Escalation.objects.get_or_create(
        proposal_id=proposal_id, defaults={"created_at": clock.now()}
    )[1]
    if made:
        data = events.proposal_data(proposal_id, status=Status.PENDING)
        services.tell(Event.PROPOSAL_ESCALATED, data)
        _call_on_commit(proposal_id)
    return made


def _call_on_commit(proposal_id: UUID) -> None:
    """Open desks that asked for a sound ring once more."""
    agent = Proposal.objects.select_related("agent").get(pk=proposal_id).agent
    teams = list(agent.teams.values_list("id", flat=True))
    hint = {"kind": "escalated", "id": str(proposal_id)}
    transaction.on_commit(partial(live.hint, teams, hint))


def forget_old() -> int:
    return Escalation.objects.filter(created_at__lt=clock.now() - KEPT_FOR).delete()[0]
