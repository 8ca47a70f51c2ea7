"""An approved proposal is claimed by one worker, and ends once."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from core import clock
from core.actors import SYSTEM
from core.errors import Conflict
from proposals.domain import Event, Status
from proposals.models import Proposal
from proposals.services.moving import move


@transaction.atomic
def claim(proposal_id: UUID, *, lease_s: float) -> Proposal:
    """Give an approved proposal to one worker for `lease_s` seconds.

    Raises a Conflict when it is not approved (any more). A second call always raises.
    """
    proposal = Proposal.objects.select_related("agent").get(pk=proposal_id)
    until = clock.now() + timedelta(seconds=lease_s)
    return move(proposal, Event.CLAIM, actor=SYSTEM, lease_until=until)


def finish(
    proposal: Proposal,
    event: Event,
    *,
    outcome: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
) -> Proposal:
    """Say what came of an execution: EXECUTE, FAIL, GO_STALE or LOSE. In the caller's transaction.

    Raises a Conflict when the lease was lost and a sweep has called the outcome unknown meanwhile.
    """
    return move(
        proposal,
        event,
        actor=SYSTEM,
        payload={"outcome": outcome, "error": error},
        outcome=outcome,
        error=error,
        lease_until=None,
        **({} if event is Event.LOSE else {"sealed_changes": ""}),  # a person may say retry
    )


def lose_expired_leases() -> list[UUID]:
    """A worker died while executing: nobody knows what happened. Returns the action ids."""
    dead = Proposal.objects.filter(status=Status.EXECUTING, lease_until__lt=clock.now())
    error = {"code": "outcome_unknown", "message": "The worker died while it acted."}
    lost = []
    for proposal in dead[:200]:
        try:
            with transaction.atomic():
                finish(proposal, Event.LOSE, error=error)
        except Conflict:
            continue
        lost.append(proposal.action_id)
    return lost


def hand_out(proposal_id: UUID) -> bool:
    """Note that an approved proposal's execution is being sent. False when just sent."""
    now = clock.now()
    waiting = Proposal.objects.filter(pk=proposal_id, status=Status.APPROVED)
    due = waiting.filter(sent_at=None) | waiting.filter(sent_at__lt=now - timedelta(seconds=5))
    return bool(due.update(sent_at=now))
