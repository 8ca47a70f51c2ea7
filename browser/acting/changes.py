"""Did the world change after the act? Addresses, tabs, requests, and the document itself."""

import contextlib
import time
from dataclasses import dataclass

from playwright.sync_api import Error as PlaywrightError

from browser.errors import TimedOut
from browser.frames import World
from browser.resolver import wait_until_interactive
from browser.sessions import Tab, place_of

LOOK_FOR_CHANGE_S = 0.6
CHANGE_STEP_MS = 20


@dataclass(frozen=True)
class Before:
    """What a change is told by."""

    url: str
    tabs: int

    @classmethod
    def of(cls, tab: Tab) -> "Before":
        tab.requests.clear()
        tab.dialogs.clear()
        tab.choosers.clear()
        return cls(place_of(tab).url, len(tab.browser.contexts[0].pages))


def changes_after(tab: Tab, world: World, before: Before, *, timeout_s: float) -> list[str]:
    """What was seen to change, as soon as anything is seen to; a navigation is waited for."""
    deadline = time.monotonic() + LOOK_FOR_CHANGE_S
    while not (changes := _changes_now(tab, world, before)) and time.monotonic() < deadline:
        tab.page.wait_for_timeout(CHANGE_STEP_MS)
    if "navigation" in changes:
        with contextlib.suppress(TimedOut, PlaywrightError):
            wait_until_interactive(tab, timeout_s=timeout_s)
    return changes


def _changes_now(tab: Tab, world: World, before: Before) -> list[str]:
    found = []
    if place_of(tab).url != before.url or "document" in tab.requests:
        found.append("navigation")
    if len(tab.browser.contexts[0].pages) != before.tabs:
        found.append("tab")
    if any(kind in {"xhr", "fetch", "websocket"} for kind in tab.requests):
        found.append("request")
    if tab.dialogs:
        found.append("dialog")
    if tab.choosers:
        found.append("file chooser")
    try:
        found += world.ask("changesSince")
    except PlaywrightError:
        found.append("document")
    return found


def in_words(changes: list[str]) -> str:
    return ", ".join(dict.fromkeys(changes))
