"""A run gets its browser, and loses it."""

import logging
import time
from uuid import UUID

from django.conf import settings

from browser import calls, providers
from browser.providers import BrowserRef
from confirmations import backend
from confirmations.domain.verifying import verifiers_of
from core.actors import SYSTEM
from core.errors import DomainError
from runs import files, services
from runs.models import Run
from runs.pipeline.navigating import refuse_navigation
from runs.tools import Call, read_call
from runs.verifying import verification_of

log = logging.getLogger(__name__)


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
            refuse_navigation(run, run.start_url)
            calls.navigate(ref, _first_address(run), timeout_s=settings.NAVIGATION_TIMEOUT_S)
        services.open_run(run, calls.where(ref), first=_first_call(run))
    except DomainError as error:
        services.end_run(run, Run.Status.FAILED, actor=SYSTEM, error=services.told(error))
    except Exception:
        log.exception("run %s did not start", run.id)
        told = {"code": "internal", "message": "Pointsman failed to start this run's browser."}
        services.end_run(run, Run.Status.FAILED, actor=SYSTEM, error=told)


def _first_address(run: Run) -> str:
    """Where the task is about the shop, its browser enters a world of its own first."""
    is_about_shop = "setup" in run.task or verifiers_of(run.task)
    if not (is_about_shop and backend.is_of(run.start_url)):
        return run.start_url
    setup = run.task.get("setup") or {}
    return backend.prepare(str(run.id), setup, start_url=run.start_url)


def _first_call(run: Run) -> Call | None:
    """A tier that navigates by proposal only: its start page is the run's first action."""
    if not run.start_url or not services.proposes_navigation(run):
        return None
    return read_call("browser_navigate", {"url": _first_address(run)})


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
    files.clear(run_id)
    if run.browser:
        ref = BrowserRef.of(run.browser)
        calls.forget(ref)
        providers.stop(ref)
        services.browser_ended(run_id)
    _verify(run_id)


def _verify(run_id: UUID) -> None:
    """Nothing of the run can change the shop any more; if that does not answer now, whoever asks
    later asks it then."""
    run = Run.objects.get(pk=run_id)
    if verifiers_of(run.task):
        try:
            verification_of(run)
        except DomainError as error:
            log.warning("run %s could not be verified yet: %s", run_id, error.message)
