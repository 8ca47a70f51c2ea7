"""Did the world change after the act? Addresses, tabs, requests, and the document itself."""

import contextlib
import time
from dataclasses import dataclass

from playwright.sync_api import Error as PlaywrightError

from browser.errors import TimedOut
from browser.frames import World
from browser.resolver import wait_until_interactive
from browser.sessions import Place, Tab, place_of

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
        return cls(tab.page.url, len(tab.browser.contexts[0].pages))


@dataclass(frozen=True)
class Changes:
    """What was seen to change, in few words, and where the page is now."""

    seen: list[str]
    place: Place


def changes_after(tab: Tab, world: World, before: Before, *, timeout_s: float) -> Changes:
    """As soon as anything is seen to change; a navigation is waited for."""
    deadline = time.monotonic() + LOOK_FOR_CHANGE_S
    while not (changes := _changes_now(tab, world, before)).seen and time.monotonic() < deadline:
        tab.page.wait_for_timeout(CHANGE_STEP_MS)
    if "navigation" not in changes.seen:
        return changes
    with contextlib.suppress(TimedOut, PlaywrightError):
        wait_until_interactive(tab, timeout_s=timeout_s)
    return Changes(changes.seen, place_of(tab))


def _changes_now(tab: Tab, world: World, before: Before) -> Changes:
    try:
        inside = world.ask("changesSince")
        tab.guarded = [one for one in tab.guarded if one is not world]  # that lowered its guard
    except PlaywrightError:
        inside = ["document"]
    place = place_of(tab)
    found = []
    if place.url != before.url or "document" in tab.requests:
        found.append("navigation")
    if len(tab.browser.contexts[0].pages) != before.tabs:
        found.append("tab")
    if any(kind in {"xhr", "fetch", "websocket"} for kind in tab.requests):
        found.append("request")
    if tab.dialogs:
        found.append("dialog")
    if tab.choosers:
        found.append("file chooser")
    return Changes([*found, *inside], place)


def in_words(changes: list[str]) -> str:
    return ", ".join(dict.fromkeys(changes))
