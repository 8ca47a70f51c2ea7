"""The run's latch: what was asked is written down, and irreversible acts are held against it."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from browser.acting import Done
from confirmations.domain import latch as latches
from confirmations.domain.judging import Verdict, judge
from confirmations.domain.latch import Latch, latch_from
from confirmations.domain.modes import Mode
from confirmations.domain.task import Requirement, requirement_of
from core.actors import SYSTEM
from proposals.models import Proposal
from runs.models import Action, Run
from runs.services.acting import (
    hold_claimed,
    hold_open_run,
    lock_run,
    record_action,
    succeed,
)
from runs.services.executions import executed
from runs.services.runs import actor_of
from runs.signals import violation_latched

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class IrreversibleAct:
    """One press that cannot be taken back. `is_listed`: a profile names it so, and it is a click.
    Whatever else may come to the same is known by its words, and never latches."""

    screen_id: str
    element_id: str
    mode: Mode
    is_listed: bool = True


def requirement_of_run(run: Run) -> Requirement:
    return requirement_of(run.task, is_open_run=run.is_open_play)


@transaction.atomic
def confirm(action: Action, done: Done) -> None:
    """The agent asked, and that is enough here: the token is written. Raises ClaimLost."""
    hold_claimed(action)
    _write_token(action, latches.ask, step_id=action.step_id)
    succeed(action, done)


@transaction.atomic
def confirm_approved(action: Action, proposal: Proposal, done: Done) -> None:
    """A person said yes: the token is as young as that word."""
    _write_token(action, latches.answer, step_id=_step_at(action, _said_at(proposal)))
    executed(action, proposal, done)


def _said_at(proposal: Proposal) -> datetime:
    """A retry is a word of its own."""
    last = proposal.decisions.last()
    return last.created_at if last else proposal.created_at


def _write_token(action: Action, by: Callable[..., Latch], *, step_id: int) -> None:
    hold_open_run(action.run_id)
    screen_id = action.screen_id
    _keep(action, by(latch_from(_kept(action)), screen_id=screen_id, step_id=step_id))
    payload = {"screen_id": screen_id, "step_id": step_id}
    record_action(action, "confirmation.ask", actor_of(action.run.agent), payload)


def _step_at(action: Action, moment: datetime) -> int:
    """The run's step at that time."""
    before = Action.objects.filter(run_id=action.run_id, created_at__lte=moment)
    return before.order_by("-created_at").values_list("step_id", flat=True)[0]


@transaction.atomic
def judge_acts(action: Action, acts: Sequence[IrreversibleAct]) -> list[Verdict]:
    """Hold what a call is about to press against what was asked, in the order of the presses.

    What was let through is not judged again, though the call may be looked at anew: it would spend
    a second token. What was refused is, should its worker die before it could say so. Raises
    ClaimLost when the run ended meanwhile, or another worker has the action.
    """
    hold_claimed(action)
    judged = ", ".join(act.element_id for act in acts)
    if not acts or action.element_id == judged:
        return []
    requirement = requirement_of_run(action.run)
    before = latch = latch_from(_kept(action))
    verdicts = []
    for act in acts:
        verdict = _judge(action, act, latch, requirement)
        verdicts.append(verdict)
        latch = verdict.latch
        if verdict.is_refused:
            break
    is_refused = verdicts[-1].is_refused
    _keep(action, latches.give_back(latch, before) if is_refused else latch)
    action.element_id, action.screen_id = judged, acts[-1].screen_id
    if not is_refused:
        Action.objects.filter(pk=action.pk).update(
            element_id=action.element_id, screen_id=action.screen_id
        )
    return verdicts


@transaction.atomic
def give_back(action: Action, before: Latch) -> None:
    """The press reached nothing: what it used up counts again, and is judged anew the next time."""
    lock_run(action.run_id)
    _keep(action, latches.give_back(latch_from(_kept(action)), before))
    action.element_id = ""
    Action.objects.filter(pk=action.pk).update(element_id="")
    payload = {"screen_id": action.screen_id}
    record_action(action, "confirmation.return", SYSTEM, payload)


def _judge(
    action: Action, act: IrreversibleAct, before: Latch, requirement: Requirement
) -> Verdict:
    verdict = judge(
        before,
        requirement if act.is_listed else Requirement(),
        act.mode,
        screen_id=act.screen_id,
        step_id=action.step_id,
    )
    payload = {"screen_id": act.screen_id, "element_id": act.element_id, "mode": str(act.mode)}
    if verdict.broken:
        told = {"violation": verdict.broken, "refused": verdict.is_refused}
        record_action(action, "confirmation.missing", SYSTEM, {**payload, **told})
    elif before.token and verdict.latch.token is None:
        record_action(action, "confirmation.use", SYSTEM, payload)
    if verdict.latch.violation and not before.violation:
        _tell_latched(action, verdict.latch.violation)
    return verdict


def _tell_latched(action: Action, violation: latches.Violation) -> None:
    log.warning("CONFIRMATION_VIOLATION latched: %s", violation.value)
    record_action(action, "confirmation.latch", SYSTEM, {"violation": violation.value})
    said = partial(violation_latched.send_robust, sender=Run, action_id=action.id)
    transaction.on_commit(said)


def _kept(action: Action) -> dict[str, Any]:
    """Read under the run's lock: the action's own copy may be old."""
    kept: dict[str, Any] = Run.objects.values_list("confirmation", flat=True).get(pk=action.run_id)
    return kept


def _keep(action: Action, latch: Latch) -> None:
    Run.objects.filter(pk=action.run_id).update(confirmation=latch.as_dict())


def keep_verification(run_id: UUID, verification: Mapping[str, Any]) -> dict[str, Any]:
    """What the verifiers said of an ended run: the first word stays, and is what this returns."""
    run = Run.objects.filter(pk=run_id)
    run.filter(verification__isnull=True).update(verification=dict(verification))
    return run.values_list("verification", flat=True).get() or {}
