"""Acts on one very element: press it, or write into it. Says what was seen to happen."""

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from playwright.sync_api import ElementHandle
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser.errors import Covered, Detached, NotEnabled, OutcomeUnknown, TimedOut
from browser.frames import BINDING, World, world_of
from browser.geometry import Offset, cover_above, offset_of
from browser.resolver import Found, is_in_viewport, wait_until_interactive
from browser.sessions import Place, Tab, place_of
from confidence.domain.confidence import Cover
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome

GUARDED_MS = 20_000
LAST_OF_A_PRESS = frozenset({"click", "auxclick", "contextmenu"})
LOOK_FOR_CHANGE_S = 0.6
CHANGE_STEP_MS = 20


class Beginning:
    """Whether an act has begun, asked and answered once: whoever gives it up first, wins.

    A thread that was given up cannot begin any more; an act that began cannot be called undone.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._state = "waiting"

    def begin(self) -> None:
        """Raises Detached when the act was given up meanwhile."""
        with self._lock:
            if self._state == "given up":
                raise Detached("The act was given up before it began.")
            self._state = "begun"

    def give_up(self) -> bool:
        """True when nothing was begun and nothing will be."""
        with self._lock:
            if self._state == "waiting":
                self._state = "given up"
            return self._state == "given up"


@dataclass(frozen=True)
class Done:
    """What came of an act. `result` goes to the agent, `outcome` to people only."""

    outcome: VerifiedOutcome
    result: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None
    is_secret: bool = False  # what was written went into a field that holds secrets


def _done(tab: Tab, outcome: VerifiedOutcome) -> Done:
    place = place_of(tab)
    return Done(outcome, {"url": place.url}, place)


@dataclass(frozen=True)
class Press:
    """How to press: Playwright's own words."""

    button: str = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()


def press(tab: Tab, found: Found, how: Press, *, beginning: Beginning, timeout_s: float) -> Done:
    """Press exactly this element. A cover put up meanwhile gets no press.

    Raises Detached, NotEnabled, Covered: the element got no press then. Raises OutcomeUnknown when
    nobody heard the press. `beginning` says when input starts: what fails then may have happened.
    """
    point = _aim(tab, found)
    tab.page.mouse.move(*point)
    _refuse_what_hovering_brought(tab, found, point)
    before = _Before.of(tab)
    found.world.ask("watch", found.position)
    with _guarded(tab, found, "press"):
        beginning.begin()
        with _held(tab, how.modifiers):
            for click in range(1, how.count + 1):
                tab.page.mouse.down(button=how.button, click_count=click)  # type: ignore[arg-type]  # checked at the door
                tab.page.mouse.up(button=how.button, click_count=click)  # type: ignore[arg-type]
        heard = _heard_of_press(tab)
    _refuse_a_cover(heard)
    changes = _changes(tab, found.world, before)
    if "navigation" in changes:
        with contextlib.suppress(TimedOut, PlaywrightError):
            wait_until_interactive(tab, timeout_s=timeout_s)
    return _done(tab, _outcome(heard, changes))


def _aim(tab: Tab, found: Found) -> tuple[float, float]:
    """Look once more where the element is and what a press would meet. In page viewport px."""
    now, offset = _in_view(tab, found)
    if not now["enabled"]:
        raise NotEnabled("The element is disabled.")
    point = now["point"]
    if not is_in_viewport(tab, point, offset):
        raise Covered("The element cannot be scrolled into view.")
    _refuse_cover(now["covered_by"] or cover_above(tab, found.world, offset, point))
    return point["x"] + offset.x, point["y"] + offset.y


def _refuse_cover(cover: dict[str, Any] | None) -> None:
    if cover:
        raise Covered(f"The element is covered by {Cover(cover['tag'], cover['text'])}.")


def _refuse_what_hovering_brought(tab: Tab, found: Found, point: tuple[float, float]) -> None:
    """Pages answer to the pointer: look again at this very point before anything is pressed."""
    offset = offset_of(tab, found.world)
    there = {"x": point[0] - offset.x, "y": point[1] - offset.y}
    _refuse_cover(
        found.world.ask("meets", found.position, there)
        or cover_above(tab, found.world, offset, there)
    )


def _in_view(tab: Tab, found: Found) -> tuple[dict[str, Any], Offset]:
    """The element as it is now, scrolled into the page's viewport and standing still."""
    now, offset = _aim_in_frame(found), offset_of(tab, found.world)
    if not is_in_viewport(tab, now["point"], offset):
        found.world.cdp.send(
            "DOM.scrollIntoViewIfNeeded", {"objectId": found.world.element(found.position)}
        )
        now, offset = _aim_in_frame(found), offset_of(tab, found.world)
    return now, offset


def _aim_in_frame(found: Found) -> dict[str, Any]:
    now: dict[str, Any] | None = found.world.ask("aim", found.position)
    if now is None:
        raise Detached("The element left the page before it could be acted on.")
    return now


@contextlib.contextmanager
def _guarded(tab: Tab, found: Found, kind: str) -> Iterator[None]:
    """Only the element may receive this input: every frame of the page listens, and stops it."""
    armed: list[World] = []
    tab.heard.clear()
    try:
        for world, position in _guards(tab, found):
            world.ask("arm", position, kind, BINDING, GUARDED_MS)
            armed.append(world)
        yield
    finally:
        for world in armed:
            with contextlib.suppress(PlaywrightError):  # a navigation took it away
                world.ask("disarm")


def _guards(tab: Tab, found: Found) -> Iterator[tuple[World, int | None]]:
    yield found.world, found.position
    for frame in tab.page.frames:
        if frame != found.world.frame and (world := world_of(tab, frame)):
            yield world, None


@contextlib.contextmanager
def _held(tab: Tab, modifiers: tuple[str, ...]) -> Iterator[None]:
    for key in modifiers:
        tab.page.keyboard.down(key)
    try:
        yield
    finally:
        for key in reversed(modifiers):
            tab.page.keyboard.up(key)


def _heard(tab: Tab) -> list[dict[str, Any]]:
    return [json.loads(event["payload"]) for event in tab.heard if event["name"] == BINDING]


def _heard_of_press(tab: Tab) -> list[dict[str, Any]]:
    """What the guards reported of the press; it sometimes comes a few ms late."""
    for _ in range(8):
        heard = _heard(tab)
        if any(word["event"] in LAST_OF_A_PRESS or not word["reached"] for word in heard):
            return heard
        with contextlib.suppress(PlaywrightError):
            tab.page.wait_for_timeout(8)
    return heard


def _refuse_a_cover(heard: list[dict[str, Any]]) -> None:
    """Once the element heard the press begin, the act has happened, whatever came over it then."""
    if any(word["reached"] for word in heard):
        return
    for word in heard:
        met = word["met"] or {"tag": "nothing", "text": ""}
        raise Covered(
            f"Something moved under the pointer ({Cover(met['tag'], met['text'])}); "
            "the press was stopped before it reached it."
        )
    raise OutcomeUnknown("The press was sent, but no element of the page confirmed it.")


@dataclass(frozen=True)
class _Before:
    """What a change is told by."""

    url: str
    tabs: int

    @classmethod
    def of(cls, tab: Tab) -> "_Before":
        tab.requests.clear()
        return cls(place_of(tab).url, len(tab.browser.contexts[0].pages))


def _changes(tab: Tab, world: World, before: _Before) -> list[str]:
    """What was seen to change, as soon as anything is seen to."""
    deadline = time.monotonic() + LOOK_FOR_CHANGE_S
    while True:
        changes = _changes_now(tab, world, before)
        if changes or time.monotonic() > deadline:
            return changes
        tab.page.wait_for_timeout(CHANGE_STEP_MS)


def _changes_now(tab: Tab, world: World, before: _Before) -> list[str]:
    found = []
    if place_of(tab).url != before.url or "document" in tab.requests:
        found.append("navigation")
    if len(tab.browser.contexts[0].pages) != before.tabs:
        found.append("tab")
    if any(kind in {"xhr", "fetch", "websocket"} for kind in tab.requests):
        found.append("request")
    try:
        found += world.ask("changesSince")
    except PlaywrightError:
        found.append("document")
    return found


def _outcome(heard: list[dict[str, Any]], changes: list[str]) -> VerifiedOutcome:
    words = "The element received the press"
    if not all(word["reached"] for word in heard):
        words += "; the page covered it before the release"
    if changes:
        seen = ", ".join(dict.fromkeys(changes))
        return VerifiedOutcome(OutcomeKind.VERIFIED, True, f"{words}; then changed: {seen}.")
    return VerifiedOutcome(OutcomeKind.UNVERIFIED, True, f"{words}; nothing on the page changed.")


def write(
    tab: Tab,
    found: Found,
    text: str,
    *,
    slowly: bool,
    submit: bool,
    beginning: Beginning,
    timeout_s: float,
) -> Done:
    """Replace what is in this field with `text`, read it back, then press Enter if `submit`."""
    _aim(tab, found)
    pick = f"{tab.engine}=pick:{found.world.token}:{found.position}"
    field_ = found.world.frame.query_selector(pick)
    if field_ is None:
        raise Detached("The field left the page before it could be written.")
    beginning.begin()
    with _guarded(tab, found, "keys"):
        _fill(field_, text, slowly=slowly, timeout_s=timeout_s)
        _refuse_misled_keys(tab)
    outcome = _read_back(found, text)
    is_secret = bool(found.world.ask("isSecretNow", found.position))
    if submit:
        _submit(tab, found, timeout_s=timeout_s)
    return replace(_done(tab, outcome), is_secret=is_secret)


def _fill(field_: ElementHandle, text: str, *, slowly: bool, timeout_s: float) -> None:
    try:
        field_.fill("" if slowly else text, timeout=timeout_s * 1000)
        if slowly:
            field_.type(text, delay=15, timeout=timeout_s * 1000)
    except PlaywrightTimeout as error:
        raise NotEnabled("The field did not become editable in time.") from error
    except PlaywrightError as error:
        raise _why_not_written(error) from error


def _refuse_misled_keys(tab: Tab) -> None:
    """The page moved the focus: what was typed from then on was stopped."""
    for word in _heard(tab):
        if not word["reached"] and word["event"] in {"keydown", "beforeinput"}:
            raise NotEnabled("The page moved the focus away; what was typed elsewhere was stopped.")


def _why_not_written(error: PlaywrightError) -> NotEnabled | Detached:
    if "not attached" in str(error):
        return Detached("The field left the page while it was written.")
    return NotEnabled("The target is not a field that can be written.")


def _read_back(found: Found, text: str) -> VerifiedOutcome:
    """The value itself stays out of the evidence: it may be a secret."""
    value = found.world.ask("valueOf", found.position)
    if value is None:
        return VerifiedOutcome(OutcomeKind.UNVERIFIED, True, "The field went away when written.")
    if value.replace("\r\n", "\n").rstrip("\n") == text.replace("\r\n", "\n").rstrip("\n"):
        return VerifiedOutcome(OutcomeKind.VERIFIED, True, "The field reads back what was typed.")
    return VerifiedOutcome(
        OutcomeKind.FAILED_VERIFICATION, False, "The field holds something else than was typed."
    )


def _submit(tab: Tab, found: Found, *, timeout_s: float) -> None:
    """Enter, if the field still has the focus: on another control it would press that one."""
    before = _Before.of(tab)
    found.world.ask("watch", found.position)
    with _guarded(tab, found, "keys"):
        if not found.world.ask("hasFocus", found.position):
            raise NotEnabled("It was typed, but the page moved the focus: Enter was not sent.")
        tab.page.keyboard.press("Enter")
        _refuse_misled_keys(tab)
    if "navigation" in _changes(tab, found.world, before):
        with contextlib.suppress(TimedOut, PlaywrightError):
            wait_until_interactive(tab, timeout_s=timeout_s)
