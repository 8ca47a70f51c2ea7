"""The rules in force: those of the file in ROUTER_RULES, read anew soon after it changes."""

import logging
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from routing.domain.rules import BadRules, Rules
from routing.rules_file import extended_rules, read

log = logging.getLogger(__name__)
LOOK_EVERY_S = 0.5

Stamp = tuple[int, int, int] | None


@dataclass(frozen=True)
class InForce:
    """`refusal` says why the file as it is now was not taken; the rules before it stay."""

    rules: Rules
    path: str = ""
    stamp: Stamp = None
    refusal: str = ""


_lock = threading.Lock()
_in_force: InForce | None = None
_looked_at = 0.0


def current() -> Rules:
    return in_force().rules


def in_force() -> InForce:
    """At most LOOK_EVERY_S old. Never raises."""
    global _in_force, _looked_at
    now = time.monotonic()
    known = _in_force
    if known and known.path == settings.ROUTER_RULES and now - _looked_at < LOOK_EVERY_S:
        return known
    with _lock:
        _in_force = _looked(_in_force, settings.ROUTER_RULES)
        _looked_at = now
        return _in_force


def check_file() -> None:
    """Raises BadRules: a start with a bad file is refused, as there are no rules before it."""
    if settings.ROUTER_RULES:
        read(Path(settings.ROUTER_RULES), base=extended_rules())


def _looked(known: InForce | None, path: str) -> InForce:
    if not path:
        return InForce(extended_rules())
    stamp = _stamp(Path(path))
    if known and (known.path, known.stamp) == (path, stamp):
        return known
    try:
        return InForce(read(Path(path), base=extended_rules()), path, stamp)
    except BadRules as error:
        log.error("ROUTER_RULES: %s: %s. The rules before it stay in force.", path, error)
        return InForce(known.rules if known else extended_rules(), path, stamp, str(error))


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
