"""Whether the tiebreaker is set up well, and what its breaker says."""

import math

from django.conf import settings

from core.chat import endpoint
from core.chat.breaker import Breaker
from core.errors import Invalid

NAME = "TIEBREAKER"
breaker = Breaker("tiebreaker")


def breaker_state() -> str:
    """closed, open, half_open; unknown without Redis. Never raises."""
    return breaker.told()


def check_settings() -> None:
    """At start: refuse a bad setting by name. Raises Invalid."""
    endpoint.check_settings(NAME)
    for name in ("TIEBREAKER_PRICE_IN", "TIEBREAKER_PRICE_OUT"):
        price = getattr(settings, name)
        if not (math.isfinite(price) and price >= 0):
            raise Invalid(f"{name} must be 0 or more, in USD per million tokens.")
