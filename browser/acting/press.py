"""Presses of the mouse: click, hover, drag."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from playwright.sync_api import Error as PlaywrightError

from browser.acting.aim import Point, aim, aim_at
from browser.acting.changes import Before, changes_after, in_words
from browser.acting.done import Beginning, Done, done, failed, unverified, verified
from browser.acting.guard import RELEASES, heard_of_press, heard_of_release, put_up, refuse_a_cover
from browser.errors import Covered
from browser.pointing import anchor_of_chooser
from browser.resolver import Found
from browser.sessions import Tab
from confidence.domain.outcome import VerifiedOutcome

DRAG_STEPS = 8
Heard = list[dict[str, Any]]
CHOOSER_NOTE = {"file_chooser": "A file chooser opened: send browser_file_upload with its paths."}


@dataclass(frozen=True)
class Press:
    """How to press: Playwright's own words."""

    button: str = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()


def press(
    tab: Tab,
    found: Found,
    how: Press,
    *,
    beginning: Beginning,
    timeout_s: float,
    point: Point | None = None,
) -> Done:
    """Press exactly this element, in its middle or at `point`. A cover put up meanwhile gets none.

    Raises Detached, NotEnabled, Covered: the element got no press then. Raises OutcomeUnknown when
    nobody heard the press. `beginning` says when input starts: what fails then may have happened.
    """
    before, words = _pressed_where_it_is(tab, found, how, beginning, point)
    changes = changes_after(tab, found.world, before, timeout_s=timeout_s)
    return _with_chooser(tab, done(tab, _outcome(words, changes.seen), changes.place))


def _pressed_where_it_is(
    tab: Tab, found: Found, how: Press, beginning: Beginning, point: Point | None
) -> tuple[Before, Heard]:
    """What was found standing still is not waited for; if it was not where it seemed to be, the
    press was stopped before it reached anything, and is done again once the element stands."""
    if point is not None:
        return _pressed(tab, found, how, beginning, aim_at(tab, found, point))
    try:
        return _pressed(tab, found, how, beginning, aim(tab, found, waits=False))
    except Covered:
        return _pressed(tab, found, how, beginning, aim(tab, found))


def _pressed(
    tab: Tab, found: Found, how: Press, beginning: Beginning, where: Point
) -> tuple[Before, Heard]:
    """Raises Covered when something else would have got it: nothing did then.

    Pages answer to the pointer, and one that was there before us may keep all news from our guard:
    so what lies there is looked at once more after the pointer came, and nothing moves after that.
    """
    tab.page.mouse.move(*where)
    put_up(tab, [found], "press", at=where)
    before = Before.of(tab)
    beginning.begin()
    with _held(tab, how.modifiers):
        for click in range(1, how.count + 1):
            tab.page.mouse.down(button=how.button, click_count=click)  # type: ignore[arg-type]  # checked at the door
            tab.page.mouse.up(button=how.button, click_count=click)  # type: ignore[arg-type]
    words = heard_of_press(tab)
    refuse_a_cover(words)
    return before, words


@contextlib.contextmanager
def _held(tab: Tab, modifiers: tuple[str, ...]) -> Iterator[None]:
    for key in modifiers:
        tab.page.keyboard.down(key)
    try:
        yield
    finally:
        for key in reversed(modifiers):
            tab.page.keyboard.up(key)


def _outcome(words: list[dict[str, Any]], changes: list[str]) -> VerifiedOutcome:
    said = "The element received the press"
    if not all(word["reached"] for word in words):
        said += "; the page covered it before the release"
    if changes:
        return verified(f"{said}; then changed: {in_words(changes)}.")
    return unverified(f"{said}; nothing on the page changed.")


def _with_chooser(tab: Tab, act: Done) -> Done:
    """A press on a file field opens its chooser: which field it was is kept for the upload."""
    if not tab.choosers:
        return act
    with contextlib.suppress(PlaywrightError):
        if anchor := anchor_of_chooser(tab, tab.choosers.pop()):
            return replace(act, result={**act.result, **CHOOSER_NOTE}, chooser=anchor)
    return act


def hover(tab: Tab, found: Found, *, beginning: Beginning, timeout_s: float) -> Done:
    """Rest the pointer on the element. Raises Covered when something came between."""
    where = aim(tab, found)
    before = Before.of(tab)
    found.world.ask("watch", found.position)
    beginning.begin()
    tab.page.mouse.move(*where)
    changes = changes_after(tab, found.world, before, timeout_s=timeout_s)
    return done(tab, _outcome_of_hover(found, changes.seen), changes.place)


def _outcome_of_hover(found: Found, changes: list[str]) -> VerifiedOutcome:
    try:
        rests = found.world.ask("isHovered", found.position)
    except PlaywrightError:
        return unverified("The pointer was moved there; the page was left then.")
    if not rests:
        return failed("The pointer was moved there, but rests on something else.")
    then = f"; then changed: {in_words(changes)}" if changes else ""
    return verified(f"The pointer rests on the element{then}.")


def drag(tab: Tab, start: Found, end: Found, *, beginning: Beginning, timeout_s: float) -> Done:
    """Press on `start`, move to `end`, release there. Both must be in view at once."""
    aim(tab, end)
    where = aim(tab, start)
    target = _still_in_view(tab, end)
    tab.page.mouse.move(*where)
    put_up(tab, [end, start], "drag", at=where)
    before = Before.of(tab)
    beginning.begin()
    tab.page.mouse.down()
    tab.page.mouse.move(*target, steps=DRAG_STEPS)
    tab.page.mouse.move(*target)  # a second one on the spot: some pages wait for it
    tab.page.mouse.up()
    words = heard_of_release(tab)
    refuse_a_cover(words)
    changes = changes_after(tab, start.world, before, timeout_s=timeout_s)
    return done(tab, _outcome_of_drag(words, changes.seen), changes.place)


def _still_in_view(tab: Tab, end: Found) -> Point:
    try:
        return aim(tab, end)
    except Covered as error:
        raise Covered(f"The end of the drag cannot be reached: {error.message}") from error


def _outcome_of_drag(words: Heard, changes: list[str]) -> VerifiedOutcome:
    if not any(word["reached"] and word["event"] in RELEASES for word in words):
        return failed("It was dragged, but something else lay at the end: the drop was stopped.")
    if changes:
        return verified(f"It was dragged and dropped; then changed: {in_words(changes)}.")
    return unverified("It was dragged and dropped; nothing on the page changed.")
