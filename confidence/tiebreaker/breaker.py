"""The breaker: one for all processes, over Redis. Every function may raise RedisError."""

import secrets
from dataclasses import dataclass
from typing import Literal

from core.shared import shared_redis

FAILURES_LIMIT = 5
OPEN_S = 120
PROBE_S = 30  # longer than any call: only a probe whose process died lets another one try

State = Literal["closed", "open", "half_open"]

PREFIX = "pointsman:tiebreaker:"
FAILURES = f"{PREFIX}failures"
OPENING = f"{PREFIX}opening"  # names the latest opening until a probe succeeds
OPEN = f"{PREFIX}open"  # there while nobody may even probe
PROBE = f"{PREFIX}probe:"


@dataclass(frozen=True)
class Permit:
    """Leave to make one call; `opening` is the one that it probes, empty while closed."""

    opening: str = ""


def state() -> State:
    opening, is_open = shared_redis().mget(OPENING, OPEN)
    if is_open:
        return "open"
    return "half_open" if opening else "closed"


def enter() -> Permit | None:
    """None while open. In half-open exactly one caller gets a permit."""
    opening, is_open = shared_redis().mget(OPENING, OPEN)
    if is_open:
        return None
    if not opening:
        return Permit()
    name = str(opening)
    # The guard is named after the opening: who read it before the probe failed comes too late.
    return Permit(name) if shared_redis().set(PROBE + name, 1, nx=True, ex=PROBE_S) else None


def succeed(permit: Permit) -> None:
    """A probe closes the breaker; a call from before it opened only ends a row of failures."""
    shared_redis().delete(FAILURES, *([OPENING, OPEN] if permit.opening else []))


def fail(permit: Permit) -> None:
    failures = shared_redis().incr(FAILURES)
    if permit.opening or failures >= FAILURES_LIMIT:
        _open()


def give_back(permit: Permit) -> None:
    """The call was never made, so it says nothing; somebody else may probe."""
    if permit.opening:
        shared_redis().delete(PROBE + permit.opening)


def _open() -> None:
    with shared_redis().pipeline(transaction=True) as both:
        both.set(OPENING, secrets.token_hex(8))
        both.set(OPEN, 1, ex=OPEN_S)
        both.execute()
