"""Small facts that all processes share over Redis and may lose: breaker, picks, failure counts."""

from functools import cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

PATIENCE_S = 0.5


@cache
def shared_redis() -> redis.Redis:
    """Connects at first use, gives up soon and tries once: nothing here is worth waiting for."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_timeout=PATIENCE_S,
        socket_connect_timeout=PATIENCE_S,
        retry=Retry(NoBackoff(), 0),
    )
