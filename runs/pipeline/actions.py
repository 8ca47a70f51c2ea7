"""The worker's door to one action: claim it, carry it out by its kind, settle what went wrong."""

import logging
from uuid import UUID

from browser import calls
from browser.errors import BrowserError, BrowserLost, OutcomeUnknown
from browser.providers import BrowserRef
from confidence.domain.gate import ToolKind, kind_of
from core import metrics
from core.actors import SYSTEM
from core.errors import DomainError
from runs import services
from runs.models import Action, Run
from runs.pipeline.acting import act, act_without_target
from runs.pipeline.errors import GateFailed
from runs.pipeline.judging import NOT_JUDGED
from runs.pipeline.navigating import navigate
from runs.pipeline.protocol import speak
from runs.pipeline.reading import read

log = logging.getLogger(__name__)
# Nothing to see, or a page that does not answer would only hold the worker up once more.
NOT_SHOWN = frozenset({"sandbox_blocked", "invalid_selector", "timeout", "run_ended"})


def perform(action_id: UUID) -> None:
    """Carry out one queued action, or make it wait for a person."""
    action = services.claim_action(action_id)
    if action is None:
        return
    try:
        _carry_out(action)
    except BrowserLost as error:
        services.fail(action, services.meaning_of(error, action))
        services.end_run(action.run, Run.Status.FAILED, actor=SYSTEM, error=services.told(error))
    except services.ClaimLost:
        log.info("action %s was taken over or ended meanwhile", action.id)
    except DomainError as error:
        services.fail(action, error, picture=_picture_after(action, error))
    except Exception:
        log.exception("action %s failed inside", action.id)
        services.note_judgement(action, None, NOT_JUDGED)  # it may be what cannot be stored
        services.fail(action, _internal(action))


def _carry_out(action: Action) -> None:
    ref = BrowserRef.of(action.run.browser)
    match kind_of(action.tool, action.params):
        case ToolKind.READ:
            read(action, ref)
        case ToolKind.NAVIGATE:
            navigate(action, ref)
        case ToolKind.ACT_WITHOUT_TARGET:
            act_without_target(action, ref)
        case ToolKind.PROTOCOL:
            speak(action, ref)
        case _:
            act(action, ref)


def _internal(action: Action) -> DomainError:
    if _has_begun(action):
        return OutcomeUnknown("Pointsman failed while it acted: look at the page.")
    metrics.count_gate_failure(stage="resolve")
    return GateFailed("Pointsman failed before it acted. Nothing was done.")


def _has_begun(action: Action) -> bool:
    """Asked of the row: an act that could not be put on record was not begun."""
    return Action.objects.filter(pk=action.pk).exclude(acting_at=None).exists()


def _picture_after(action: Action, error: DomainError) -> str:
    """Failures are shown; when no picture can be had they are told without one."""
    if error.code in NOT_SHOWN:
        return ""
    try:
        return services.keep_shot(calls.shoot(BrowserRef.of(action.run.browser)))
    except BrowserError:
        log.info("no picture of the failed action %s could be taken", action.id)
        return ""
