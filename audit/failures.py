"""How many entries could not be written, by day. Kept in Redis: the database is what failed."""

import logging
from datetime import date, timedelta

from redis import RedisError

from core import clock, metrics
from core.shared import shared_redis

log = logging.getLogger(__name__)
KEPT_S = 60 * 24 * 3600
PREFIX = "pointsman:audit_failures:"


def note() -> None:
    """Never raises: whoever calls is already telling of a worse failure."""
    metrics.count_audit_write_failure()
    key = _key(clock.now().date())
    try:
        with shared_redis().pipeline(transaction=True) as both:
            both.incr(key)
            both.expire(key, KEPT_S)
            both.execute()
    except RedisError as error:
        log.warning("a failed audit write was not counted: %s", error)


def by_day(days: int) -> dict[date, int]:
    today = clock.now().date()
    dates = [today - timedelta(days=back) for back in reversed(range(max(days, 1)))]
    try:
        counts = shared_redis().mget([_key(day) for day in dates])
    except RedisError as error:
        log.warning("the failed audit writes are not known: %s", error)
        return {}
    return {day: int(count or 0) for day, count in zip(dates, counts, strict=True)}


def _key(day: date) -> str:
    return f"{PREFIX}{day.isoformat()}"
