"""Messages to the workers: ids only. A lost one is sent again by the sweep, so none may raise."""

import logging
from uuid import UUID

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def send_answer(turn_id: UUID) -> None:
    try:
        current_app.send_task("routing.answer", args=[str(turn_id)], retry=False)
    except (OperationalError, OSError) as error:
        log.warning("turn %s waits for the sweep: %s", turn_id, error)
