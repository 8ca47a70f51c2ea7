"""What a person decided, carried over to the action behind the proposal."""

from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction

import proposals.services
from browser.acting import Done
from browser.evidence import Shot
from core import clock
from core.actors import SYSTEM
from core.errors import Conflict, DomainError
from proposals.domain import Event
from proposals.models import Proposal
from proposals.services import Draft
from runs import messages
from runs.models import Action, Run
from runs.services.acting import (
    fail,
    hold_open_run,
    keep_shot,
    lease_s,
    lock_run,
    park,
    record_action,
    settle,
    succeed,
    told,
)
from runs.services.runs import killed_error

AWAITING_A_PERSON = (Action.Status.REQUIRES_APPROVAL, Action.Status.OUTCOME_UNKNOWN)


def claim_execution(proposal_id: UUID) -> tuple[Proposal, Action] | None:
    """Give an approved proposal and its action to this worker, together or not at all.

    None when somebody has it, when it is over, or while the run does something else: it is then
    handed out again when the run is free.
    """
    try:
        with transaction.atomic():
            asked = Proposal.objects.get(pk=proposal_id)
            hold_open_run(asked.run_id)
            held_s = lease_s(asked.tool, asked.params)
            proposal = proposals.services.claim(proposal_id, lease_s=held_s)
            return proposal, _begin_execution(proposal)
    except (Conflict, IntegrityError):
        return None


def _begin_execution(proposal: Proposal) -> Action:
    now = clock.now()
    changed = Action.objects.filter(
        pk=proposal.action_id,
        status__in=AWAITING_A_PERSON,
    ).update(
        status=Action.Status.RUNNING,
        started_at=now,
        acting_at=now,
        acted_index=proposal.approved_index,
        lease_until=proposal.lease_until,
    )
    if not changed:
        raise Conflict("The action behind this proposal is over.")
    action = Action.objects.select_related("run__agent").get(pk=proposal.action_id)
    record_action(
        action, "action.act", SYSTEM, {"index": proposal.approved_index, "override": True}
    )
    return action


@transaction.atomic
def executed(action: Action, proposal: Proposal, done: Done) -> None:
    """What was approved is done: proposal and action say so together."""
    lock_run(action.run_id)
    proposals.services.finish(proposal, Event.EXECUTE, outcome=done.outcome.as_dict())
    succeed(action, done)


def note_picture(action: Action, shot: Shot) -> None:
    """The page as it was a moment after the act."""
    Action.objects.filter(pk=action.pk).update(picture=keep_shot(shot))


@transaction.atomic
def not_executed(
    action: Action, proposal: Proposal, event: Event, error: DomainError, *, picture: str = ""
) -> None:
    lock_run(action.run_id)
    proposals.services.finish(proposal, event, error=told(error))
    fail(action, error, picture=picture)


@transaction.atomic
def ask_again(action: Action, proposal: Proposal, draft: Draft, error: DomainError) -> None:
    """The page changed: the old proposal is stale, a new one with the present candidates waits."""
    hold_open_run(action.run_id)
    proposals.services.finish(proposal, Event.GO_STALE, error=told(error))
    park(action, draft, replaces=proposal)


@transaction.atomic
def follow_proposal(proposal_id: UUID) -> None:
    """Carry a settled proposal over to its action; safe to call any number of times."""
    proposal = Proposal.objects.select_related("agent").get(pk=proposal_id)
    is_open = lock_run(proposal.run_id) == Run.Status.OPEN
    action = (
        Action.objects.select_for_update(of=("self",))
        .select_related("run__agent")
        .filter(pk=proposal.action_id, proposal_id=proposal.id)
        .first()
    )
    if proposal.status == "outcome_unknown" and not is_open:
        proposals.services.note_run_end(proposal, actor=SYSTEM)
    if action is None or action.status not in AWAITING_A_PERSON:
        return
    is_unknown = action.status == Action.Status.OUTCOME_UNKNOWN
    match proposal.status:
        case "executed":  # a person looked at the page and marked it as done
            settle(action, Action.Status.SUCCEEDED, result={"marked_done": True})
        case "execution_failed" if is_unknown:  # a person says that it did not happen
            settle(
                action, Action.Status.FAILED, error={**(proposal.error or {}), "retryable": False}
            )
        case "outcome_unknown" if not is_unknown:
            error = {"code": "outcome_unknown", "message": "The worker died while it acted."}
            settle(action, Action.Status.OUTCOME_UNKNOWN, error={**error, "retryable": False})
        case "approved" if not is_open:  # the run ended at the same moment
            run = Run.objects.get(pk=proposal.run_id)
            proposals.services.cancel(proposal, actor=SYSTEM, error=killed_error(run))
        case "approved":
            if proposals.services.hand_out(proposal.id):
                transaction.on_commit(partial(messages.send_execution, proposal.id))
        case "rejected" if not is_unknown:
            decision = proposal.decisions.last()
            reason = decision.reason if decision else ""
            error = {"code": "rejected", "message": f"A reviewer rejected this: {reason}"}
            settle(action, Action.Status.REJECTED, error={**error, "retryable": False})
        case "expired" | "cancelled" | "superseded" if not is_unknown:
            said = (proposal.error or {}).get("message", "")  # who killed the run
            words = f"{said} Nothing was done." if said else ENDED_WORDS[proposal.status]
            if proposal.status == "cancelled" and proposal.decided_at and not said:
                words = "The run ended before what was approved was done. Nothing was done."
            error = {"code": proposal.status, "message": words}
            retryable = proposal.status == "expired"
            settle(action, Action.Status.FAILED, error={**error, "retryable": retryable})


ENDED_WORDS = {
    "expired": "No reviewer decided in time. Nothing was done; you may ask again.",
    "cancelled": "The run ended before a reviewer decided. Nothing was done.",
    "superseded": "You asked for something else. Nothing was done.",
}
