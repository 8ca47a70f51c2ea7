"""Calls that wait for an answer: they sleep on Redis pub/sub, and look at the row when woken."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.response import Response

from core import http, live


@dataclass(frozen=True)
class Waits:
    """What a view wants to wait for before its answer is sent.

    `look` reads the rows and returns the status code, the body, and whether to wait on.
    """

    subject: UUID
    wait_s: float
    look: Callable[[], tuple[int, Any, bool]]


def waiting_view(view: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a DRF view: when its response `waits`, hold it until there is news or time is up.

    No thread and no database connection is held meanwhile.
    """

    @csrf_exempt  # DRF's own authentication enforces it for sessions
    @wraps(view)
    async def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = await sync_to_async(_released(view))(request, *args, **kwargs)
        waits: Waits | None = getattr(response, "waits", None)
        if waits is not None:
            response = await _told(waits, response)
        return response

    return wrapped


async def _told(waits: Waits, response: Response) -> Response:
    """The answer, or what went wrong while it was waited for, in the API's own form."""
    try:
        response.status_code, response.data = await answer(waits)
        return response
    except Exception as error:
        said = http.problem(error, {})
        for name in ("accepted_renderer", "accepted_media_type", "renderer_context"):
            setattr(said, name, getattr(response, name))
        return said


async def answer(waits: Waits) -> tuple[int, Any]:
    """The status and the body that `look` gave last. Looks once at the start and then at each news;
    without Redis, every half second."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + waits.wait_s
    look = sync_to_async(_released(waits.look))
    async with live.listening(waits.subject) as listener:
        while True:
            status, body, goes_on = await look()
            left = deadline - loop.time()
            if not goes_on or left <= 0:
                return status, body
            await listener.wait(left)


def _released(work: Callable[..., Any]) -> Callable[..., Any]:
    """Give the database connection back to the pool after each step."""

    @wraps(work)
    def released(*args: Any, **kwargs: Any) -> Any:
        try:
            return work(*args, **kwargs)
        finally:
            connection.close()

    return released
