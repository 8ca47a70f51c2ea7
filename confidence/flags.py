"""The flags of match confidence, read live: a change reaches every process within a second."""

import logging
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from audit.services import record
from confidence.domain.confidence import DEFAULT_THRESHOLDS, Thresholds
from confidence.domain.gate import ALL_TIERS
from confidence.domain.levels import BadThreshold
from confidence.models import FlagOverride
from confidence.signals import flags_changed
from core import clock
from core.actors import SYSTEM, Actor
from core.errors import Conflict, Invalid
from core.words import phrase

log = logging.getLogger(__name__)
FRESH_S = 0.4
LONGEST_BUDGET_S = 10
CONFIRMATION_MODES = ("latch", "block", "ask")


@dataclass(frozen=True)
class Flags:
    """One consistent reading of all flags."""

    enabled: bool = True
    locator_api: bool = True
    force_proposal: bool = False
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    gated_tiers: frozenset[str] = frozenset(ALL_TIERS)
    tiebreaker_enabled: bool = True
    tiebreaker_timeout_s: float = 2.0
    tiebreaker_cache: bool = True
    two_people: bool = False
    confirmation_mode: str = "latch"
    confirm_unknown_sites: bool = False

    @property
    def layer_is_on(self) -> bool:
        return self.enabled and self.locator_api

    @property
    def mode(self) -> str:
        """OFF, SHADOW or GATING, as the pages say it."""
        if not self.layer_is_on:
            return "OFF"
        return "GATING" if self.force_proposal else "SHADOW"


def _boolean(value: Any) -> bool:
    text = str(value).strip().lower()
    if text in {"true", "1", "yes", "on"}:
        return True
    if text in {"false", "0", "no", "off"}:
        return False
    raise Invalid(phrase("It must be true or false."))


def _threshold(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Invalid(phrase("It must be a number between 0 and 1.")) from None


def _budget_s(value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = math.nan
    if not 0 < seconds <= LONGEST_BUDGET_S:
        said = phrase("It must be a number above 0 and at most {most}.", most=LONGEST_BUDGET_S)
        raise Invalid(said)
    return seconds


def _tiers(value: Any) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else list(value)
    tiers = [str(part).strip() for part in parts if str(part).strip()]
    unknown = sorted(set(tiers) - set(ALL_TIERS))
    if unknown:
        raise Invalid(phrase("Unknown tier: {names}.", names=", ".join(unknown)))
    return tiers


def _confirmation_mode(value: Any) -> str:
    mode = str(value).strip().lower()
    if mode not in CONFIRMATION_MODES:
        raise Invalid(phrase("It must be latch, block or ask."))
    return mode


@dataclass(frozen=True)
class Definition:
    """How one flag is read, and what it is when nobody says anything."""

    read: Callable[[Any], Any]
    default: Any
    about: str
    choices: tuple[str, ...] = ()


DEFINITIONS = {
    "SELECTOR_CONFIDENCE_ENABLED": Definition(_boolean, True, phrase("score targets at all")),
    "BROWSER_LOCATOR_API_ENABLED": Definition(
        _boolean, True, phrase("resolve through our own resolver")
    ),
    "MATCH_CONFIDENCE_FORCE_PROPOSAL": Definition(
        _boolean, False, phrase("send uncertain actions to a person; false is shadow mode")
    ),
    "MATCH_CONFIDENCE_HIGH_THRESHOLD": Definition(
        _threshold, 0.85, phrase("a score from here is high")
    ),
    "MATCH_CONFIDENCE_PARTIAL_THRESHOLD": Definition(
        _threshold, 0.50, phrase("a score from here is partial, below it ambiguous")
    ),
    "MATCH_CONFIDENCE_GATED_TIERS": Definition(
        _tiers, list(ALL_TIERS), phrase("tiers whose uncertain actions are gated")
    ),
    "SELECTOR_CONFIDENCE_LLM_TIEBREAKER_ENABLED": Definition(
        _boolean, True, phrase("ask the tiebreaker about partial matches")
    ),
    "SELECTOR_CONFIDENCE_LLM_TIMEOUT_SECONDS": Definition(
        _budget_s, 2.0, phrase("the tiebreaker's whole budget for one answer")
    ),
    "SELECTOR_CONFIDENCE_LLM_CACHE_ENABLED": Definition(
        _boolean, True, phrase("use the tiebreaker's answer again for ten minutes")
    ),
    "IRREVERSIBLE_NEEDS_TWO_PEOPLE": Definition(
        _boolean, False, phrase("what cannot be undone takes two different reviewers")
    ),
    "CONFIRMATION_MODE": Definition(
        _confirmation_mode,
        "latch",
        phrase(
            "an irreversible act that was not asked about: latch marks it, block refuses it, "
            "ask refuses it until a person said yes"
        ),
        CONFIRMATION_MODES,
    ),
    "CONFIRM_UNKNOWN_SITES": Definition(
        _boolean,
        False,
        phrase("on sites without a profile too: what looks irreversible must be asked about"),
    ),
}

_lock = threading.Lock()
_reading: tuple[float, Flags] | None = None


def current() -> Flags:
    """The flags as they are now; at most 0.4 s old. Raises when the database is gone."""
    global _reading
    reading = _reading
    if reading and time.monotonic() - reading[0] < FRESH_S:
        return reading[1]
    read_at = time.monotonic()
    flags = _usable(values())
    with _lock:
        _reading = (read_at, flags)
    return flags


def values() -> dict[str, Any]:
    """Every flag by name: the admin's override, else the environment, else the default."""
    overrides = dict(FlagOverride.objects.values_list("name", "value"))
    return {name: overrides.get(name, default_of(name)) for name in DEFINITIONS}


def default_of(name: str) -> Any:
    """The environment's value or the built-in one. A bad value is refused by name."""
    definition = DEFINITIONS[name]
    given = os.environ.get(name, "").strip()
    if not given:
        return definition.default
    try:
        return definition.read(given)
    except Invalid as error:
        raise Invalid(f"{name}={given!r} in the environment: {error.message}") from None


def _flags_from(read: dict[str, Any]) -> Flags:
    return Flags(
        enabled=read["SELECTOR_CONFIDENCE_ENABLED"],
        locator_api=read["BROWSER_LOCATOR_API_ENABLED"],
        force_proposal=read["MATCH_CONFIDENCE_FORCE_PROPOSAL"],
        thresholds=Thresholds(
            high=read["MATCH_CONFIDENCE_HIGH_THRESHOLD"],
            partial=read["MATCH_CONFIDENCE_PARTIAL_THRESHOLD"],
        ),
        gated_tiers=frozenset(read["MATCH_CONFIDENCE_GATED_TIERS"]),
        tiebreaker_enabled=read["SELECTOR_CONFIDENCE_LLM_TIEBREAKER_ENABLED"],
        tiebreaker_timeout_s=read["SELECTOR_CONFIDENCE_LLM_TIMEOUT_SECONDS"],
        tiebreaker_cache=read["SELECTOR_CONFIDENCE_LLM_CACHE_ENABLED"],
        two_people=read["IRREVERSIBLE_NEEDS_TWO_PEOPLE"],
        confirmation_mode=read["CONFIRMATION_MODE"],
        confirm_unknown_sites=read["CONFIRM_UNKNOWN_SITES"],
    )


def _usable(read: dict[str, Any]) -> Flags:
    """An environment may contradict a stored threshold: then the built-in ones hold."""
    try:
        return _flags_from(read)
    except BadThreshold as error:
        log.error("%s; the built-in thresholds are used", error)
        names = ("MATCH_CONFIDENCE_HIGH_THRESHOLD", "MATCH_CONFIDENCE_PARTIAL_THRESHOLD")
        return _flags_from({**read, **{name: DEFINITIONS[name].default for name in names}})


def check_environment() -> None:
    """At start: refuse a bad default by name. Raises Invalid."""
    _checked({name: default_of(name) for name in DEFINITIONS})


def _checked(read: dict[str, Any]) -> Flags:
    try:
        return _flags_from(read)
    except BadThreshold as error:
        raise Invalid(str(error)) from error


@transaction.atomic
def set_flag(name: str, value: Any, *, actor: Actor = SYSTEM) -> Any:
    """Override one flag; versioned and audited. Raises Invalid, and Conflict when locked."""
    if settings.LOCK_FLAGS:
        raise Conflict(phrase("The flags are locked by POINTSMAN_LOCK_FLAGS."))
    if name not in DEFINITIONS:
        raise Invalid(f"There is no flag {name!r}: use one of {', '.join(DEFINITIONS)}.")
    try:
        wanted = DEFINITIONS[name].read(value)
    except Invalid as error:
        raise Invalid(phrase("{name}: {problem}", name=name, problem=error.message)) from None
    with connection.cursor() as cursor:  # thresholds are judged together, so one change at a time
        cursor.execute("LOCK TABLE confidence_flagoverride IN SHARE ROW EXCLUSIVE MODE")
    before = values()
    _checked({**before, name: wanted})
    changes = {"value": wanted, "set_by_id": _person_id(actor), "set_at": clock.now()}
    changed = FlagOverride.objects.filter(name=name).update(version=F("version") + 1, **changes)
    if not changed:
        FlagOverride.objects.create(name=name, **changes)
    record("flags.set", actor=actor, payload={"flag": name, "from": before[name], "to": wanted})
    _tell(name)
    return wanted


def _person_id(actor: Actor) -> int | None:
    return int(actor.id) if actor.kind == "person" else None


def _tell(name: str) -> None:
    """This process reads anew at once, and the rooms above hear of it."""
    transaction.on_commit(_forget)
    transaction.on_commit(partial(flags_changed.send_robust, sender=FlagOverride, name=name))


def _forget() -> None:
    global _reading
    _reading = None


@transaction.atomic
def reset_flag(name: str, *, actor: Actor = SYSTEM) -> Any:
    """Take an override back, so that the environment's value or the built-in one holds; audited.

    Raises Invalid where that does not fit the other flags, and Conflict when locked."""
    if settings.LOCK_FLAGS:
        raise Conflict(phrase("The flags are locked by POINTSMAN_LOCK_FLAGS."))
    if name not in DEFINITIONS:
        raise Invalid(f"There is no flag {name!r}: use one of {', '.join(DEFINITIONS)}.")
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE confidence_flagoverride IN SHARE ROW EXCLUSIVE MODE")
    before, default = values(), default_of(name)
    _checked({**before, name: default})
    if FlagOverride.objects.filter(name=name).delete()[0]:
        payload = {"flag": name, "from": before[name], "to": default}
        record("flags.reset", actor=actor, payload=payload)
        _tell(name)
    return default
