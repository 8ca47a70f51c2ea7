"""Doing what a person approved: once, on those very elements of that very page."""

import logging
from uuid import UUID

from django.conf import settings

from browser import calls
from browser.acting import Done
from browser.calls import Approved
from browser.errors import BrowserError, BrowserLost, Detached, OutcomeUnknown, PageChanged
from browser.providers import BrowserRef
from confidence.domain import confidence as scoring
from confidence.domain.gate import Decision, GateDecision, ToolKind, kind_of
from core.errors import Conflict, DomainError
from proposals.domain import Event
from proposals.models import Proposal
from runs import services
from runs.models import Action
from runs.pipeline.acting import do_without_target, with_secrets
from runs.pipeline.asking import draft
from runs.pipeline.confirming import forbidden_for, irreversible_presses
from runs.pipeline.expecting import expected_of
from runs.pipeline.judging import Judgement, judge
from runs.pipeline.navigating import go
from runs.pipeline.protocol import said_yes
from runs.pipeline.resolving import refuse_missing, resolve
from runs.targets import targets_of

log = logging.getLogger(__name__)


def execute(proposal_id: UUID) -> None:
    claimed = services.claim_execution(proposal_id)
    if claimed is None:
        return
    proposal, action = claimed
    try:
        ref = BrowserRef.of(action.run.browser)
        done = expected_of(action, ref, _do_approved(action, proposal, ref))
    except (PageChanged, Detached) as error:
        _gone_stale(action, proposal, PageChanged(error.message))
    except BrowserLost as error:
        _not_executed(action, proposal, services.meaning_of(error, action))
    except DomainError as error:
        _not_executed(action, proposal, error)
    except Exception:
        log.exception("the execution of proposal %s failed inside", proposal.id)
        unknown = OutcomeUnknown("Pointsman failed while it acted: look at the page.")
        _not_executed(action, proposal, unknown)
    else:
        _finish_executed(action, proposal, done)


def _do_approved(action: Action, proposal: Proposal, ref: BrowserRef) -> Done:
    kind = kind_of(action.tool, action.params)
    if kind is not ToolKind.ACT and not action.params.get("url"):
        _refuse_another_page(proposal, ref)
    match kind:
        case ToolKind.NAVIGATE:
            return go(action, ref)
        case ToolKind.ACT_WITHOUT_TARGET:
            return do_without_target(action, ref)
        case ToolKind.PROTOCOL:
            return said_yes(ref)
    return calls.act_on_approved(
        ref,
        action.tool,
        with_secrets(action, sealed_changes=proposal.sealed_changes),
        approved=_approved(proposal),
        page_url=proposal.page_url,
        timeout_s=settings.ACTION_TIMEOUT_S,
        # A card that warned of nothing approves nothing that cannot be taken back.
        forbidden_for=None if proposal.is_irreversible else forbidden_for(action),
    )


def _refuse_another_page(proposal: Proposal, ref: BrowserRef) -> None:
    """Going back, tabs, dialogs and files mean something on the page that was shown only."""
    if calls.where(ref).url != proposal.page_url:
        raise PageChanged("The page was left since it was shown.")


def _approved(proposal: Proposal) -> list[Approved]:
    """For each target the candidate that was decided on."""
    held = proposal.fields or [proposal.match_confidence]
    confidences = [scoring.parse_match_confidence(one) for one in held]
    return [
        Approved(anchors[index], confidence.candidates[index])
        for anchors, confidence, index in zip(
            proposal.anchors, confidences, proposal.approved_picks, strict=True
        )
    ]


def _finish_executed(action: Action, proposal: Proposal, done: Done) -> None:
    is_question = kind_of(action.tool) is ToolKind.PROTOCOL
    keep = services.confirm_approved if is_question else services.executed
    try:
        keep(action, proposal, done)
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
    """Nothing was clicked. If the targets still mean something, a person is asked again."""
    try:
        ref = BrowserRef.of(action.run.browser)
        targets = targets_of(action.tool, action.params)
        if not targets:
            return _not_executed_as_stale(action, proposal, error)
        resolutions = resolve(action, ref)
        refuse_missing(targets, resolutions)
        params = with_secrets(action)
        acts = irreversible_presses(action, ref, targets, resolutions, params=params)
        judged = judge(action, ref, targets, resolutions, listed=acts)
        reasons = tuple(proposal.reasons)
        again = GateDecision(Decision.PROPOSE, reasons, judged.decision.would_gate)
        judgement = Judgement(judged.confidences, again, is_listed=judged.is_listed)
        fresh = draft(action, ref, targets, resolutions, judgement)
    except BrowserLost as lost:  # a page that dies under the look seems to have been left
        meaning = services.meaning_of(lost, action)
        if meaning is lost:
            return _not_executed_as_stale(action, proposal, error)
        return _not_executed(action, proposal, meaning)
    except DomainError:
        return _not_executed_as_stale(action, proposal, error)
    try:
        services.ask_again(action, proposal, fresh, error)
    except services.ClaimLost:  # the run ended meanwhile
        _not_executed_as_stale(action, proposal, error)
    return None


def _not_executed_as_stale(action: Action, proposal: Proposal, error: PageChanged) -> None:
    _end_execution(action, proposal, Event.GO_STALE, error)
