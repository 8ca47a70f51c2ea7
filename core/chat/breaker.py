"""A breaker: one for all processes, over Redis."""

import secrets
from dataclasses import dataclass
from typing import Literal

from redis import RedisError

from core.shared import shared_redis

FAILURES_LIMIT = 5
OPEN_S = 120
PROBE_S = 30  # longer than any call: only a probe whose process died lets another one try

State = Literal["closed", "open", "half_open"]


@dataclass(frozen=True)
class Permit:
    """Leave to make one call; `opening` is the one that it probes, empty while closed."""

    opening: str = ""


class Breaker:
    """For one model, called `name` in Redis. Every method may raise RedisError, save `told`."""

    def __init__(self, name: str) -> None:
        self.prefix = f"pointsman:{name}:"
        self.failures_key = f"{self.prefix}failures"
        self.opening_key = f"{self.prefix}opening"  # names the latest until a probe succeeds
        self.open_key = f"{self.prefix}open"  # there while nobody may even probe
        self.probe_key = f"{self.prefix}probe:"

    def told(self) -> State | Literal["unknown"]:
        """The state for people to read; unknown without Redis."""
        try:
            return self.state()
        except RedisError:
            return "unknown"

    def state(self) -> State:
        opening, is_open = shared_redis().mget(self.opening_key, self.open_key)
        if is_open:
            return "open"
        return "half_open" if opening else "closed"

    def enter(self) -> Permit | None:
        """None while open. In half-open exactly one caller gets a permit."""
        opening, is_open = shared_redis().mget(self.opening_key, self.open_key)
        if is_open:
            return None
        if not opening:
            return Permit()
        # The guard is named after the opening: who read it before the probe failed comes too late.
        guard = self.probe_key + str(opening)
        return Permit(str(opening)) if shared_redis().set(guard, 1, nx=True, ex=PROBE_S) else None

    def succeed(self, permit: Permit) -> None:
        """A probe closes the breaker; a call from before it opened only ends a row of failures."""
        ended = [self.opening_key, self.open_key] if permit.opening else []
        shared_redis().delete(self.failures_key, *ended)

    def fail(self, permit: Permit) -> None:
        failures = shared_redis().incr(self.failures_key)
        if permit.opening or failures >= FAILURES_LIMIT:
            self._open()

    def give_back(self, permit: Permit) -> None:
        """The call was never made, so it says nothing; somebody else may probe."""
        if permit.opening:
            shared_redis().delete(self.probe_key + permit.opening)

    def _open(self) -> None:
        with shared_redis().pipeline(transaction=True) as both:
            both.set(self.opening_key, secrets.token_hex(8))
            both.set(self.open_key, 1, ex=OPEN_S)
            both.execute()
