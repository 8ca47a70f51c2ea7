"""Slow work beside the worker's own: a hanging receiver or model holds up no action."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

from django.db import connection

log = logging.getLogger(__name__)


class Beside:
    """A few threads in each worker process, `name`d in its logs."""

    def __init__(self, name: str, *, threads: int) -> None:
        self.name = name
        self.threads = threads

    def start(self, work: Callable[..., object], *args: Any) -> None:
        """Do it soon, in this process. What a dying process leaves, a sweep takes up."""
        self.executor.submit(_do, work, *args)

    @cached_property
    def executor(self) -> ThreadPoolExecutor:
        """Made in the process that uses it: threads do not survive a fork."""
        return ThreadPoolExecutor(self.threads, thread_name_prefix=self.name)


def _do(work: Callable[..., object], *args: Any) -> None:
    try:
        work(*args)
    except Exception:  # a thread's edge: nobody waits for it
        log.exception("%s failed", work.__name__)
    finally:
        connection.close()
