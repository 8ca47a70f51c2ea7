"""From targets to the elements they mean; the elements stay held for the act."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from browser import pointing, resolver, setting_off
from browser.calls.jobs import SLACK_S, ask
from browser.pointing import Pointed
from browser.providers import BrowserRef
from browser.resolver import Resolution
from browser.sessions import Tab
from core.text import storable

Sought = str | Pointed  # a selector or ref, or what no selector names
LEAST_S = 0.5


def resolve(
    ref: BrowserRef, target: Sought, *, timeout_s: float, refs: Mapping[str, Any]
) -> Resolution:
    """Every element the target may mean, described."""
    return resolve_all(ref, [target], timeout_s=timeout_s, refs=refs)[0]


def resolve_all(
    ref: BrowserRef, targets: Sequence[Sought], *, timeout_s: float, refs: Mapping[str, Any]
) -> list[Resolution]:
    """The same for several, one after another; together they wait `timeout_s` for late ones."""
    for target in targets:
        if isinstance(target, str):
            resolver.check_selector(target)

    def job(tab: Tab) -> list[Resolution]:
        deadline = time.monotonic() + timeout_s
        return [_find(tab, target, deadline, dict(refs)) for target in targets]

    ask(ref, lambda _: None, timeout_s=SLACK_S + timeout_s)  # attaching takes its own time
    ask(ref, _answers, timeout_s=timeout_s)
    return ask(ref, job, timeout_s=timeout_s + len(targets) * LEAST_S + SLACK_S)


def note_set_off(ref: BrowserRef, resolution: Resolution) -> None:
    """For a call that presses Enter: what that would set off, by candidate."""
    started = time.monotonic()
    ask(ref, lambda _: setting_off.note_set_off(resolution), timeout_s=SLACK_S)
    resolution.took_ms += round((time.monotonic() - started) * 1000, 1)


def _find(tab: Tab, target: Sought, deadline: float, refs: dict[str, Any]) -> Resolution:
    left_s = max(deadline - time.monotonic(), LEAST_S)
    if isinstance(target, str):
        found = resolver.find(tab, target, timeout_s=left_s, refs=refs)
    else:
        found = pointing.find(tab, target, timeout_s=left_s)
    found.page_url = storable(tab.page.url)
    return found


def _answers(tab: Tab) -> None:
    """A page whose scripts never end answers nothing: found out here, before more is lost."""
    tab.cdp.send("Runtime.evaluate", {"expression": "1"})
