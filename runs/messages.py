"""Messages to the workers: ids only. A lost one is sent again by a sweep, so none may raise."""

import logging
from uuid import UUID

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def send_start(run_id: UUID) -> None:
    _send("runs.start", run_id)


def send_stop(run_id: UUID) -> None:
    _send("runs.stop", run_id)


def send_action(action_id: UUID) -> None:
    _send("runs.perform", action_id)


def send_execution(proposal_id: UUID) -> None:
    _send("runs.execute", proposal_id)


def send_preview(preview_id: UUID) -> None:
    _send("runs.preview", preview_id)


def send_full_picture(full_picture_id: UUID) -> None:
    _send("runs.full_picture", full_picture_id)


def send_profile_trial(trial_id: UUID) -> None:
    _send("runs.try_profile", trial_id)


def _send(task: str, subject: UUID) -> None:
    try:
        current_app.send_task(task, args=[str(subject)], retry=False)
    except (OperationalError, OSError) as error:
        log.warning("%s of %s was not sent, a sweep sends it again: %s", task, subject, error)
