"""An anchor finds one very element again, from any worker: the browser's own number of its node in
one document of one frame. A node that left the page, or a twin that took its place, is not found.
"""

from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame

from browser.errors import PageChanged
from browser.frames import API, World, world_of
from browser.sessions import Tab

Anchor = dict[str, Any]


def anchor_of(world: World, position: int) -> Anchor:
    return {
        "frame_id": world.frame_id,
        "document": document_of(world),
        "node_id": world.node_id(position),
    }


def document_of(world: World) -> str:
    """The browser's id of the document that is loaded in this frame now."""
    tree = world.cdp.send("Page.getFrameTree")["frameTree"]
    return _loader_in(tree, world.frame_id)


def _loader_in(tree: dict[str, Any], frame_id: str) -> str:
    if tree["frame"]["id"] == frame_id:
        return str(tree["frame"]["loaderId"])
    loaders = (_loader_in(child, frame_id) for child in tree.get("childFrames", ()))
    return next((loader for loader in loaders if loader), "")


def hold(tab: Tab, anchor: Anchor, *, token: str = "") -> World:
    """The world that holds this element at position 0, under `token` if one is given.

    Raises PageChanged when the element is gone.
    """
    world = _world_with(tab, anchor["frame_id"])
    if world is None or document_of(world) != anchor["document"]:
        raise PageChanged("The page was left or reloaded since it was shown.")
    world.token = token or world.token
    try:
        node = world.cdp.send(
            "DOM.resolveNode",
            {"backendNodeId": anchor["node_id"], "executionContextId": world.context_id},
        )
        object_id = node["object"]["objectId"]
    except (PlaywrightError, KeyError) as error:
        raise PageChanged("The element left the page.") from error
    _keep(world, object_id)
    return world


def _keep(world: World, object_id: str) -> None:
    function = f"function(token) {{ return {API}.at(token).hold(this) }}"
    answer = world.cdp.send(
        "Runtime.callFunctionOn",
        {
            "objectId": object_id,
            "functionDeclaration": function,
            "arguments": [{"value": world.token}],
            "returnByValue": True,
        },
    )
    if answer["result"].get("value") is not True:
        raise PageChanged("The element left the page.")


def _world_with(tab: Tab, frame_id: str) -> World | None:
    frames: list[Frame] = tab.page.frames
    worlds = (world_of(tab, frame) for frame in frames)
    return next((world for world in worlds if world and world.frame_id == frame_id), None)
