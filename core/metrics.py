"""Prometheus metrics of all processes together. No label can hold what a page or person chose.

Every process writes to files of its own below METRICS_DIR; a scrape adds them up. What a process
that ended had counted stays counted.
"""

import contextlib
import hmac
import ipaddress
import logging
import threading
from collections.abc import Container, Iterable, Iterator
from functools import cache
from typing import Literal

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

log = logging.getLogger(__name__)

Stage = Literal["resolve", "score", "gate", "tiebreak"]
Work = Literal["resolve", "score", "tiebreak", "act", "router_classifier"]

OTHER = "other"
FORWARDED = ("X_FORWARDED_FOR", "X_REAL_IP", "FORWARDED", "VIA")
LEVELS = frozenset({"high", "partial", "ambiguous", "none"})
TIERS = frozenset({"student", "intern", "supervised", "autonomous"})
DECISIONS = frozenset({"proceed", "propose"})
OUTCOMES = frozenset(
    {"picked", "undecided", "unavailable", "open", "timeout", "bad_answer", "error", "cached"}
)
TARGETS = frozenset({"local", "escalate"})
ROUTER_RULES = frozenset(
    {"explicit", "sticky", "state", "confirmation"}
    | {"hard_threshold", "soft_score", "classifier", "default"}
)
STAGES = frozenset({"resolve", "score", "gate", "tiebreak"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10)
SCORES = (-7, -4, -3, -2, 0, 1, 2, 4, 5, 6, 7)
FAST = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05)

# One without labels makes its file when it is made, so those are made at their first use only:
# a command that counts nothing leaves no file.
_actions = Counter(
    "pointsman_actions", "Actions judged.", ["tool", "level", "tier", "decision"], registry=None
)
_tiebreaks = Counter("pointsman_tiebreaks", "Tiebreaks by outcome.", ["outcome"], registry=None)
_gate_failures = Counter(
    "pointsman_gate_failures", "Failures before the act, by stage.", ["stage"], registry=None
)
_routed = Counter(
    "pointsman_router_decisions", "Prompts routed.", ["target", "rule"], registry=None
)
_making = threading.Lock()
_tools: set[str] = set()


def know_tools(names: Iterable[str]) -> None:
    """Only known tools get a label of their own."""
    _tools.update(names)


def count_action(*, tool: str, level: str, tier: str, decision: str) -> None:
    """`level` is "none" where the tool has no target."""
    with _never_raising():
        _actions.labels(
            tool=_one_of(_tools, tool),
            level=_one_of(LEVELS, level),
            tier=_one_of(TIERS, tier),
            decision=_one_of(DECISIONS, decision),
        ).inc()


def count_tiebreak(*, outcome: str) -> None:
    with _never_raising():
        _tiebreaks.labels(outcome=_one_of(OUTCOMES, outcome)).inc()


def count_gate_failure(*, stage: Stage) -> None:
    with _never_raising():
        _gate_failures.labels(stage=_one_of(STAGES, stage)).inc()


def count_audit_write_failure() -> None:
    with _never_raising():
        _audit_write_failures().inc()


def count_routed(*, target: str, rule: str, score: int | None) -> None:
    """`score` is None where the prompt was routed without one."""
    with _never_raising():
        _routed.labels(target=_one_of(TARGETS, target), rule=_one_of(ROUTER_RULES, rule)).inc()
        if score is not None:
            _router_scores().observe(score)


def observe(work: Work, seconds: float) -> None:
    with _never_raising():
        _seconds_of(work).observe(seconds)


def clear() -> None:
    """Forget all counts. Only while no process of the product runs: it maps the files."""
    for file in settings.METRICS_DIR.glob("*.db"):
        file.unlink(missing_ok=True)


@require_safe
def export(request: HttpRequest) -> HttpResponse:
    """GET /metrics: for this machine, and for whoever knows METRICS_TOKEN."""
    if not (_is_from_here(request) or _knows_the_token(request)):
        raise Http404
    with _never_raising():
        _audit_write_failures()  # an alert wants to see the zero
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_DIR))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _is_from_here(request: HttpRequest) -> bool:
    """A proxy on this machine speaks for others, and says so."""
    if any(f"HTTP_{name}" in request.META for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def _knows_the_token(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "").encode()
    wanted = f"Bearer {settings.METRICS_TOKEN}".encode()
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(given, wanted)


def _one_of(known: Container[str], name: str) -> str:
    return name if name in known else OTHER


@contextlib.contextmanager
def _never_raising() -> Iterator[None]:
    """No action fails for want of a count: the folder may be gone or the disk full."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        log.warning("something was not counted: %s", error)


def _audit_write_failures() -> Counter:
    with _making:
        return _made_counter("pointsman_audit_write_failures", "Audit entries not written.")


def _seconds_of(work: Work) -> Histogram:
    buckets = FAST if work == "score" else SECONDS
    with _making:
        return _made_histogram(f"pointsman_{work}_seconds", f"Seconds to {work}.", buckets)


def _router_scores() -> Histogram:
    with _making:
        return _made_histogram("pointsman_router_score", "Soft scores of prompts.", SCORES)


@cache
def _made_counter(name: str, about: str) -> Counter:
    return Counter(name, about, registry=None)


@cache
def _made_histogram(name: str, about: str, buckets: tuple[float, ...]) -> Histogram:
    return Histogram(name, about, buckets=buckets, registry=None)
