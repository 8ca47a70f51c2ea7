"""What agents ask for: an action is written first, then a worker is sent for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from django.db import transaction

import proposals.services
from agents.models import AgentRegistry
from browser.sessions import Place
from core import clock, sealing
from core.actors import Actor
from core.errors import Invalid
from proposals.models import Proposal
from runs import messages
from runs.models import Action, Run
from runs.services.acting import record_action, settle, waiting_for_review
from runs.services.errors import RunEnded
from runs.services.runs import actor_of, refuse_unless_active, run_opened
from runs.tools import Call

ACTIONS_A_TURN = 10


@dataclass(frozen=True)
class ActionRequest:
    """One checked call of an agent."""

    call: Call
    turn: str = ""
    dry_run: bool = False
    supersede: bool = False
    expect: Mapping[str, str] = field(default_factory=dict)
    idempotency_key: str = ""

    @property
    def fingerprint(self) -> str:
        call = self.call
        parts = [call.tool, dict(call.shown), dict(call.secrets), self.dry_run, dict(self.expect)]
        return sealing.digest(parts)


@transaction.atomic
def create_action(run_id: UUID, agent: AgentRegistry, request: ActionRequest) -> Action:
    """Write one action of a run and send for a worker.

    The same act while it is still under way, or the same Idempotency-Key, gives the same action.
    Raises RunEnded and WaitingForReview.
    """
    run = Run.objects.select_for_update().get(pk=run_id)
    if known := _same_action(run, request):
        return known
    refuse_unless_active(agent)
    if run.is_over:
        raise RunEnded(f"This run is {run.status}: start a new one.", run_status=run.status)
    if twin := _same_act_under_way(run, request):
        return twin
    _refuse_while_waiting(run, request)
    return _insert(run, agent, request)


@transaction.atomic
def open_run(run: Run, place: Place, *, first: Call | None) -> None:
    """The run's browser is ready; `first` is what its tier may only propose."""
    if run_opened(run.id, place) and first is not None:
        create_action(run.id, run.agent, ActionRequest(first))


def _same_action(run: Run, request: ActionRequest) -> Action | None:
    if not request.idempotency_key:
        return None
    known = run.actions.filter(idempotency_key=request.idempotency_key).first()
    if known and known.fingerprint != request.fingerprint:
        raise Invalid("This Idempotency-Key was used for another request.")
    return known


def _same_act_under_way(run: Run, request: ActionRequest) -> Action | None:
    """The same act that is not over yet: sent again it is meant once, unless a key says twice."""
    if request.call.is_free or request.dry_run or request.idempotency_key:
        return None
    under_way = run.actions.filter(fingerprint=request.fingerprint).exclude(status__in=Action.FINAL)
    return under_way.order_by("created_at").first()


def _refuse_while_waiting(run: Run, request: ActionRequest) -> None:
    """While a person decides, the run takes reads only."""
    if request.call.is_free or request.dry_run:
        return
    waiting = run.actions.filter(status=Action.Status.REQUIRES_APPROVAL).first()
    if waiting is None or (request.supersede and _supersede(waiting, actor_of(run.agent))):
        return
    raise waiting_for_review(waiting)


def _supersede(waiting: Action, actor: Actor) -> bool:
    pending = Proposal.objects.filter(action_id=waiting.id, status="pending")
    proposal = pending.select_related("agent").first()
    if proposal is None or not proposals.services.supersede(proposal, actor=actor):
        return False
    error = {"code": "superseded", "message": "The agent asked for something else."}
    settle(waiting, Action.Status.FAILED, error={**error, "retryable": False})
    return True


def _insert(run: Run, agent: AgentRegistry, request: ActionRequest) -> Action:
    now = clock.now()
    _take_step(run, request.turn)
    run.active_at = now
    run.save(update_fields=["step_id", "turn", "active_at"])
    action = Action.objects.create(
        run=run,
        step_id=run.step_id,
        turn=request.turn,
        tool=request.call.tool,
        params=dict(request.call.shown),
        sealed_params=sealing.seal(request.call.secrets),
        fingerprint=request.fingerprint,
        dry_run=request.dry_run,
        expect=dict(request.expect),
        idempotency_key=request.idempotency_key or None,
        created_at=now,
        sent_at=now,
    )
    record_action(
        action, "action.create", actor_of(agent), {"tool": action.tool, "params": action.params}
    )
    transaction.on_commit(partial(messages.send_action, action.id))
    return action


def _take_step(run: Run, turn: str) -> None:
    """Each action is a new step unless it carries the same turn as the one before."""
    if not turn or turn != run.turn:
        if turn and run.actions.filter(turn=turn).exists():
            raise Invalid("This turn was left: name a new one.")
        run.step_id, run.turn = run.step_id + 1, turn
    elif run.actions.filter(turn=turn).count() >= ACTIONS_A_TURN:
        raise Invalid(f"A turn takes at most {ACTIONS_A_TURN} actions: begin a new one.")
