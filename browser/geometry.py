"""Where a frame lies: its place in the page's viewport, and what its ancestors put on top of it."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Error as PlaywrightError

from browser.frames import API, Owner, World, answer_in, world_of
from browser.sessions import Tab


@dataclass(frozen=True)
class Offset:
    """The top left corner of a frame's content in the page's viewport, in CSS px."""

    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class View:
    """The part of the page that its viewport shows, in CSS px of the page."""

    x: float
    y: float
    width: float
    height: float

    def shows(self, point: dict[str, float] | None, offset: Offset) -> bool:
        """Of a point of a frame: the frame's own viewport may lie outside the page's."""
        if point is None:
            return False
        x, y = point["x"] + offset.x, point["y"] + offset.y
        return offset == Offset() or (0 <= x < self.width and 0 <= y < self.height)


def view_of(tab: Tab) -> View:
    metrics = tab.cdp.send("Page.getLayoutMetrics")
    seen, layout = metrics["cssVisualViewport"], metrics["cssLayoutViewport"]
    return View(seen["pageX"], seen["pageY"], layout["clientWidth"], layout["clientHeight"])


def offset_of(tab: Tab, world: World) -> Offset:
    """Read from the browser itself, borders and paddings of every ancestor frame included.

    A process tells places in the outermost frame that lives in it; those above are added.
    """
    x = y = 0.0
    while (above := _above(tab, world)) is not None:
        if (owner := _owner_in(above, world)) is None:
            break
        left, top = _corner_of(above, owner)
        x, y = x + left, y + top
        world = _outermost_of_process(tab, above)
    return Offset(x, y)


def _above(tab: Tab, world: World) -> World | None:
    """The world around a frame. None for the page itself, and when it went away."""
    parent = world.frame.parent_frame
    return world_of(tab, parent) if parent else None


def _outermost_of_process(tab: Tab, world: World) -> World:
    while (above := _above(tab, world)) is not None and above.cdp is world.cdp:
        world = above
    return world


def _owner_in(above: World, child: World) -> Owner | None:
    """Asked for once in a frame's life. None when the frame is gone."""
    if child.known.owner is None:
        child.known.owner = _find_owner(above, child)
    return child.known.owner


def _find_owner(above: World, child: World) -> Owner | None:
    try:
        node = above.cdp.send("DOM.getFrameOwner", {"frameId": child.frame_id})["backendNodeId"]
        where = {"backendNodeId": node, "executionContextId": above.context_id}
        held = above.cdp.send("DOM.resolveNode", where)
    except PlaywrightError:
        return None
    return Owner(int(node), str(held["object"]["objectId"]))


def _corner_of(above: World, owner: Owner) -> tuple[float, float]:
    box = above.cdp.send("DOM.getBoxModel", {"backendNodeId": owner.node_id})["model"]
    return box["content"][0], box["content"][1]


def cover_above(
    tab: Tab, world: World, offset: Offset, point: dict[str, float]
) -> dict[str, Any] | None:
    """What an ancestor page shows on top of this point of the frame, or None.

    `point` is in the frame's own viewport. A frame's own hit test cannot see such a cover.
    """
    return covers_above(tab, world, offset, [point])[0]


def covers_above(
    tab: Tab, world: World, offset: Offset, points: list[dict[str, float]]
) -> list[dict[str, Any] | None]:
    """The same for several points: the nearest ancestor's cover of each."""
    covers: list[dict[str, Any] | None] = [None] * len(points)
    child = world
    while points and (above := _above(tab, child)) is not None:
        base = offset_of(tab, above)
        there = [
            {"x": point["x"] + offset.x - base.x, "y": point["y"] + offset.y - base.y}
            for point in points
        ]
        met = _ask_of_owner(above, child, "coversOn", there) or covers
        covers = [known or now for known, now in zip(covers, met, strict=True)]
        child = above
    return covers


def is_shown(tab: Tab, world: World, shown_above: bool | None) -> bool:
    """Whether the pages around a frame show it. `shown_above` is what the frame could tell itself:
    None where a page of another site lies in between."""
    while shown_above is None:
        above = _above(tab, world)
        if above is None or not _ask_of_owner(above, world, "isFrameVisible"):
            return False
        shown_above, world = above.ask("isShownAbove"), above
    return shown_above


def _ask_of_owner(above: World, child: World, question: str, *arguments: Any) -> Any:
    """Ask the page around `child` about its frame element. None when that is not there."""
    owner = _owner_in(above, child)
    if owner is None:
        return None
    function = f"function(...given) {{ return {API}.at('').{question}(this, ...given) }}"
    answer = above.cdp.send(
        "Runtime.callFunctionOn",
        {
            "objectId": owner.object_id,
            "functionDeclaration": function,
            "arguments": [{"value": argument} for argument in arguments],
            "returnByValue": True,
        },
    )
    return answer_in(answer)
