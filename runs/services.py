"""Every way a run or an action changes: rows first, then the message, then the answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

import proposals.services
from agents.models import AgentRegistry
from audit.services import keep_picture, record
from browser.acting import Done, Place
from browser.evidence import Shot
from browser.providers import BrowserRef, is_alive
from confidence.domain.gate import (
    Decision,
    GateCall,
    GateDecision,
    ToolKind,
    decide,
    kind_of,
)
from core import clock, live
from core.actors import SYSTEM, Actor
from core.errors import Conflict, DomainError, Forbidden, Invalid, TooMany
from proposals.domain import Event
from proposals.models import Proposal
from proposals.services import Draft
from runs import messages, sealing
from runs.models import Action, Run
from runs.tools import Call

ACTIONS_A_TURN = 10
RESEND_AFTER = timedelta(seconds=5)
AWAITING_A_PERSON = (Action.Status.REQUIRES_APPROVAL, Action.Status.OUTCOME_UNKNOWN)


class RunEnded(Conflict):
    """The run is over: start a new one."""

    code = "run_ended"


class WaitingForReview(Conflict):
    """A person decides first; until then the run takes reads only."""

    code = "waiting_for_review"
    retryable = True


def actor_of(agent: AgentRegistry) -> Actor:
    return Actor(kind="agent", id=str(agent.id), name=agent.name)


# --- runs -------------------------------------------------------------------------------
@dataclass(frozen=True)
class RunRequest:
    """What an agent asked for when it opened a run."""

    start_url: str = ""
    label: str = ""
    idempotency_key: str = ""

    @property
    def digest(self) -> str:
        return sealing.digest([self.start_url, self.label])


@transaction.atomic
def create_run(agent: AgentRegistry, request: RunRequest) -> Run:
    """Write the run and send for its browser. The same Idempotency-Key gives the same run."""
    AgentRegistry.objects.select_for_update().get(pk=agent.pk)  # one at a time per agent
    if known := _same_run(agent, request):
        return known
    refuse_unless_active(agent)
    if open_runs().count() >= settings.MAX_OPEN_RUNS:
        raise TooMany(
            f"{settings.MAX_OPEN_RUNS} runs are open, more are not allowed: finish one first.",
            retry_after_s=10,
        )
    now = clock.now()
    run = Run.objects.create(
        agent=agent,
        label=request.label,
        start_url=request.start_url,
        idempotency_key=request.idempotency_key or None,
        request_digest=request.digest,
        created_at=now,
        active_at=now,
    )
    _record_run(run, "run.create", actor_of(agent), {"start_url": request.start_url})
    transaction.on_commit(partial(messages.send_start, run.id))
    return run


def _same_run(agent: AgentRegistry, request: RunRequest) -> Run | None:
    if not request.idempotency_key:
        return None
    known = Run.objects.filter(agent=agent, idempotency_key=request.idempotency_key).first()
    if known and known.request_digest != request.digest:
        raise Invalid("This Idempotency-Key was used for another request.")
    return known


def refuse_unless_active(agent: AgentRegistry) -> None:
    if agent.status == AgentRegistry.Status.PAUSED:
        raise Forbidden("This agent is paused by a person: wait until it is resumed.")
    if agent.status == AgentRegistry.Status.STOPPED:
        raise Forbidden("This agent was stopped by an admin.")


def open_runs() -> Any:
    return Run.objects.filter(status__in=[Run.Status.STARTING, Run.Status.OPEN])


def proposes_navigation(run: Run) -> bool:
    """A student's first page is a proposal like any other navigation."""
    call = GateCall(kind=ToolKind.NAVIGATE, level=None, tier=run.agent.tier)
    return decide(call).decision is Decision.PROPOSE


@transaction.atomic
def browser_started(run_id: UUID, ref: BrowserRef) -> bool:
    """Note the run's browser. False when the run ended while it started: stop it then."""
    starting = Run.objects.filter(pk=run_id, status=Run.Status.STARTING, browser={})
    return bool(starting.update(browser=ref.as_dict(), active_at=clock.now()))


@transaction.atomic
def run_opened(run_id: UUID, place: Place) -> None:
    changed = Run.objects.filter(pk=run_id, status=Run.Status.STARTING).update(
        status=Run.Status.OPEN,
        current_url=place.url,
        title=place.title[:300],
        active_at=clock.now(),
    )
    if changed:
        run = Run.objects.select_related("agent").get(pk=run_id)
        _record_run(run, "run.open", SYSTEM, {"url": place.url})
        _announce_run(run)


@transaction.atomic
def end_run(run: Run, status: str, *, actor: Actor, error: Mapping[str, Any] | None = None) -> bool:
    """End a run: its proposals are cancelled, its open actions fail, its browser is sent for.

    False when it was over already.
    """
    changed = Run.objects.filter(
        pk=run.pk, status__in=[Run.Status.STARTING, Run.Status.OPEN]
    ).update(status=status, error=error, finished_at=clock.now())
    if not changed:
        return False
    run.refresh_from_db()
    proposals.services.cancel_of_run(run.id, actor=actor)
    _fail_open_actions(run)
    _record_run(run, f"run.{status}", actor, {"error": error})
    _announce_run(run)
    transaction.on_commit(partial(messages.send_stop, run.id))
    return True


def _fail_open_actions(run: Run) -> None:
    over = {"code": "run_ended", "message": "The run ended before this was done."}
    undone = Q(status=Action.Status.QUEUED) | Q(status=Action.Status.RUNNING, acting_at=None)
    for action in run.actions.filter(undone):
        _settle(action, Action.Status.FAILED, error={**over, "retryable": False})


def _record_run(run: Run, verb: str, actor: Actor, payload: Mapping[str, Any]) -> None:
    record(verb, actor=actor, run_id=run.id, agent_id=run.agent_id, payload=payload)


def _announce_run(run: Run) -> None:
    teams = list(run.agent.teams.values_list("id", flat=True))
    hint = {"kind": "run", "id": str(run.id), "status": str(run.status), "version": run.step_id}
    transaction.on_commit(partial(live.hint, teams, hint))
    transaction.on_commit(partial(live.announce, run.id))


# --- actions: in ------------------------------------------------------------------------
@dataclass(frozen=True)
class ActionRequest:
    """One checked call of an agent."""

    call: Call
    turn: str = ""
    dry_run: bool = False
    supersede: bool = False
    idempotency_key: str = ""

    @property
    def fingerprint(self) -> str:
        call = self.call
        return sealing.digest([call.tool, dict(call.shown), dict(call.secrets), self.dry_run])


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


def _same_action(run: Run, request: ActionRequest) -> Action | None:
    if not request.idempotency_key:
        return None
    known = run.actions.filter(idempotency_key=request.idempotency_key).first()
    if known and known.fingerprint != request.fingerprint:
        raise Invalid("This Idempotency-Key was used for another request.")
    return known


def _same_act_under_way(run: Run, request: ActionRequest) -> Action | None:
    """The same act that is not over yet: sent again it is meant once, unless a key says twice."""
    if request.call.is_read or request.dry_run or request.idempotency_key:
        return None
    under_way = run.actions.filter(fingerprint=request.fingerprint).exclude(status__in=Action.FINAL)
    return under_way.order_by("created_at").first()


def _refuse_while_waiting(run: Run, request: ActionRequest) -> None:
    """While a person decides, the run takes reads only."""
    if request.call.is_read or request.dry_run:
        return
    waiting = run.actions.filter(status=Action.Status.REQUIRES_APPROVAL).first()
    if waiting is None or (request.supersede and _supersede(waiting, actor_of(run.agent))):
        return
    raise _waiting_for_review(waiting)


def _waiting_for_review(waiting: Action) -> WaitingForReview:
    return WaitingForReview(
        "A person decides on this run first: poll that action, or send supersede: true.",
        proposal_id=str(waiting.proposal_id),
        action_id=str(waiting.id),
    )


def _supersede(waiting: Action, actor: Actor) -> bool:
    pending = Proposal.objects.filter(action_id=waiting.id, status="pending")
    proposal = pending.select_related("agent").first()
    if proposal is None or not proposals.services.supersede(proposal, actor=actor):
        return False
    error = {"code": "superseded", "message": "The agent asked for something else."}
    _settle(waiting, Action.Status.FAILED, error={**error, "retryable": False})
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
        idempotency_key=request.idempotency_key or None,
        created_at=now,
        sent_at=now,
    )
    _record_action(
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


def _record_action(action: Action, verb: str, actor: Actor, payload: Mapping[str, Any]) -> None:
    record(
        verb,
        actor=actor,
        run_id=action.run_id,
        action_id=action.id,
        proposal_id=action.proposal_id,
        agent_id=action.run.agent_id,
        payload=payload,
    )


# --- actions: a worker has one ----------------------------------------------------------
def claim_action(action_id: UUID) -> Action | None:
    """Give a queued action to this worker. None when it is not its turn or somebody has it."""
    action = Action.objects.select_related("run__agent").get(pk=action_id)
    if action.run.status != Run.Status.OPEN or _is_behind_others(action):
        return None
    if waiting := _must_wait_for(action):
        fail(action, _waiting_for_review(waiting))
        return None
    return _take(action)


def _is_behind_others(action: Action) -> bool:
    earlier = Action.objects.filter(run_id=action.run_id, created_at__lt=action.created_at)
    return earlier.filter(status=Action.Status.QUEUED).exists()


def _must_wait_for(action: Action) -> Action | None:
    """What was accepted beside an uncertain act may not overtake the person who decides on it."""
    if action.dry_run or kind_of(action.tool, action.params) is ToolKind.READ:
        return None
    parked = Action.objects.filter(run_id=action.run_id, status=Action.Status.REQUIRES_APPROVAL)
    return parked.first()


def _take(action: Action) -> Action | None:
    now = clock.now()
    queued = Action.objects.filter(pk=action.pk, status=Action.Status.QUEUED)
    try:
        with transaction.atomic():
            taken = queued.update(
                status=Action.Status.RUNNING,
                started_at=now,
                lease_until=now + timedelta(seconds=settings.LEASE_SECONDS),
            )
    except IntegrityError:  # another action of this run is running
        return None
    return Action.objects.select_related("run__agent").get(pk=action.pk) if taken else None


def show_typed_text(action: Action) -> None:
    """The field was no secret one: what is typed into it may be seen."""
    action.params = {**action.params, **sealing.unseal(action.sealed_params)}
    Action.objects.filter(pk=action.pk).update(params=action.params)


def note_judgement(
    action: Action, confidence: Mapping[str, Any] | None, decision: GateDecision
) -> None:
    action.match_confidence = None if confidence is None else dict(confidence)
    action.gate_reasons = list(decision.reasons)
    action.would_gate = decision.would_gate


@transaction.atomic
def begin_act(action: Action, *, index: int) -> None:
    """On record before the page is touched. Raises when this worker lost the action meanwhile."""
    action.acting_at, action.acted_index = clock.now(), index
    mine = Action.objects.filter(pk=action.pk, status=Action.Status.RUNNING, acting_at=None)
    if not mine.update(
        acting_at=action.acting_at,
        acted_index=index,
        match_confidence=action.match_confidence,
        gate_reasons=action.gate_reasons,
        would_gate=action.would_gate,
        lease_until=clock.now() + timedelta(seconds=settings.LEASE_SECONDS),
    ):
        raise RunEnded("The run ended before this was done.")
    payload = {
        "match_confidence": action.match_confidence,
        "gate": {"reasons": action.gate_reasons, "would_gate": action.would_gate},
        "index": index,
    }
    _record_action(action, "action.act", SYSTEM, payload)


@transaction.atomic
def abandon_act(action: Action) -> None:
    """The element was gone before anything was done: the action may be judged again."""
    action.acting_at = action.acted_index = None
    Action.objects.filter(pk=action.pk, status=Action.Status.RUNNING).update(
        acting_at=None, acted_index=None
    )


@transaction.atomic
def park(action: Action, draft: Draft, *, replaces: Proposal | None = None) -> Proposal:
    """Make the action wait for a person."""
    proposal = proposals.services.create(draft, replaces=replaces)
    changed = Action.objects.filter(pk=action.pk, status=Action.Status.RUNNING).update(
        status=Action.Status.REQUIRES_APPROVAL,
        proposal_id=proposal.id,
        match_confidence=action.match_confidence,
        gate_reasons=action.gate_reasons,
        would_gate=action.would_gate,
        lease_until=None,
        acting_at=None,
    )
    if not changed:
        raise RunEnded("The run ended before this was done.")
    transaction.on_commit(partial(live.announce, action.id))
    transaction.on_commit(partial(_send_next, action.run_id))
    return proposal


def keep_shot(shot: Shot) -> str:
    return keep_picture(
        shot.content,
        media_type=shot.media_type,
        width=int(shot.viewport["width"]),
        height=int(shot.viewport["height"]),
    )


@transaction.atomic
def succeed(action: Action, done: Done, *, picture: str = "") -> None:
    if done.place is not None:
        _note_place(action.run_id, done.place)
    _settle(
        action,
        Action.Status.SUCCEEDED,
        result=done.result,
        outcome=done.outcome.as_dict(),
        picture=picture,
    )


@transaction.atomic
def fail(action: Action, error: DomainError, *, picture: str = "") -> None:
    """End an action with an error's public code. `outcome_unknown` is a status of its own."""
    status = Action.Status.FAILED
    if error.code == "sandbox_blocked":
        status = Action.Status.BLOCKED
    if error.code == "outcome_unknown":
        status = Action.Status.OUTCOME_UNKNOWN
    _settle(action, status, error=told(error), picture=picture)


def told(error: DomainError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "retryable": error.retryable}


def _note_place(run_id: UUID, place: Place) -> None:
    Run.objects.filter(pk=run_id).update(current_url=place.url, title=place.title[:300])


def note_refs(run_id: UUID, frames: Mapping[str, Any]) -> None:
    Run.objects.filter(pk=run_id).update(refs=dict(frames))


def _settle(
    action: Action,
    status: str,
    *,
    result: Any = None,
    error: Mapping[str, Any] | None = None,
    outcome: Mapping[str, Any] | None = None,
    picture: str = "",
) -> bool:
    """Bring an action to its end, once. False when it had ended already.

    An unknown outcome may still become known: a slow worker comes back, or a person looked.
    """
    now = clock.now()
    is_unknown = status == Action.Status.OUTCOME_UNKNOWN
    ended = set(Action.FINAL) - (set() if is_unknown else {Action.Status.OUTCOME_UNKNOWN})
    changed = (
        Action.objects.filter(pk=action.pk)
        .exclude(status__in=ended)
        .update(
            status=status,
            result=result,
            error=error,
            outcome=outcome,
            picture=picture,
            match_confidence=action.match_confidence,
            gate_reasons=action.gate_reasons,
            would_gate=action.would_gate,
            timings=action.timings,
            sealed_params=action.sealed_params if is_unknown else "",
            lease_until=None,
            finished_at=now,
        )
    )
    if not changed:
        return False
    Run.objects.filter(pk=action.run_id).update(active_at=now)
    payload = {
        "status": str(status),
        "match_confidence": action.match_confidence,
        "would_gate": action.would_gate,
        "outcome": outcome,
        "error": error,
        "picture": picture,
    }
    _record_action(action, "action.finish", SYSTEM, payload)
    transaction.on_commit(partial(live.announce, action.id))
    transaction.on_commit(partial(_send_next, action.run_id))
    return True


def _send_next(run_id: UUID) -> None:
    """The run is free: first what a person approved meanwhile, then what was queued."""
    approved = Proposal.objects.filter(run_id=run_id, status="approved").values_list(
        "id", flat=True
    )
    if proposal_id := approved.first():
        proposals.services.hand_out(proposal_id)
        messages.send_execution(proposal_id)
        return
    queued = Action.objects.filter(run_id=run_id, status=Action.Status.QUEUED)
    action_id = queued.order_by("created_at").values_list("id", flat=True).first()
    if action_id:
        messages.send_action(action_id)


# --- actions: what became of their proposal ---------------------------------------------
def claim_execution(proposal_id: UUID) -> tuple[Proposal, Action] | None:
    """Give an approved proposal and its action to this worker, together or not at all.

    None when somebody has it, when it is over, or while the run does something else: it is then
    handed out again when the run is free.
    """
    try:
        with transaction.atomic():
            proposal = proposals.services.claim(proposal_id, lease_s=settings.LEASE_SECONDS)
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
        acting_at=now,
        acted_index=proposal.approved_index,
        lease_until=now + timedelta(seconds=settings.LEASE_SECONDS),
    )
    if not changed:
        raise Conflict("The action behind this proposal is over.")
    action = Action.objects.select_related("run__agent").get(pk=proposal.action_id)
    _record_action(
        action, "action.act", SYSTEM, {"index": proposal.approved_index, "override": True}
    )
    return action


@transaction.atomic
def executed(action: Action, proposal: Proposal, done: Done) -> None:
    """What was approved is done: proposal and action say so together."""
    proposals.services.finish(proposal, Event.EXECUTE, outcome=done.outcome.as_dict())
    succeed(action, done)


def note_picture(action: Action, shot: Shot) -> None:
    """The page as it was a moment after the act."""
    Action.objects.filter(pk=action.pk).update(picture=keep_shot(shot))


@transaction.atomic
def not_executed(
    action: Action, proposal: Proposal, event: Event, error: DomainError, *, picture: str = ""
) -> None:
    proposals.services.finish(proposal, event, error=told(error))
    fail(action, error, picture=picture)


@transaction.atomic
def ask_again(action: Action, proposal: Proposal, draft: Draft, error: DomainError) -> None:
    """The page changed: the old proposal is stale, a new one with the present candidates waits."""
    proposals.services.finish(proposal, Event.GO_STALE, error=told(error))
    park(action, draft, replaces=proposal)


@transaction.atomic
def follow_proposal(proposal_id: UUID) -> None:
    """Carry a settled proposal over to its action; safe to call any number of times."""
    proposal = Proposal.objects.select_related("agent").get(pk=proposal_id)
    action = (
        Action.objects.select_for_update(of=("self",))
        .select_related("run__agent")
        .filter(pk=proposal.action_id, proposal_id=proposal.id)
        .first()
    )
    if action is None or action.status not in AWAITING_A_PERSON:
        return
    match proposal.status:
        case "executed":  # a person looked at the page and marked it as done
            _settle(action, Action.Status.SUCCEEDED, result={"marked_done": True})
        case "outcome_unknown":
            error = {"code": "outcome_unknown", "message": "The worker died while it acted."}
            _settle(action, Action.Status.OUTCOME_UNKNOWN, error={**error, "retryable": False})
        case "approved":
            if proposals.services.hand_out(proposal.id):
                transaction.on_commit(partial(messages.send_execution, proposal.id))
        case "rejected":
            decision = proposal.decisions.last()
            reason = decision.reason if decision else ""
            error = {"code": "rejected", "message": f"A reviewer rejected this: {reason}"}
            _settle(action, Action.Status.REJECTED, error={**error, "retryable": False})
        case "expired" | "cancelled" | "superseded":
            error = {"code": proposal.status, "message": ENDED_WORDS[proposal.status]}
            retryable = proposal.status == "expired"
            _settle(action, Action.Status.FAILED, error={**error, "retryable": retryable})


ENDED_WORDS = {
    "expired": "No reviewer decided in time. Nothing was done; you may ask again.",
    "cancelled": "The run ended before a reviewer decided. Nothing was done.",
    "superseded": "You asked for something else. Nothing was done.",
}


# --- sweeps -----------------------------------------------------------------------------
def lost_actions() -> list[Action]:
    """Running actions whose worker's lease is over."""
    return list(
        Action.objects.select_related("run__agent").filter(
            status=Action.Status.RUNNING, lease_until__lt=clock.now()
        )[:200]
    )


@transaction.atomic
def recover(action: Action) -> None:
    """A worker died with this action: send it again if the page was never touched."""
    if action.acting_at is not None:
        error = {
            "code": "outcome_unknown",
            "message": "The worker died while it acted: look at the page before you go on.",
        }
        _settle(action, Action.Status.OUTCOME_UNKNOWN, error={**error, "retryable": False})
        return
    again = Action.objects.filter(
        pk=action.pk, status=Action.Status.RUNNING, acting_at=None, lease_until__lt=clock.now()
    )
    if again.update(status=Action.Status.QUEUED, lease_until=None, sent_at=clock.now()):
        transaction.on_commit(partial(messages.send_action, action.id))


def resend_unsent() -> int:
    """Messages are sent after the rows are written; one that got lost is sent again."""
    late = clock.now() - RESEND_AFTER
    queued = Action.objects.filter(
        status=Action.Status.QUEUED, sent_at__lt=late, run__status=Run.Status.OPEN
    ).exclude(run__actions__status=Action.Status.RUNNING)
    ids = list(queued.values_list("id", flat=True)[:200])
    Action.objects.filter(pk__in=ids).update(sent_at=clock.now())
    for action_id in ids:
        messages.send_action(action_id)
    unsent = Run.objects.filter(status=Run.Status.STARTING, browser={}, created_at__lt=late)
    for run_id in unsent.values_list("id", flat=True)[:50]:
        messages.send_start(run_id)
    return len(ids)


def carry_over_proposals() -> int:
    """News of a settled proposal got lost: carry it over to its action now."""
    waiting = Action.objects.filter(status__in=AWAITING_A_PERSON)
    unsettled = Proposal.objects.exclude(status__in=["pending", "executing"]).exclude(
        status="outcome_unknown",
        action_id__in=waiting.filter(status=Action.Status.OUTCOME_UNKNOWN).values("id"),
    )
    ids = unsettled.filter(pk__in=waiting.values("proposal_id")).values_list("id", flat=True)[:200]
    for proposal_id in ids:
        follow_proposal(proposal_id)
    return len(ids)


def runs_without_life() -> list[Run]:
    """Open runs whose browser is gone."""
    runs = Run.objects.select_related("agent").filter(status=Run.Status.OPEN)
    return [run for run in runs if not is_alive(BrowserRef.of(run.browser))]


def stuck_starts() -> list[Run]:
    """Runs whose worker died while it gave them their browser."""
    since = clock.now() - timedelta(seconds=settings.LEASE_SECONDS)
    return list(
        Run.objects.select_related("agent").filter(status=Run.Status.STARTING, active_at__lt=since)[
            :50
        ]
    )


def ended_runs_with_a_browser() -> list[UUID]:
    """The message that ends a run's browser got lost."""
    late = clock.now() - RESEND_AFTER
    ended = Run.objects.exclude(status__in=[Run.Status.STARTING, Run.Status.OPEN])
    return list(
        ended.exclude(browser={}).filter(finished_at__lt=late).values_list("id", flat=True)[:50]
    )


def browser_ended(run_id: UUID) -> None:
    Run.objects.filter(pk=run_id).update(browser={})


def idle_runs() -> list[Run]:
    """Open runs that did nothing for RUN_IDLE_SECONDS; waiting for a person does not count."""
    since = clock.now() - timedelta(seconds=settings.RUN_IDLE_SECONDS)
    busy = [Action.Status.QUEUED, Action.Status.RUNNING, Action.Status.REQUIRES_APPROVAL]
    return list(
        Run.objects.select_related("agent")
        .filter(status=Run.Status.OPEN, active_at__lt=since)
        .exclude(actions__status__in=busy)[:50]
    )
