"""One action from its message to its end: sandbox, resolve, score, gate, then act or ask a person.

Rows are read before and written after; no transaction is open while the browser is touched.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from browser import calls, providers
from browser.acting import Done
from browser.errors import BrowserError, BrowserLost, Detached, NoMatch, OutcomeUnknown, PageChanged
from browser.providers import BrowserRef
from browser.resolver import Resolution
from confidence import flags
from confidence.domain import confidence as scoring
from confidence.domain import selector
from confidence.domain.confidence import MatchConfidence
from confidence.domain.gate import (
    TIERS_THAT_ACT,
    Decision,
    GateCall,
    GateDecision,
    ToolKind,
    decide,
    kind_of,
)
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome
from confidence.flags import Flags
from core.actors import SYSTEM
from core.errors import Conflict, DomainError
from proposals.domain import Event
from proposals.models import Proposal
from proposals.services import Draft
from runs import services
from runs.models import Action, Run
from runs.sealing import unseal
from runs.tools import Call, read_call
from sandbox.domain import refuse_navigation

log = logging.getLogger(__name__)
TRIES = 3
# Nothing to see, or a page that does not answer would only hold the worker up once more.
NOT_SHOWN = frozenset({"sandbox_blocked", "invalid_selector", "timeout", "run_ended"})
NOT_JUDGED = GateDecision(Decision.PROCEED, ())
SEEN = VerifiedOutcome(OutcomeKind.VERIFIED, True, "It was read from the page.")


class SandboxBlocked(DomainError):
    """The sandbox refuses this call, however sure it is."""

    code = "sandbox_blocked"
    status = 403


class GateFailed(DomainError):
    """Resolve, score or gate failed inside; while gating is in force nothing is done then."""

    code = "gate_failed"
    retryable = True


# --- runs -------------------------------------------------------------------------------
def start(run_id: UUID) -> None:
    """Give the run its browser and open its start page."""
    run = Run.objects.select_related("agent").get(pk=run_id)
    if run.status != Run.Status.STARTING:
        return
    try:
        ref = _browser_for(run)
        if ref is None:
            return
        if run.start_url and not services.proposes_navigation(run):
            _refuse_navigation(run, run.start_url)
            calls.navigate(ref, run.start_url, timeout_s=settings.NAVIGATION_TIMEOUT_S)
        services.open_run(run, calls.where(ref), first=_first_call(run))
    except DomainError as error:
        services.end_run(run, Run.Status.FAILED, actor=SYSTEM, error=services.told(error))
    except Exception:
        log.exception("run %s did not start", run.id)
        told = {"code": "internal", "message": "Pointsman failed to start this run's browser."}
        services.end_run(run, Run.Status.FAILED, actor=SYSTEM, error=told)


def _first_call(run: Run) -> Call | None:
    """A tier that navigates by proposal only: its start page is the run's first action."""
    if not run.start_url or not services.proposes_navigation(run):
        return None
    return read_call("browser_navigate", {"url": run.start_url})


def _browser_for(run: Run) -> BrowserRef | None:
    """A browser of its own, also when the message came twice."""
    if run.browser:
        return BrowserRef.of(run.browser)
    name = f"{run.id}-{int(time.time() * 1000)}"
    ref = providers.start(name, allowed_hosts=run.agent.allowed_hosts)
    is_known = False
    try:
        ref = calls.adopt(ref)
        is_known = services.browser_started(run.id, ref)
    finally:
        if not is_known:  # no row knows it: nobody else would end it
            providers.stop(ref)
    return ref if is_known else None


def stop(run_id: UUID) -> None:
    run = Run.objects.get(pk=run_id)
    if run.browser:
        ref = BrowserRef.of(run.browser)
        calls.forget(ref)
        providers.stop(ref)
        services.browser_ended(run_id)


# --- actions ----------------------------------------------------------------------------
def perform(action_id: UUID) -> None:
    """Carry out one queued action, or make it wait for a person."""
    action = services.claim_action(action_id)
    if action is None:
        return
    try:
        _carry_out(action)
    except BrowserLost as error:
        services.fail(action, error)
        services.end_run(action.run, Run.Status.FAILED, actor=SYSTEM, error=services.told(error))
    except services.ClaimLost:
        log.info("action %s was taken over or ended meanwhile", action.id)
    except DomainError as error:
        services.fail(action, error, picture=_picture_after(action, error))
    except Exception:
        log.exception("action %s failed inside", action.id)
        services.note_judgement(action, None, NOT_JUDGED)  # it may be what cannot be stored
        services.fail(action, _internal(action))


def _internal(action: Action) -> DomainError:
    if action.acting_at is not None:
        return OutcomeUnknown("Pointsman failed while it acted: look at the page.")
    return GateFailed("Pointsman failed before it acted. Nothing was done.")


def _picture_after(action: Action, error: DomainError) -> str:
    """Failures are shown; when no picture can be had they are told without one."""
    if error.code in NOT_SHOWN:
        return ""
    try:
        return services.keep_shot(calls.shoot(BrowserRef.of(action.run.browser)))
    except BrowserError:
        log.info("no picture of the failed action %s could be taken", action.id)
        return ""


def _carry_out(action: Action) -> None:
    kind = kind_of(action.tool, action.params)
    ref = BrowserRef.of(action.run.browser)
    if kind is ToolKind.READ:
        _read(action, ref)
    elif kind is ToolKind.NAVIGATE:
        _navigate(action, ref)
    else:
        _act(action, ref)


def _refuse_navigation(run: Run, url: str) -> None:
    refusal = refuse_navigation(url, allowed=run.agent.allowed_hosts)
    if refusal:
        raise SandboxBlocked(refusal.detail, violation_type=refusal.violation_type)


# --- reading ----------------------------------------------------------------------------
def _read(action: Action, ref: BrowserRef) -> None:
    match action.tool:
        case "browser_extract_text":
            _extract_text(action, ref)
        case "browser_snapshot":
            seen = calls.take_snapshot(ref, timeout_s=settings.ACTION_TIMEOUT_S)
            services.note_refs(action.run_id, seen.frames)
            place = calls.where(ref)
            result = {"url": place.url, "title": place.title, "snapshot": seen.text}
            services.succeed(action, Done(SEEN, result, place))
        case _:
            _take_screenshot(action, ref)


def _take_screenshot(action: Action, ref: BrowserRef) -> None:
    shot = calls.shoot(ref)
    digest = services.keep_shot(shot)
    result = {
        "picture": digest,
        "picture_url": f"{settings.PUBLIC_URL}/api/v1/pictures/{digest}",
        "media_type": shot.media_type,
        "viewport": shot.viewport,
    }
    services.succeed(action, Done(SEEN, result), picture=digest)


def _extract_text(action: Action, ref: BrowserRef) -> None:
    """Annotated and never gated: reading many matches is what scraping is."""
    resolution = _resolve(action, ref)
    current = flags.current()
    if current.layer_is_on:
        confidence = _score(resolution, current)
        services.note_judgement(
            action, confidence.as_dict(), GateDecision(Decision.PROCEED, ("read_only",))
        )
    if resolution.match_count == 0:
        raise _no_match(action)
    texts = calls.texts_of(ref, resolution)
    result = {"texts": texts, "count": resolution.match_count, "text": "\n".join(texts)}
    services.succeed(action, Done(SEEN, result))


# --- navigating -------------------------------------------------------------------------
def _navigate(action: Action, ref: BrowserRef) -> None:
    """It has no target and so no confidence; the tier alone may send it to a person."""
    _refuse_navigation(action.run, action.params["url"])
    decision = _decide(action, None, flags.current())
    services.note_judgement(action, None, decision)
    if action.dry_run:
        services.succeed(action, _not_done(decision))
    elif decision.decision is Decision.PROPOSE:
        _ask_a_person(action, ref, None, None, decision)
    else:
        services.begin_act(action, index=-1)
        services.succeed(action, _go(action, ref))


def _go(action: Action, ref: BrowserRef) -> Done:
    return calls.navigate(ref, action.params["url"], timeout_s=settings.NAVIGATION_TIMEOUT_S)


# --- acting -----------------------------------------------------------------------------
def _act(action: Action, ref: BrowserRef) -> None:
    """Resolve, judge, then act on the judged element; once more from the start if it went away."""
    if _layer_is_off(action):
        return _act_plainly(action, ref)
    for attempt in range(1, TRIES + 1):
        resolution = _resolve(action, ref)
        if resolution.match_count == 0:
            raise _no_match(action)
        judged = _judge(action, resolution)
        if action.dry_run:
            return services.succeed(action, _not_done(judged.decision))
        if judged.decision.decision is Decision.PROPOSE:
            if not any(one.is_secret for one in resolution.found):
                _show_typed_text(action)
            return _ask_a_person(action, ref, resolution, judged.confidence, judged.decision)
        services.begin_act(action, index=judged.index)
        try:
            done = _on_element(action, ref, resolution, judged.index)
        except Detached:
            if attempt == TRIES:
                raise
            services.abandon_act(action)
            continue
        if not done.is_secret:
            _show_typed_text(action)
        return services.succeed(action, done)
    return None


def _layer_is_off(action: Action) -> bool:
    """The kill switch leads around our resolver; refs, dry runs and proposals still need it."""
    current = flags.current()
    if current.layer_is_on or action.dry_run or selector.is_ref(action.params["target"]):
        return False
    return _decide(action, None, current).decision is Decision.PROCEED


def _act_plainly(action: Action, ref: BrowserRef) -> None:
    services.note_judgement(action, None, GateDecision(Decision.PROCEED, ("layer_disabled",)))
    services.begin_act(action, index=0)
    done = calls.act_plainly(
        ref, action.tool, _with_secrets(action), timeout_s=settings.ACTION_TIMEOUT_S
    )
    services.succeed(action, done)


def _resolve(action: Action, ref: BrowserRef) -> Resolution:
    resolution = calls.resolve(
        ref,
        action.params["target"],
        timeout_s=settings.ACTION_TIMEOUT_S,
        refs=_refs_of(action),
    )
    action.timings = {**action.timings, "resolve_ms": resolution.took_ms}
    return resolution


def _refs_of(action: Action) -> Mapping[str, Any]:
    """Where the refs of the run's latest snapshot are valid; nothing for other targets."""
    if not selector.is_ref(action.params["target"]):
        return {}
    refs: Mapping[str, Any] = Run.objects.values_list("refs", flat=True).get(pk=action.run_id)
    return refs


def _no_match(action: Action) -> NoMatch:
    target = action.params["target"][:200]
    return NoMatch(
        f"Nothing visible matches {target!r} on this page: look at it with browser_snapshot."
    )


def _show_typed_text(action: Action) -> None:
    """Typed text is dots until it is known that it went, or is to go, into no secret field."""
    if action.sealed_params and not action.params.get("secret"):
        services.show_typed_text(action)


@dataclass(frozen=True)
class Judged:
    """What score and gate say of a call, and on which candidate it acts if it may."""

    confidence: MatchConfidence | None
    decision: GateDecision
    index: int


def _judge(action: Action, resolution: Resolution) -> Judged:
    """While gating is in force a failure in here stops the action; in shadow mode it goes on."""
    current = flags.current()
    try:
        judged = _score_and_decide(action, resolution, current)
    except Exception as error:
        log.exception("score or gate failed for action %s", action.id)
        if current.force_proposal or action.run.agent.tier not in TIERS_THAT_ACT:
            raise GateFailed("The gate failed inside, so nothing was done.") from error
        judged = Judged(None, GateDecision(Decision.PROCEED, ("gate_failed_in_shadow",)), 0)
    shown = judged.confidence.as_dict() if judged.confidence else None
    services.note_judgement(action, shown, judged.decision)
    return judged


def _score_and_decide(action: Action, resolution: Resolution, current: Flags) -> Judged:
    confidence = _score(resolution, current)
    decision = _decide(action, confidence, current)
    if not current.layer_is_on:
        return Judged(None, decision, 0)
    return Judged(confidence, decision, max(confidence.index_to_act_on(), 0))


def _score(resolution: Resolution, current: Flags) -> MatchConfidence:
    return scoring.score(
        resolution.match_count,
        is_text_only=resolution.is_text_only,
        appeared_after_ms=resolution.appeared_after_ms,
        total_count=resolution.total_count,
        candidates=resolution.candidates,
        thresholds=current.thresholds,
    )


def _decide(action: Action, confidence: MatchConfidence | None, current: Flags) -> GateDecision:
    agent = action.run.agent
    return decide(
        GateCall(
            kind=kind_of(action.tool, action.params),
            level=confidence.level if confidence else None,
            tier=agent.tier,
            agent_flag=agent.match_confidence_gating_enabled,
            force_proposal=current.force_proposal,
            gated_tiers=current.gated_tiers,
            enabled=current.enabled,
            locator_api=current.locator_api,
        )
    )


def _not_done(decision: GateDecision) -> Done:
    result = {"dry_run": True, "decision": str(decision.decision), "reasons": decision.reasons}
    return Done(VerifiedOutcome(OutcomeKind.UNVERIFIED, True, "A dry run does nothing."), result)


def _on_element(action: Action, ref: BrowserRef, resolution: Resolution, index: int) -> Done:
    started = time.monotonic()
    try:
        return calls.act(
            ref,
            action.tool,
            _with_secrets(action),
            resolution,
            index,
            refs=_refs_of(action),
            timeout_s=settings.ACTION_TIMEOUT_S,
        )
    finally:
        took_ms = round((time.monotonic() - started) * 1000, 1)
        action.timings = {**action.timings, "act_ms": took_ms}


def _with_secrets(action: Action) -> Mapping[str, Any]:
    return {**action.params, **unseal(action.sealed_params)}


# --- asking a person --------------------------------------------------------------------
def _ask_a_person(
    action: Action,
    ref: BrowserRef,
    resolution: Resolution | None,
    confidence: MatchConfidence | None,
    decision: GateDecision,
) -> None:
    draft = _draft(action, ref, resolution, confidence, decision)
    services.park(action, draft)


def _draft(
    action: Action,
    ref: BrowserRef,
    resolution: Resolution | None,
    confidence: MatchConfidence | None,
    decision: GateDecision,
) -> Draft:
    """Everything a person needs to see, taken from the page as it is now."""
    sight = calls.see(ref, resolution)
    return Draft(
        agent=action.run.agent,
        run_id=action.run_id,
        action_id=action.id,
        step_id=action.step_id,
        tool=action.tool,
        params=action.params,
        intent=action.params.get("element", ""),
        reasons=decision.reasons,
        level=confidence.level.value if confidence else "",
        score=confidence.score if confidence else None,
        match_confidence=confidence.as_dict() if confidence else None,
        chosen_index=confidence.chosen_index if confidence else -1,
        anchors=sight.anchors,
        page_url=sight.url,
        page_title=sight.title,
        page_digest=sight.digest,
        viewport=sight.shot.viewport,
        picture=services.keep_shot(sight.shot),
        snippet=sight.snippet,
    )


# --- what a person approved -------------------------------------------------------------
def execute(proposal_id: UUID) -> None:
    """Do what was approved, once, on that very element of that very page."""
    claimed = services.claim_execution(proposal_id)
    if claimed is None:
        return
    proposal, action = claimed
    try:
        done = _do_approved(action, proposal)
    except PageChanged as error:
        _gone_stale(action, proposal, error)
    except DomainError as error:
        _not_executed(action, proposal, error)
    except Exception:
        log.exception("the execution of proposal %s failed inside", proposal.id)
        unknown = OutcomeUnknown("Pointsman failed while it acted: look at the page.")
        _not_executed(action, proposal, unknown)
    else:
        _finish_executed(action, proposal, done)


def _do_approved(action: Action, proposal: Proposal) -> Done:
    ref = BrowserRef.of(action.run.browser)
    if kind_of(action.tool, action.params) is ToolKind.NAVIGATE:
        _refuse_navigation(action.run, action.params["url"])
        return _go(action, ref)
    index = proposal.approved_index if proposal.approved_index is not None else -1
    confidence = scoring.parse_match_confidence(proposal.match_confidence)
    return calls.act_on_approved(
        ref,
        action.tool,
        _with_secrets(action),
        anchor=proposal.anchors[index],
        approved=confidence.candidates[index],
        page_url=proposal.page_url,
        timeout_s=settings.ACTION_TIMEOUT_S,
    )


def _finish_executed(action: Action, proposal: Proposal, done: Done) -> None:
    try:
        services.executed(action, proposal, done)
    except Conflict:  # the lease was over: a person was asked to look at the page
        log.warning("proposal %s was done, but only after its lease", proposal.id)
        return
    _show_afterwards(action)


def _show_afterwards(action: Action) -> None:
    """A picture for the timeline; the answer never waits for it, and may do without."""
    try:
        services.note_picture(action, calls.shoot(BrowserRef.of(action.run.browser)))
    except BrowserError:
        log.info("no picture after action %s could be taken", action.id)


def _not_executed(action: Action, proposal: Proposal, error: DomainError) -> None:
    event = Event.LOSE if isinstance(error, OutcomeUnknown) else Event.FAIL
    _end_execution(action, proposal, event, error)


def _end_execution(action: Action, proposal: Proposal, event: Event, error: DomainError) -> None:
    try:
        services.not_executed(action, proposal, event, error)
    except Conflict:  # the lease was over: a person was asked to look at the page
        log.warning("proposal %s ended as %s, but only after its lease", proposal.id, error.code)


def _gone_stale(action: Action, proposal: Proposal, error: PageChanged) -> None:
    """Nothing was clicked. If the target still means something, a person is asked again."""
    try:
        ref = BrowserRef.of(action.run.browser)
        resolution = _resolve(action, ref)
        if resolution.match_count == 0:
            return _not_executed_as_stale(action, proposal, error)
        judged = _judge(action, resolution)
        would_gate = judged.decision.would_gate
        decision = GateDecision(Decision.PROPOSE, tuple(proposal.reasons), would_gate)
        draft = _draft(action, ref, resolution, judged.confidence, decision)
    except DomainError:
        return _not_executed_as_stale(action, proposal, error)
    try:
        services.ask_again(action, proposal, draft, error)
    except services.ClaimLost:  # the run ended meanwhile
        _not_executed_as_stale(action, proposal, error)
    return None


def _not_executed_as_stale(action: Action, proposal: Proposal, error: PageChanged) -> None:
    _end_execution(action, proposal, Event.GO_STALE, error)


# --- sweeps -----------------------------------------------------------------------------
def sweep() -> None:
    """Everything that a killed process or a lost message left behind."""
    for action_id in services.lost_actions():
        services.recover(action_id)
    services.resend_unsent()
    services.carry_over_proposals()
    for run in services.runs_without_life():
        services.end_run(
            run,
            Run.Status.FAILED,
            actor=SYSTEM,
            error={"code": "browser_lost", "message": "The run's browser is gone."},
        )
    for run in services.stuck_starts():
        error = {"code": "browser_lost", "message": "The run's browser did not start in time."}
        services.end_run(run, Run.Status.FAILED, actor=SYSTEM, error=error)
    for run_id in services.ended_runs_with_a_browser():
        stop(run_id)
    for run in services.idle_runs():
        services.end_run(
            run,
            Run.Status.FINISHED,
            actor=SYSTEM,
            error={
                "code": "idle",
                "message": f"Nothing happened for {settings.RUN_IDLE_SECONDS} s.",
            },
        )
