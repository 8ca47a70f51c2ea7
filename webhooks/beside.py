"""Slow work beside the worker's own: a hanging receiver or mail server holds up no action."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from django.db import connection

log = logging.getLogger(__name__)
SENDERS = 4  # in each worker process


def start(work: Callable[..., object], *args: Any) -> None:
    """Do it in a thread of this process, soon. What a dying process leaves, a sweep takes up."""
    _senders().submit(_do, work, *args)


def _do(work: Callable[..., object], *args: Any) -> None:
    try:
        work(*args)
    except Exception:  # a thread's edge: nobody waits for it
        log.exception("%s failed", work.__name__)
    finally:
        connection.close()


@cache
def _senders() -> ThreadPoolExecutor:
    """Made in the process that uses it: threads do not survive a fork."""
    return ThreadPoolExecutor(SENDERS, thread_name_prefix="webhooks")
