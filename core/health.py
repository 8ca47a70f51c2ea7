"""Whether the parts Pointsman stands on answer: for load balancers and for the supervisor."""

import redis
from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from kombu.exceptions import OperationalError


def healthz(request: HttpRequest) -> JsonResponse:
    """The web process lives."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """200 only when the database, Redis and a worker answer."""
    parts = {"database": _database(), "redis": _redis(), "worker": _worker()}
    ready = all(state == "ok" for state in parts.values())
    return JsonResponse(
        {"status": "ready" if ready else "not ready", **parts}, status=200 if ready else 503
    )


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
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
