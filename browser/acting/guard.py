"""While the guard is up, only the aimed elements may receive input: every frame listens."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from playwright.sync_api import Error as PlaywrightError

from browser.errors import Covered, NotEnabled, OutcomeUnknown
from browser.frames import BINDING, World, world_of
from browser.resolver import Found
from browser.sessions import Tab
from confidence.domain.confidence import Cover

GUARDED_MS = 20_000
TYPES = frozenset({"keydown", "keypress", "beforeinput"})
LAST_OF_A_PRESS = frozenset({"click", "auxclick", "contextmenu"})


@contextlib.contextmanager
def guarded(tab: Tab, founds: Sequence[Found], kind: str) -> Iterator[None]:
    """`kind` is "press" or "keys": which input is watched, and stopped elsewhere."""
    armed: list[World] = []
    tab.heard.clear()
    try:
        for world, allowed in _guards(tab, founds):
            world.ask("arm", allowed, kind, BINDING, GUARDED_MS)
            armed.append(world)
        yield
    finally:
        for world in armed:
            with contextlib.suppress(PlaywrightError):  # a navigation took it away
                world.ask("disarm")


def _guards(tab: Tab, founds: Sequence[Found]) -> Iterator[tuple[World, list[list[Any]]]]:
    """Each frame's world with the elements in it that may receive input."""
    allowed: dict[Any, list[list[Any]]] = {}
    worlds = {found.world.frame: found.world for found in founds}
    for found in founds:
        allowed.setdefault(found.world.frame, []).append([found.world.token, found.position])
    for frame in [*worlds, *(frame for frame in tab.page.frames if frame not in worlds)]:
        if world := worlds.get(frame) or world_of(tab, frame):
            yield world, allowed.get(frame, [])


def heard(tab: Tab) -> list[dict[str, Any]]:
    return [json.loads(event["payload"]) for event in tab.heard if event["name"] == BINDING]


def heard_of_press(tab: Tab) -> list[dict[str, Any]]:
    """What the guards reported of the press; it sometimes comes a few ms late."""
    for _ in range(8):
        words = heard(tab)
        if any(word["event"] in LAST_OF_A_PRESS or not word["reached"] for word in words):
            return words
        with contextlib.suppress(PlaywrightError):
            tab.page.wait_for_timeout(8)
    return words


def refuse_a_cover(words: list[dict[str, Any]]) -> None:
    """Once the element heard the press begin, the act has happened, whatever came over it then."""
    if any(word["reached"] for word in words):
        return
    for word in words:
        met = word["met"] or {"tag": "nothing", "text": ""}
        raise Covered(
            f"Something moved under the pointer ({Cover(met['tag'], met['text'])}); "
            "the press was stopped before it reached it."
        )
    raise OutcomeUnknown("The press was sent, but no element of the page confirmed it.")


def refuse_misled_keys(tab: Tab) -> None:
    """The page moved the focus: what was typed from then on was stopped."""
    for word in heard(tab):
        if not word["reached"] and word["event"] in TYPES:
            raise NotEnabled("The page moved the focus away; what was typed elsewhere was stopped.")
