"""The rules in force: what an admin saved, over the file in ROUTER_RULES, over the product's own.
Each is read anew soon after it changes."""

import logging
import threading
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError

from routing.domain.rules import BadRules, Rules
from routing.models import RulesVersion
from routing.rules_file import extended_rules, parse, read

log = logging.getLogger(__name__)
LOOK_EVERY_S = 0.5

Stamp = tuple[int, int, int] | None


@dataclass(frozen=True)
class InForce:
    """`refusal` says why the file as it is now, or what was saved, was not taken; the rules before
    it stay. `version` is that of the saved text that holds; 0: none does."""

    rules: Rules
    path: str = ""
    stamp: Stamp = None
    refusal: str = ""
    version: int = 0


_lock = threading.Lock()
_in_force: InForce | None = None
_looked_at = 0.0
_saved: tuple[float, int, str] | None = None  # when it was read, its number, its text


def current() -> Rules:
    return in_force().rules


def in_force() -> InForce:
    """At most LOOK_EVERY_S old. Without a database what was known before holds."""
    number, text = _latest()
    return _over(file_in_force(), number, text) if text else file_in_force()


@lru_cache(maxsize=4)
def _over(below: InForce, number: int, text: str) -> InForce:
    try:
        return replace(below, rules=parse(text, base=below.rules), version=number, refusal="")
    except BadRules as error:  # an older release took it
        log.error("version %s of the router's rules: %s. It is not in force.", number, error)
        return replace(below, refusal=str(error))


def _latest() -> tuple[int, str]:
    global _saved
    known = _saved
    if known and time.monotonic() - known[0] < LOOK_EVERY_S:
        return known[1:]
    read_at = time.monotonic()
    try:
        number, text = RulesVersion.objects.values_list("number", "text").first() or (0, "")
    except DatabaseError as error:
        log.warning("the saved rules of the router cannot be read: %s", error)
        return known[1:] if known else (0, "")
    _saved = (read_at, number, text)
    return number, text


def forget() -> None:
    """This process reads what was saved anew at once."""
    global _saved
    _saved = None


def file_in_force() -> InForce:
    """What holds where nothing is saved; at most LOOK_EVERY_S old."""
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
