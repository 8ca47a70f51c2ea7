"""The targets of an action become elements of its page."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from browser import calls
from browser.errors import NoMatch
from browser.providers import BrowserRef
from browser.resolver import Resolution
from confidence.domain import selector
from core import metrics
from runs.models import Action, Run
from runs.targets import Target, targets_of


def resolve(action: Action, ref: BrowserRef) -> list[Resolution]:
    """One resolution for each target, in order; those without a match included."""
    targets = targets_of(action.tool, action.params)
    resolutions = calls.resolve_all(
        ref,
        [target.sought for target in targets],
        timeout_s=settings.ACTION_TIMEOUT_S,
        refs=refs_of(action),
    )
    for target, resolution in zip(targets, resolutions, strict=True):
        if target.gets_enter:
            calls.note_set_off(ref, resolution)
    took_ms = sum(one.took_ms for one in resolutions)
    # What plain Playwright would have waited for too is not what our layer adds.
    waited_ms = sum(one.appeared_after_ms for one in resolutions)
    metrics.observe("resolve", took_ms / 1000)
    note_timings(action, resolve_ms=took_ms, added_ms=took_ms - waited_ms)
    return resolutions


def note_timings(action: Action, **timings: float) -> None:
    """In ms. `added_ms` is what our layer took in all: each part adds to it."""
    added = timings.pop("added_ms", 0.0)
    before = dict(action.timings or {})
    rounded = {name: round(value, 1) for name, value in timings.items()}
    action.timings = {
        **before,
        **rounded,
        "added_ms": round(before.get("added_ms", 0.0) + added, 1),
    }


def refs_of(action: Action) -> Mapping[str, Any]:
    """Where the refs of the run's latest snapshot are valid; nothing for other targets."""
    targets = targets_of(action.tool, action.params)
    if not any(selector.is_ref(target.words) for target in targets):
        return {}
    refs: Mapping[str, Any] = Run.objects.values_list("refs", flat=True).get(pk=action.run_id)
    return refs


def refuse_missing(targets: list[Target], resolutions: list[Resolution]) -> None:
    """Raises NoMatch for the first target that means nothing visible."""
    for target, resolution in zip(targets, resolutions, strict=True):
        if resolution.match_count == 0:
            raise no_match(target.words, name=target.name if len(targets) > 1 else "")


def no_match(target: str, *, name: str = "") -> NoMatch:
    of_field = f" ({name})" if name else ""
    return NoMatch(
        f"Nothing visible matches {target[:200]!r}{of_field} on this page: "
        "look at it with browser_snapshot."
    )
