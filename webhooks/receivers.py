"""What the rooms below say, told as events. Runs after their commit: it can undo nothing there."""

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from confidence.signals import flags_changed
from proposals.domain import Event as Move
from proposals.domain import Status
from proposals.signals import proposal_created, proposal_moved
from runs.models import Run
from runs.signals import action_finished, run_ended, violation_latched
from webhooks import events, services
from webhooks.domain import Event

DECISIONS = {
    *(Move.APPROVE, Move.MODIFY, Move.REJECT),
    *(Move.MARK_DONE, Move.MARK_NOT_DONE, Move.RETRY),
}


@receiver(proposal_created)
def tell_created(sender: Any, proposal_id: UUID, **_: Any) -> None:
    if services.is_heard(Event.PROPOSAL_CREATED):
        data = events.proposal_data(proposal_id, status=Status.PENDING)
        services.tell(Event.PROPOSAL_CREATED, data)


@receiver(proposal_moved)
def tell_moved(sender: Any, proposal_id: UUID, event: str, **_: Any) -> None:
    if event in DECISIONS and services.is_heard(Event.PROPOSAL_DECIDED):
        services.tell(Event.PROPOSAL_DECIDED, events.decision_data(proposal_id, move=event))
    if event == Move.EXPIRE and services.is_heard(Event.PROPOSAL_EXPIRED):
        data = events.proposal_data(proposal_id, status=Status.EXPIRED)
        services.tell(Event.PROPOSAL_EXPIRED, data)


@receiver(action_finished)
def tell_finished(sender: Any, action_id: UUID, **_: Any) -> None:
    if services.is_heard(Event.ACTION_FINISHED):
        services.tell(Event.ACTION_FINISHED, events.action_data(action_id))


@receiver(run_ended)
def tell_ended(sender: Any, run_id: UUID, **_: Any) -> None:
    if not services.is_heard(Event.RUN_KILLED):
        return
    data = events.run_data(run_id)
    if data["status"] == Run.Status.KILLED:
        services.tell(Event.RUN_KILLED, data)


@receiver(violation_latched)
def tell_violation(sender: Any, action_id: UUID, **_: Any) -> None:
    if services.is_heard(Event.VIOLATION_LATCHED):
        services.tell(Event.VIOLATION_LATCHED, events.violation_data(action_id))


@receiver(flags_changed)
def tell_flag(sender: Any, name: str, **_: Any) -> None:
    if services.is_heard(Event.FLAGS_CHANGED):
        services.tell(Event.FLAGS_CHANGED, events.flag_data(name))
