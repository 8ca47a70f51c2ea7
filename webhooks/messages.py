"""Messages to the workers: ids only. A lost one is sent again by a sweep, so none may raise."""

import logging
from uuid import UUID

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def send_deliver(endpoint_id: UUID) -> None:
    try:
        current_app.send_task("webhooks.deliver", args=[str(endpoint_id)], retry=False)
    except (OperationalError, OSError) as error:
        log.warning("deliveries to %s wait for the sweep: %s", endpoint_id, error)
