"""Whether the tiebreaker is set up well, and what its breaker says."""

import math

import httpx
from django.conf import settings
from redis import RedisError

from confidence.tiebreaker import breaker
from core.errors import Invalid


def breaker_state() -> str:
    """closed, open, half_open; unknown without Redis. Never raises."""
    try:
        return breaker.state()
    except RedisError:
        return "unknown"


def check_settings() -> None:
    """At start: refuse a bad setting by name. Raises Invalid."""
    if settings.TIEBREAKER_BASE_URL:
        _check_url(settings.TIEBREAKER_BASE_URL)
    if not settings.TIEBREAKER_API_KEY.isascii():
        raise Invalid("TIEBREAKER_API_KEY may hold ASCII characters only.")
    for name in ("TIEBREAKER_PRICE_IN", "TIEBREAKER_PRICE_OUT"):
        price = getattr(settings, name)
        if not (math.isfinite(price) and price >= 0):
            raise Invalid(f"{name} must be 0 or more, in USD per million tokens.")


def _check_url(given: str) -> None:
    """The value itself is not repeated: it may hold a password."""
    try:
        url = httpx.URL(given)
    except httpx.InvalidURL as error:
        raise Invalid(f"TIEBREAKER_BASE_URL is no address: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise Invalid("TIEBREAKER_BASE_URL must begin with http:// or https:// and a host.")
    if url.userinfo or url.query or url.fragment:
        raise Invalid("TIEBREAKER_BASE_URL takes no user, query or fragment: use _API_KEY.")
