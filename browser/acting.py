"""Acts on one very element: press it, or write into it. Says what was seen to happen."""

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser.errors import Covered, Detached, NotEnabled, TimedOut
from browser.frames import World
from browser.geometry import Offset, cover_above, offset_of, world_of
from browser.resolver import Found, is_in_viewport, wait_until_interactive
from browser.sessions import Tab
from confidence.domain.confidence import Cover
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome

BINDING = "__pointsmanHeard"
LOOK_FOR_CHANGE_S = 0.6
CHANGE_STEP_MS = 20


@dataclass
class Done:
    """What came of an act. `result` goes to the agent, `outcome` to people only."""

    outcome: VerifiedOutcome
    result: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Press:
    """How to press: Playwright's own words."""

    button: str = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()


def press(tab: Tab, found: Found, how: Press, *, begun: Event, timeout_s: float) -> Done:
    """Press exactly this element. A cover put up meanwhile gets no click.

    Raises Detached, NotEnabled, Covered; the element got no press when it raises one of these.
    `begun` is set when the input starts: what fails after that may have happened.
    """
    x, y = _aim(tab, found)
    url, pages = tab.page.url, len(tab.browser.contexts[0].pages)
    tab.requests.clear()
    found.world.ask("watch", found.position)
    with _guarded(tab, found):
        begun.set()
        with _held(tab, how.modifiers):
            tab.page.mouse.click(x, y, button=how.button, click_count=how.count)  # type: ignore[arg-type]  # checked at the door
        heard = _heard(tab)
    _refuse_a_cover(heard)
    changes = _changes(tab, found.world, url=url, pages=pages)
    if "navigation" in changes:
        with contextlib.suppress(TimedOut, PlaywrightError):
            wait_until_interactive(tab, timeout_s=timeout_s)
    return Done(_outcome(heard, changes), {"url": tab.page.url})


def _aim(tab: Tab, found: Found) -> tuple[float, float]:
    """Look once more where the element is and what a press would meet. In page viewport px."""
    now, offset = _in_view(tab, found)
    if not now["enabled"]:
        raise NotEnabled("The element is disabled.")
    point = now["point"]
    if not is_in_viewport(tab, point, offset):
        raise Covered("The element cannot be scrolled into view.")
    cover = now["covered_by"] or cover_above(tab, found.world, offset, point)
    if cover:
        raise Covered(f"The element is covered by {Cover(cover['tag'], cover['text'])}.")
    return point["x"] + offset.x, point["y"] + offset.y


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
    if now is None or now.get("problem") == "detached" or not now["visible"]:
        raise Detached("The element left the page before it could be acted on.")
    return now


@contextlib.contextmanager
def _guarded(tab: Tab, found: Found) -> Iterator[None]:
    """For one press only the element may receive it: its frame and every frame above listen."""
    armed: list[World] = []
    tab.heard.clear()
    try:
        for world, position in _guards(tab, found):
            world.cdp.send(
                "Runtime.addBinding", {"name": BINDING, "executionContextName": tab.world}
            )
            world.ask("arm", position, BINDING)
            armed.append(world)
        yield
    finally:
        for world in armed:
            with contextlib.suppress(PlaywrightError):  # a navigation took it away
                world.ask("disarm")


def _guards(tab: Tab, found: Found) -> Iterator[tuple[World, int | None]]:
    yield found.world, found.position
    frame = found.world.frame
    while (frame := frame.parent_frame) is not None:  # type: ignore[assignment]
        if world := world_of(tab, frame):
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
    """What the guards reported of the press; it sometimes comes a few ms late."""
    for _ in range(6):
        heard = [json.loads(event["payload"]) for event in tab.heard if event["name"] == BINDING]
        if any(word["event"] in {"click", "auxclick", "contextmenu"} for word in heard):
            return heard
        if any(not word["reached"] for word in heard):
            return heard
        with contextlib.suppress(PlaywrightError):
            tab.page.wait_for_timeout(8)
    return heard


def _refuse_a_cover(heard: list[dict[str, Any]]) -> None:
    for word in heard:
        if not word["reached"]:
            met = word["met"] or {"tag": "nothing", "text": ""}
            raise Covered(
                f"Something moved under the pointer ({Cover(met['tag'], met['text'])}); "
                "the press was stopped before it reached it."
            )


def _changes(tab: Tab, world: World, *, url: str, pages: int) -> list[str]:
    """What was seen to change, as soon as anything is seen to."""
    deadline = time.monotonic() + LOOK_FOR_CHANGE_S
    while True:
        changes = _changes_now(tab, world, url=url, pages=pages)
        if changes or time.monotonic() > deadline:
            return changes
        tab.page.wait_for_timeout(CHANGE_STEP_MS)


def _changes_now(tab: Tab, world: World, *, url: str, pages: int) -> list[str]:
    found = []
    if tab.page.url != url or "document" in tab.requests:
        found.append("navigation")
    if len(tab.browser.contexts[0].pages) != pages:
        found.append("tab")
    if any(kind in {"xhr", "fetch", "websocket"} for kind in tab.requests):
        found.append("request")
    try:
        found += world.ask("changesSince")
    except PlaywrightError:
        found.append("document")
    return found


def _outcome(heard: list[dict[str, Any]], changes: list[str]) -> VerifiedOutcome:
    reached = any(word["reached"] for word in heard)
    if not reached and not changes:
        return VerifiedOutcome(
            OutcomeKind.UNVERIFIED, True, "The press was sent, but no page heard it."
        )
    if changes:
        seen = ", ".join(dict.fromkeys(changes))
        return VerifiedOutcome(
            OutcomeKind.VERIFIED, True, f"The element received the press; then changed: {seen}."
        )
    return VerifiedOutcome(
        OutcomeKind.UNVERIFIED, True, "The element received the press; nothing on the page changed."
    )


def write(
    tab: Tab,
    found: Found,
    text: str,
    *,
    slowly: bool,
    submit: bool,
    begun: Event,
    timeout_s: float,
) -> Done:
    """Replace what is in this field with `text`, read it back, then press Enter if `submit`."""
    _aim(tab, found)
    pick = f"{tab.engine}=pick:{found.world.token}:{found.position}"
    field_ = found.world.frame.query_selector(pick)
    if field_ is None:
        raise Detached("The field left the page before it could be written.")
    begun.set()
    try:
        if slowly:
            field_.fill("", timeout=timeout_s * 1000)
            field_.type(text, delay=15, timeout=timeout_s * 1000)
        else:
            field_.fill(text, timeout=timeout_s * 1000)
    except PlaywrightTimeout as error:
        raise NotEnabled("The field did not become editable in time.") from error
    except PlaywrightError as error:
        raise _why_not_written(error) from error
    outcome = _read_back(found, text)
    if submit:
        _submit(tab, found, timeout_s=timeout_s)
    return Done(outcome, {"url": tab.page.url})


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
    url, pages = tab.page.url, len(tab.browser.contexts[0].pages)
    tab.requests.clear()
    found.world.ask("watch", found.position)
    tab.page.keyboard.press("Enter")
    if "navigation" in _changes(tab, found.world, url=url, pages=pages):
        with contextlib.suppress(TimedOut, PlaywrightError):
            wait_until_interactive(tab, timeout_s=timeout_s)
