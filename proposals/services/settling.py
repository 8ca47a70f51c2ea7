"""What the clock, the run and the agent say of a proposal that waits."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from core import clock
from core.actors import SYSTEM, Actor
from core.errors import Conflict
from proposals.domain import Event, Status
from proposals.models import Proposal
from proposals.services.moving import move


def expire_due() -> int:
    """Expire every pending proposal whose time is over. Returns how many."""
    due = Proposal.objects.filter(status=Status.PENDING, expires_at__lte=clock.now())
    return sum(_settle_quietly(proposal, Event.EXPIRE, SYSTEM) for proposal in due[:200])


def cancel_of_run(run_id: UUID, *, actor: Actor, error: Mapping[str, Any] | None = None) -> int:
    """The run is over: what still waits, or was approved but not begun, is cancelled. `error` tells
    the card why, where there is more to say than that. What nobody knows the outcome of waits on
    for a person's word, but for no retry."""
    for proposal in Proposal.objects.filter(run_id=run_id, status=Status.OUTCOME_UNKNOWN):
        note_run_end(proposal, actor=actor)
    waiting = Proposal.objects.filter(run_id=run_id, status__in=[Status.PENDING, Status.APPROVED])
    return sum(_settle_quietly(proposal, Event.CANCEL, actor, error=error) for proposal in waiting)


def note_run_end(proposal: Proposal, *, actor: Actor) -> bool:
    """Its outcome is unknown and its run is over. False when that was noted or settled already."""
    if proposal.run_ended_at is not None:
        return False
    return _settle_quietly(proposal, Event.END_RUN, actor, run_ended_at=clock.now())


def cut_lease(run_id: UUID, *, until: datetime) -> None:
    """The run is over: a worker that still executes has so long to say what came of it."""
    executing = Proposal.objects.filter(run_id=run_id, status=Status.EXECUTING)
    executing.update(lease_until=until)


def cancel(proposal: Proposal, *, actor: Actor, error: Mapping[str, Any] | None = None) -> bool:
    """What was approved can no longer be done. False when it began already."""
    return _settle_quietly(proposal, Event.CANCEL, actor, error=error)


def supersede(proposal: Proposal, *, actor: Actor) -> bool:
    """The agent asked for something else. False when a decision was faster."""
    return _settle_quietly(proposal, Event.SUPERSEDE, actor)


def _settle_quietly(proposal: Proposal, event: Event, actor: Actor, **columns: Any) -> bool:
    """Move, or leave it be when somebody was faster."""
    try:
        with transaction.atomic():
            move(proposal, event, actor=actor, **columns)
    except Conflict:
        return False
    return True
