"""Looking once more at the very element before it is acted on: in view, uncovered, unchanged."""

from typing import Any

from browser.errors import Covered, Detached, NotEnabled
from browser.geometry import Offset, cover_above, offset_of
from browser.resolver import Found, fingerprint_of, is_in_viewport
from browser.sessions import Tab
from confidence.domain.confidence import Cover

Point = tuple[float, float]


def aim(tab: Tab, found: Found, *, whatever_it_says: bool = False) -> Point:
    """Where a press would meet the element, in px of the page's viewport.

    Raises Detached when it is gone or not what was judged (`whatever_it_says`: its own text may
    have changed), NotEnabled, Covered.
    """
    now, offset = _in_view(tab, found)
    if not whatever_it_says and _fingerprint(now, found) != found.candidate.fingerprint:
        raise Detached("The element is not what it was when it was judged.")
    return _uncovered(tab, found, now, offset)


def aim_at(tab: Tab, found: Found, point: Point) -> Point:
    """The same for one point of the page. Raises Covered when it shows another element now."""
    refuse_what_lies_there(tab, found, point)
    now = _aim_in_frame(found)
    if not now["enabled"]:
        raise NotEnabled("The element is disabled.")
    if _fingerprint(now, found) != found.candidate.fingerprint:
        raise Detached("The element is not what it was when it was judged.")
    return point


def _fingerprint(now: dict[str, Any], found: Found) -> str:
    return fingerprint_of(now, found.candidate.frame)


def _uncovered(tab: Tab, found: Found, now: dict[str, Any], offset: Offset) -> Point:
    if not now["enabled"]:
        raise NotEnabled("The element is disabled.")
    point = now["point"]
    if not is_in_viewport(tab, point, offset):
        raise Covered("The element cannot be scrolled into view.")
    refuse_cover(now["covered_by"] or cover_above(tab, found.world, offset, point))
    return point["x"] + offset.x, point["y"] + offset.y


def refuse_cover(cover: dict[str, Any] | None) -> None:
    if cover:
        raise Covered(f"The element is covered by {Cover(cover['tag'], cover['text'])}.")


def in_frame(tab: Tab, found: Found, point: Point) -> dict[str, float]:
    """A point of the page's viewport as the element's own frame counts it."""
    offset = offset_of(tab, found.world)
    return {"x": point[0] - offset.x, "y": point[1] - offset.y}


def refuse_what_lies_there(tab: Tab, found: Found, point: Point) -> None:
    """Raises Covered when a press at this very point would meet something else."""
    there = in_frame(tab, found, point)
    refuse_cover(
        found.world.ask("meets", found.position, there)
        or cover_above(tab, found.world, offset_of(tab, found.world), there)
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
