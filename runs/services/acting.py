"""A worker has an action: it is claimed, judged, acted on or parked, and settled once."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

import proposals.services
from audit.services import keep_picture, record
from browser.acting import Done
from browser.evidence import Shot
from confidence.domain.confidence import MatchConfidence
from confidence.domain.gate import GateDecision, ToolKind, kind_of
from confirmations.domain.latch import latch_from
from core import clock, live, sealing
from core.actors import SYSTEM, Actor
from core.errors import DomainError
from proposals.models import Proposal
from proposals.services import Draft
from runs import messages
from runs.models import Action, Run
from runs.services.errors import ClaimLost, WaitingForReview
from runs.signals import action_finished
from runs.tools import Call

FIELD_S = 1.0  # what each field of a form adds to the lease
BLOCKING = frozenset({"sandbox_blocked", "confirmation_required"})
TOLD = ("written",)  # details of an error that the agent gets beside code and message


def claim_action(action_id: UUID) -> Action | None:
    """Give a queued action to this worker. None when it is not its turn or somebody has it."""
    action = Action.objects.select_related("run__agent").get(pk=action_id)
    if action.run.status != Run.Status.OPEN or _is_behind_others(action):
        return None
    return _take(action)


def _is_behind_others(action: Action) -> bool:
    earlier = Action.objects.filter(run_id=action.run_id, created_at__lt=action.created_at)
    return earlier.filter(status=Action.Status.QUEUED).exists()


def _must_wait_for(action: Action) -> Action | None:
    """What was accepted beside an uncertain act may not overtake the person who decides on it."""
    if action.dry_run or Call(action.tool, action.params, {}).is_free:
        return None
    parked = Action.objects.filter(run_id=action.run_id, status=Action.Status.REQUIRES_APPROVAL)
    return parked.first()


def _take(action: Action) -> Action | None:
    now = clock.now()
    queued = Action.objects.filter(pk=action.pk, status=Action.Status.QUEUED)
    try:
        with transaction.atomic():
            lock_run(action.run_id)  # nobody parks while we look whether somebody did
            if waiting := _must_wait_for(action):
                fail(action, waiting_for_review(waiting))
                return None
            taken = queued.update(
                status=Action.Status.RUNNING,
                started_at=now,
                lease_until=_lease_until(action),
            )
    except IntegrityError:  # another action of this run is running
        return None
    return Action.objects.select_related("run__agent").get(pk=action.pk) if taken else None


def show_typed(action: Action, *, secret_fields: frozenset[int]) -> None:
    """What went, or is to go, into no secret field may be seen; until then it was dots."""
    if not action.sealed_params:
        return
    typed = sealing.unseal(action.sealed_params)
    if "fields" in typed:
        shown = [
            masked if index in secret_fields or one.get("secret") else one
            for index, (masked, one) in enumerate(
                zip(action.params["fields"], typed["fields"], strict=True)
            )
        ]
        action.params = {**action.params, "fields": shown}
    elif not (secret_fields or action.params.get("secret")):
        action.params = {**action.params, **typed}
    Action.objects.filter(pk=action.pk).update(params=action.params)


def note_judgement(
    action: Action,
    confidence: MatchConfidence | None,
    decision: GateDecision,
    *,
    fields: Sequence[Mapping[str, Any]] = (),
    page_url: str = "",
) -> None:
    """Kept with the action when it is next written; `fields` of a call with several targets."""
    action.match_confidence = confidence.as_dict() if confidence else None
    action.fields = [dict(one) for one in fields]
    action.gate_reasons = list(decision.reasons)
    action.would_gate = decision.would_gate
    if page_url:
        action.page_host = host_of(page_url)


def host_of(url: str) -> str:
    """With its port; "" where the address cannot be read."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()[:260]
    except ValueError:
        return ""


def _judgement(action: Action) -> dict[str, Any]:
    """The columns that hold it."""
    names = (
        *("match_confidence", "fields", "gate_reasons", "would_gate"),
        *("page_host", "screen_id", "element_id"),
    )
    return {name: getattr(action, name) for name in names}


def lock_run(run_id: UUID) -> str:
    """Take the run's row before any other row of it: so no two writers wait for each other."""
    held = Run.objects.select_for_update().filter(pk=run_id).values_list("status", flat=True)
    return held.first() or ""


def hold_open_run(run_id: UUID) -> None:
    """The same for what only an open run may do. Raises ClaimLost."""
    if lock_run(run_id) != Run.Status.OPEN:
        raise ClaimLost("The run ended before this was done.")


def hold_claimed(action: Action) -> None:
    """The same for what only the worker may do that has the action. Raises ClaimLost."""
    hold_open_run(action.run_id)
    if not _mine(action).exists():
        raise ClaimLost("The action was taken over or ended before this was done.")


def _claimed(action: Action) -> QuerySet[Action]:
    """The row, if no other worker claimed it after this one did."""
    return Action.objects.filter(pk=action.pk, started_at=action.started_at)


def _mine(action: Action) -> QuerySet[Action]:
    """The row, while it is running under this worker's claim."""
    return _claimed(action).filter(status=Action.Status.RUNNING)


def lease_s(tool: str, params: Mapping[str, Any]) -> float:
    """How long a worker may be silent: longer than its tool can take."""
    extra_s = settings.NAVIGATION_TIMEOUT_S if kind_of(tool) is ToolKind.NAVIGATE else 0
    return settings.LEASE_SECONDS + extra_s + FIELD_S * len(params.get("fields", ()))


def _lease_until(action: Action) -> datetime:
    return clock.now() + timedelta(seconds=lease_s(action.tool, action.params))


@transaction.atomic
def begin_act(action: Action, *, indices: Sequence[int], shown: int = 0) -> None:
    """On record before the page is touched: which candidate of each target it is.

    Raises ClaimLost when this worker lost the action meanwhile.
    """
    hold_open_run(action.run_id)
    action.page_host = action.page_host or _host_of_run(action.run_id)
    action.acting_at = clock.now()
    action.acted_index = indices[shown] if indices else -1
    changed = (
        _mine(action)
        .filter(acting_at=None)
        .update(
            **_judgement(action),
            acting_at=action.acting_at,
            acted_index=action.acted_index,
            lease_until=_lease_until(action),
        )
    )
    if not changed:
        raise ClaimLost("The action was taken over or ended before this was done.")
    payload = {
        "match_confidence": action.match_confidence,
        "fields": action.fields,
        "gate": {"reasons": action.gate_reasons, "would_gate": action.would_gate},
        "index": action.acted_index,
        "indices": list(indices),
    }
    record_action(action, "action.act", SYSTEM, payload)


def _host_of_run(run_id: UUID) -> str:
    """Where nothing was resolved, the page the run was last seen on."""
    return host_of(Run.objects.values_list("current_url", flat=True).get(pk=run_id))


@transaction.atomic
def abandon_act(action: Action) -> None:
    """The element was gone before anything was done: the action may be judged again."""
    action.acting_at = action.acted_index = None
    _mine(action).update(acting_at=None, acted_index=None)


@transaction.atomic
def park(action: Action, draft: Draft, *, replaces: Proposal | None = None) -> Proposal:
    """Make the action wait for a person."""
    hold_open_run(action.run_id)
    proposal = proposals.services.create(draft, replaces=replaces)
    changed = _mine(action).update(
        **_judgement(action),
        status=Action.Status.REQUIRES_APPROVAL,
        proposal_id=proposal.id,
        confirmation=confirmation_of(action.run_id),
        timings=action.timings,
        lease_until=None,
        acting_at=None,
    )
    if not changed:
        raise ClaimLost("The action was taken over or ended before this was done.")
    transaction.on_commit(partial(_announce, action.id, action.run_id))
    transaction.on_commit(partial(send_next, action.run_id))
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
    _note_browser(action.run_id, done)
    settle(
        action,
        Action.Status.SUCCEEDED,
        rows=_claimed(action),
        result=done.result,
        outcome=done.outcome.as_dict(),
        picture=picture,
    )


@transaction.atomic
def fail(action: Action, error: DomainError, *, picture: str = "") -> None:
    """End an action with an error's public code. `outcome_unknown` is a status of its own."""
    status = Action.Status.FAILED
    if error.code in BLOCKING:
        status = Action.Status.BLOCKED
    if error.code == "outcome_unknown":
        status = Action.Status.OUTCOME_UNKNOWN
    settle(action, status, rows=_claimed(action), error=told(error), picture=picture)


def told(error: DomainError) -> dict[str, Any]:
    said = {"code": error.code, "message": error.message, "retryable": error.retryable}
    return {**said, **{name: error.details[name] for name in TOLD if name in error.details}}


def _note_browser(run_id: UUID, done: Done) -> None:
    """Where the run's page is now, and in which tab; the file field whose chooser opened."""
    run = Run.objects.filter(pk=run_id)
    if done.place is not None:
        run.update(current_url=done.place.url, title=done.place.title[:300])
    if done.chooser is not None:
        run.update(chooser=done.chooser)
    if done.target:
        lock_run(run_id)
        browser = run.values_list("browser", flat=True).get()
        if browser:  # it may have ended meanwhile
            run.update(browser={**browser, "target": done.target}, chooser={})


def settle(
    action: Action,
    status: str,
    *,
    rows: QuerySet[Action] | None = None,
    result: Any = None,
    error: Mapping[str, Any] | None = None,
    outcome: Mapping[str, Any] | None = None,
    picture: str = "",
) -> bool:
    """Bring an action to its end, once. False when it had ended already, or is none of `rows`.

    An unknown outcome may still become known: a slow worker comes back, or a person looked.
    """
    now = clock.now()
    Run.objects.filter(pk=action.run_id).update(active_at=now)  # first: see lock_run
    is_unknown = status == Action.Status.OUTCOME_UNKNOWN
    ended = set(Action.FINAL) - (set() if is_unknown else {Action.Status.OUTCOME_UNKNOWN})
    keeps_secrets = is_unknown and action.proposal_id is not None  # a person may say retry
    changed = (
        (Action.objects if rows is None else rows)
        .filter(pk=action.pk)
        .exclude(status__in=ended)
        .update(
            status=status,
            result=result,
            error=error,
            outcome=outcome,
            picture=picture,
            **_judgement(action),
            confirmation=confirmation_of(action.run_id),
            timings=action.timings,
            sealed_params=action.sealed_params if keeps_secrets else "",
            lease_until=None,
            finished_at=now,
        )
    )
    if not changed:
        return False
    payload = {
        "status": str(status),
        "match_confidence": action.match_confidence,
        "fields": action.fields,
        "would_gate": action.would_gate,
        "outcome": outcome,
        "error": error,
        "picture": picture,
    }
    record_action(action, "action.finish", SYSTEM, payload)
    transaction.on_commit(partial(_announce, action.id, action.run_id))
    said = partial(action_finished.send_robust, sender=Action, action_id=action.id)
    transaction.on_commit(said)
    transaction.on_commit(partial(send_next, action.run_id))
    return True


def confirmation_of(run_id: UUID) -> dict[str, Any]:
    """Token and violation of the run as they are now: each step keeps what it left."""
    kept = Run.objects.values_list("confirmation", flat=True).get(pk=run_id)
    return latch_from(kept).told()


def _announce(action_id: UUID, run_id: UUID) -> None:
    """Whoever waits for the action hears it, and whoever waits for the run's first page."""
    live.announce(action_id)
    live.announce(run_id)


def send_next(run_id: UUID) -> None:
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


def record_action(action: Action, verb: str, actor: Actor, payload: Mapping[str, Any]) -> None:
    record(
        verb,
        actor=actor,
        run_id=action.run_id,
        action_id=action.id,
        proposal_id=action.proposal_id,
        agent_id=action.run.agent_id,
        payload=payload,
    )


def waiting_for_review(waiting: Action) -> WaitingForReview:
    return WaitingForReview(
        "A person decides on this run first: poll that action, or send supersede: true.",
        proposal_id=str(waiting.proposal_id),
        action_id=str(waiting.id),
    )
