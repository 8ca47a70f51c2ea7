"""Looking once more at the very element before it is acted on: in view, uncovered, unchanged."""

from collections.abc import Mapping
from typing import Any

from browser.errors import Covered, Detached, NotEnabled
from browser.geometry import Offset, cover_above, offset_of
from browser.resolver import Found, fingerprint_of, is_in_viewport
from browser.sessions import Tab
from confidence.domain.confidence import Cover

Point = tuple[float, float]


def aim(tab: Tab, found: Found, *, waits: bool = True) -> Point:
    """Where a press would meet the element, in px of the page's viewport.

    Waits until it stands still; without `waits` only if it moved since it was found. Raises
    Detached when it is gone or not what was judged, NotEnabled, Covered.
    """
    now, offset = _in_view(tab, found, known=None if waits else found.box)
    _refuse_changed(now, found)
    point = now["point"]
    if not is_in_viewport(tab, point, offset):
        raise Covered("The element cannot be scrolled into view.")
    refuse_cover(now["covered_by"] or cover_above(tab, found.world, offset, point))
    return point["x"] + offset.x, point["y"] + offset.y


def aim_at(tab: Tab, found: Found, point: Point) -> Point:
    """The same for one point of the page. Raises Covered when it shows another element now."""
    there = in_frame(tab, found, point)
    refuse_cover(
        found.world.ask("meets", found.position, there)
        or cover_above(tab, found.world, offset_of(tab, found.world), there)
    )
    _refuse_changed(_aim_in_frame(found, known=None), found)
    return point


def _refuse_changed(now: dict[str, Any], found: Found) -> None:
    if not now["enabled"]:
        raise NotEnabled("The element is disabled.")
    if fingerprint_of(now, found.candidate.frame) != found.candidate.fingerprint:
        raise Detached("The element is not what it was when it was judged.")


def refuse_cover(cover: dict[str, Any] | None) -> None:
    if cover:
        raise Covered(f"The element is covered by {Cover(cover['tag'], cover['text'])}.")


def in_frame(tab: Tab, found: Found, point: Point) -> dict[str, float]:
    """A point of the page's viewport as the element's own frame counts it."""
    offset = offset_of(tab, found.world)
    return {"x": point[0] - offset.x, "y": point[1] - offset.y}


def _in_view(
    tab: Tab, found: Found, *, known: Mapping[str, float] | None
) -> tuple[dict[str, Any], Offset]:
    """The element as it is now, scrolled into the page's viewport and standing still."""
    now, offset = _aim_in_frame(found, known=known), offset_of(tab, found.world)
    if not is_in_viewport(tab, now["point"], offset):
        found.world.cdp.send(
            "DOM.scrollIntoViewIfNeeded", {"objectId": found.world.element(found.position)}
        )
        now, offset = _aim_in_frame(found, known=None), offset_of(tab, found.world)
    return now, offset


def _aim_in_frame(found: Found, *, known: Mapping[str, float] | None) -> dict[str, Any]:
    now: dict[str, Any] | None = found.world.ask("aim", found.position, known)
    if now is None:
        raise Detached("The element left the page before it could be acted on.")
    return now
