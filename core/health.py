"""Whether the parts Pointsman stands on answer: for load balancers and for the supervisor."""

from collections.abc import Callable

import redis
from celery import current_app
from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from kombu.exceptions import OperationalError

UNKNOWN = "unknown"
_details: dict[str, Callable[[], str]] = {}


def show(name: str, read: Callable[[], str]) -> None:
    """Let /readyz also say this; it is read only while the database and Redis answer."""
    _details[name] = read


def healthz(request: HttpRequest) -> JsonResponse:
    """The web process lives."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 only when the database, Redis and a worker answer."""
    parts = {"database": _database(), "redis": _redis(), "worker": _worker()}
    ready = all(state == "ok" for state in parts.values())
    can_tell = parts["database"] == parts["redis"] == "ok"
    details = {name: _told(read) if can_tell else UNKNOWN for name, read in _details.items()}
    return JsonResponse(
        {"status": "ready" if ready else "not ready", **parts, **details},
        status=200 if ready else 503,
    )


def _told(read: Callable[[], str]) -> str:
    try:
        return read()
    except (Error, redis.RedisError):
        return UNKNOWN


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as error:
        return f"does not answer: {type(error).__name__}"
    return "ok"


def _redis() -> str:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2) as client:
            client.ping()
    except redis.RedisError as error:
        return f"does not answer: {type(error).__name__}"
    return "ok"


def _worker() -> str:
    try:
        answers = current_app.control.ping(timeout=1.0, limit=1)
    except (OSError, OperationalError) as error:
        return f"cannot be asked: {type(error).__name__}"
    return "ok" if answers else "no worker answers"
