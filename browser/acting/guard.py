"""While the guard is up, only the aimed elements may receive input: every frame listens."""

import contextlib
import json
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame

from browser.acting.aim import Point, in_frame, refuse_cover
from browser.errors import Covered, NotEnabled, OutcomeUnknown, Unforeseen
from browser.frames import BINDING, world_of
from browser.geometry import cover_above, offset_of
from browser.resolver import Found
from browser.sessions import Tab
from confidence.domain.confidence import Cover

GUARDED_MS = 20_000
TYPES = frozenset({"keydown", "keypress", "beforeinput"})
RELEASES = frozenset({"pointerup", "mouseup", "drop"})
Allowed = dict[Frame, list[tuple[str, int]]]
LAST_OF_A_PRESS = frozenset({"click", "auxclick", "contextmenu"})


def put_up(tab: Tab, founds: Sequence[Found], kind: str, *, at: Point | None = None) -> None:
    """`kind` is "press" or "keys": which input is watched, and stopped elsewhere.

    The last element is watched for changes; asking for those lowers the guard there, `lower`
    everywhere. Raises Covered when a press on it `at` this point would meet something else.
    """
    tab.heard.clear()
    allowed = _allowed(founds)
    last = founds[-1]
    tab.guarded = [last.world]
    for frame in tab.page.frames:
        if frame != last.world.frame and (world := world_of(tab, frame)):
            world.ask("arm", *_how(tab, frame, allowed, kind))
            tab.guarded.append(world)
    there = in_frame(tab, last, at) if at else None
    how = _how(tab, last.world.frame, allowed, kind)
    refuse_cover(last.world.ask("ready", last.position, there, *how))
    if there:
        refuse_cover(cover_above(tab, last.world, offset_of(tab, last.world), there))


def _how(tab: Tab, frame: Frame, allowed: Allowed, kind: str) -> tuple[Any, ...]:
    forbidden = list(tab.forbidden.get(frame, ()))
    return (allowed.get(frame, []), forbidden, kind, BINDING, GUARDED_MS)


def _allowed(founds: Sequence[Found]) -> Allowed:
    """Which held elements of each frame may receive input."""
    allowed: Allowed = {}
    for found in founds:
        held = (found.world.token, found.position)
        allowed.setdefault(found.world.frame, []).append(held)
    return allowed


def lower(tab: Tab) -> None:
    """Once the act is over: the next may be another worker's, whom our guard would take for the
    page's doing, and before input that is not ours to watch."""
    for world in tab.guarded:
        with contextlib.suppress(PlaywrightError):  # a document that went away stops nothing
            world.ask("disarm")
    tab.guarded = []


def heard(tab: Tab) -> list[dict[str, Any]]:
    return [json.loads(event["payload"]) for event in tab.heard if event["name"] == BINDING]


def heard_of_press(tab: Tab) -> list[dict[str, Any]]:
    """What the guards reported of the press; it sometimes comes a few ms late."""
    for _ in range(8):
        words = heard(tab)
        if any(word["event"] in LAST_OF_A_PRESS for word in words):
            return words
        with contextlib.suppress(PlaywrightError):
            tab.page.wait_for_timeout(8)
    return words


def heard_of_release(tab: Tab) -> list[dict[str, Any]]:
    """The same of the end of a drag."""
    for _ in range(8):
        words = heard(tab)
        if any(word["event"] in RELEASES for word in words):
            return words
        with contextlib.suppress(PlaywrightError):
            tab.page.wait_for_timeout(8)
    return words


def refuse_a_cover(words: list[dict[str, Any]]) -> None:
    """Once the element heard the press begin, the act has happened, whatever came over it then.

    Raises Unforeseen, too.
    """
    _refuse_unforeseen(words)
    if any(word["reached"] for word in words):
        return
    for word in words:
        met = word["met"] or {"tag": "nothing", "text": ""}
        raise Covered(
            f"Something moved under the pointer ({Cover(met['tag'], met['text'])}); "
            "the press was stopped before it reached it."
        )
    raise OutcomeUnknown("The press was sent, but no element of the page confirmed it.")


def refuse_unforeseen(tab: Tab) -> None:
    """Raises Unforeseen when the act came upon what may not be pressed: that was stopped."""
    _refuse_unforeseen(heard(tab))


def _refuse_unforeseen(words: list[dict[str, Any]]) -> None:
    for word in words:
        if word["forbidden"]:
            raise Unforeseen(
                f"The page put {Cover(**word['met'])} where it was not when the call was judged; "
                "it was not pressed."
            )


def refuse_misled_keys(tab: Tab) -> None:
    """The page moved the focus: what was typed from then on was stopped."""
    for word in heard(tab):
        if not word["reached"] and word["event"] in TYPES:
            raise NotEnabled("The page moved the focus away; what was typed elsewhere was stopped.")


def refuse_unheard_key(tab: Tab, key: str) -> None:
    """Once the element heard the key go down, the act has happened. Raises NotEnabled when it went
    elsewhere and was stopped, OutcomeUnknown when nobody heard it, or a letter came no further."""
    words = heard(tab)
    went_down = any(word["reached"] and word["event"] == "keydown" for word in words)
    if not went_down:
        refuse_misled_keys(tab)
        raise OutcomeUnknown("The key was sent, but no element of the page confirmed it.")
    stopped = any(not word["reached"] and word["event"] in TYPES for word in words)
    if stopped and len(key) == 1:
        raise OutcomeUnknown("The page moved the focus when the key went down: look at the page.")
