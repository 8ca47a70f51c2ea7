"""Where a frame lies: its place in the page's viewport, and what its ancestors put on top of it."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Frame
from playwright.sync_api import Error as PlaywrightError

from browser.frames import API, World, world_of
from browser.sessions import Tab


@dataclass(frozen=True)
class Offset:
    """The top left corner of a frame's content in the page's viewport, in CSS px."""

    x: float = 0.0
    y: float = 0.0


def offset_of(tab: Tab, world: World) -> Offset:
    """Read from the browser itself, borders and paddings of every ancestor frame included."""
    if world.frame == tab.page.main_frame:
        return Offset()
    parent = world.frame.parent_frame
    owner = _owner_of(tab.cdp, world.frame_id)
    if owner is None and parent is not None:
        return _offset_across_processes(tab, world, parent)
    return Offset(*_corner_of(tab.cdp, owner)) if owner is not None else Offset()


def _owner_of(cdp: CDPSession, frame_id: str) -> int | None:
    try:
        return int(cdp.send("DOM.getFrameOwner", {"frameId": frame_id})["backendNodeId"])
    except PlaywrightError:
        return None


def _corner_of(cdp: CDPSession, owner: int) -> tuple[float, float]:
    quad = cdp.send("DOM.getBoxModel", {"backendNodeId": owner})["model"]["content"]
    return quad[0], quad[1]


def _offset_across_processes(tab: Tab, world: World, parent: Frame) -> Offset:
    """The frame's parent lives in a process of its own: ask there, then add the parent's place."""
    above = world_of(tab, parent)
    owner = _owner_of(above.cdp, world.frame_id) if above else None
    if above is None or owner is None:
        return Offset()
    x, y = _corner_of(above.cdp, owner)
    base = offset_of(tab, above)
    return Offset(x + base.x, y + base.y)


def cover_above(
    tab: Tab, world: World, offset: Offset, point: dict[str, float]
) -> dict[str, Any] | None:
    """What an ancestor page shows on top of this point of the frame, or None.

    `point` is in the frame's own viewport. A frame's own hit test cannot see such a cover.
    """
    x, y = point["x"] + offset.x, point["y"] + offset.y
    child = world
    while (parent := child.frame.parent_frame) is not None:
        above = world_of(tab, parent)
        if above is None:
            return None
        met = _met_above(above, child, x, y, offset_of(tab, above))
        if met is not None:
            return met
        child = above
    return None


def _met_above(
    above: World, child: World, x: float, y: float, base: Offset
) -> dict[str, Any] | None:
    owner = _owner_of(above.cdp, child.frame_id)
    if owner is None:
        return None
    node = above.cdp.send(
        "DOM.resolveNode", {"backendNodeId": owner, "executionContextId": above.context_id}
    )
    answer = above.cdp.send(
        "Runtime.callFunctionOn",
        {
            "objectId": node["object"]["objectId"],
            "functionDeclaration": f"function(x, y) {{ return {API}.at('').isOnTop(this, x, y) }}",
            "arguments": [{"value": x - base.x}, {"value": y - base.y}],
            "returnByValue": True,
        },
    )
    return answer["result"].get("value")
