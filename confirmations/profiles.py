"""Which profile a page belongs to, read live: a change reaches every process within a second."""

import threading
import time
from functools import lru_cache

from confirmations import models
from confirmations.domain.profile import Profile, read_profile
from core import placed_yaml
from core.errors import Unavailable
from core.placed import Misplaced

FRESH_S = 0.4
LARGEST = 64 * 1024  # bytes of one text

_lock = threading.Lock()
_reading: tuple[float, tuple[Profile, ...]] | None = None


class UnreadableProfile(Unavailable):
    """A profile in force cannot be read, so nobody can say what it would have guarded."""

    code = "unreadable_profile"


def attached(url: str) -> Profile | None:
    """The active profile whose site fits the address most closely; at most 0.4 s old.

    Raises when the database is gone, and UnreadableProfile: to answer None then would let go
    unjudged what a profile guards."""
    attaching = [profile for profile in current() if profile.attaches(url)]
    return max(attaching, key=lambda profile: profile.specificity(url), default=None)


def current() -> tuple[Profile, ...]:
    """Every active profile by name."""
    global _reading
    reading = _reading
    if reading and time.monotonic() - reading[0] < FRESH_S:
        return reading[1]
    read_at = time.monotonic()
    active = models.Profile.objects.filter(is_active=True).order_by("name")
    profiles = tuple(_in_force(*kept) for kept in active.values_list("name", "text"))
    with _lock:
        _reading = (read_at, profiles)
    return profiles


def forget() -> None:
    """This process reads anew at once."""
    global _reading
    _reading = None


def read(text: str) -> Profile:
    """Raises Misplaced, which names the line and the key."""
    return read_profile(placed_yaml.read(text, largest=LARGEST))


def _in_force(name: str, text: str) -> Profile:
    try:
        return _read_once(text)
    except Misplaced as error:
        raise UnreadableProfile(f"The active profile {name} cannot be read: {error}") from error


_read_once = lru_cache(maxsize=256)(read)
