"""Everything that a killed process or a lost message left behind."""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings

from core.actors import SYSTEM
from runs import services
from runs.models import Run
from runs.pipeline.life import stop

log = logging.getLogger(__name__)


def sweep() -> None:
    """What is wrong with one run holds up no other."""
    _each("recover", services.lost_actions, services.recover)
    _attempt("resend", services.resend_unsent)
    _attempt("carry over", services.carry_over_proposals)
    _each("end", services.runs_without_life, _fail_lost)
    _each("end", services.stuck_starts, _fail_stuck)
    _each("stop", services.ended_runs_with_a_browser, stop)
    _each("end", services.idle_runs, _finish_idle)


def _each(
    what: str, find: Callable[[], Iterable[Run | UUID]], mend: Callable[[Any], object]
) -> None:
    for one in _attempt(what, find) or ():
        _attempt(what, partial(mend, one))


def _attempt(what: str, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Exception:
        log.exception("a sweep failed to %s; it is tried again", what)
        return None


def _fail_lost(run: Run) -> None:
    _fail(run, "The run's browser is gone.")


def _fail_stuck(run: Run) -> None:
    _fail(run, "The run's browser did not start in time.")


def _finish_idle(run: Run) -> None:
    message = f"Nothing happened for {settings.RUN_IDLE_SECONDS} s."
    error = {"code": "idle", "message": message}
    services.end_run(run, Run.Status.FINISHED, actor=SYSTEM, error=error)


def _fail(run: Run, message: str) -> None:
    error = {"code": "browser_lost", "message": message}
    services.end_run(run, Run.Status.FAILED, actor=SYSTEM, error=error)
