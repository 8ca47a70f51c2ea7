"""Everything that a killed process or a lost message left behind."""

from django.conf import settings

from core.actors import SYSTEM
from runs import services
from runs.models import Run
from runs.pipeline.life import stop


def sweep() -> None:
    for action_id in services.lost_actions():
        services.recover(action_id)
    services.resend_unsent()
    services.carry_over_proposals()
    for run in services.runs_without_life():
        _fail(run, "The run's browser is gone.")
    for run in services.stuck_starts():
        _fail(run, "The run's browser did not start in time.")
    for run_id in services.ended_runs_with_a_browser():
        stop(run_id)
    for run in services.idle_runs():
        message = f"Nothing happened for {settings.RUN_IDLE_SECONDS} s."
        error = {"code": "idle", "message": message}
        services.end_run(run, Run.Status.FINISHED, actor=SYSTEM, error=error)


def _fail(run: Run, message: str) -> None:
    error = {"code": "browser_lost", "message": message}
    services.end_run(run, Run.Status.FAILED, actor=SYSTEM, error=error)
