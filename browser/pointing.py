"""Targets that no selector names: a point, the focused element, the field of a file chooser.

They name no anchor: the element itself is described, and `match_count` is the number of visible
elements that share its role and name.
"""

import time
from dataclasses import dataclass

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame

from browser import anchors
from browser.anchors import Anchor
from browser.errors import NoMatch
from browser.frames import World, world_of
from browser.geometry import offset_of
from browser.resolver import Found, Resolution, candidate_of, wait_until_interactive
from browser.sessions import Tab


@dataclass(frozen=True)
class Point:
    """A point of the page's viewport, in CSS px."""

    x: float
    y: float


@dataclass(frozen=True)
class PagePoint:
    """A point of the whole page, in CSS px: scrolled into view first. It means exactly what lies
    there, so its `match_count` is one."""

    x: float
    y: float


@dataclass(frozen=True)
class Focus:
    """Whatever has the keyboard's focus."""


@dataclass(frozen=True)
class Chosen:
    """The file field whose chooser is open, known by its anchor."""

    anchor: Anchor


Pointed = Point | PagePoint | Focus | Chosen


def find(tab: Tab, pointed: Pointed, *, timeout_s: float) -> Resolution:
    """The one element meant, held and described. Raises NoMatch, TimedOut, PageChanged."""
    started = time.monotonic()
    wait_until_interactive(tab, timeout_s=timeout_s)
    world = _held(tab, pointed)
    resolution = _described(tab, world)
    if isinstance(pointed, PagePoint):
        resolution.match_count = resolution.total_count = 1
    resolution.took_ms = round((time.monotonic() - started) * 1000, 1)
    return resolution


def _held(tab: Tab, pointed: Pointed) -> World:
    """The world that holds it at position 0."""
    match pointed:
        case Point(x, y):
            return _held_at(tab, _world(tab, tab.page.main_frame), x, y)
        case PagePoint(x, y):
            main = _world(tab, tab.page.main_frame)
            left, top = main.ask("bringIntoView", x, y)
            return _held_at(tab, main, x - left, y - top)
        case Focus():
            return _held_focus(tab, _world(tab, tab.page.main_frame))
        case Chosen(anchor):
            return anchors.hold(tab, anchor)


def _world(tab: Tab, frame: Frame) -> World:
    world = world_of(tab, frame)
    if world is None:
        raise NoMatch("The page was left while it was looked at.")
    return world


def _held_at(tab: Tab, world: World, x: float, y: float) -> World:
    offset = offset_of(tab, world)
    kind = world.ask("holdAt", x - offset.x, y - offset.y)
    if kind == "frame":
        return _held_at(tab, _inside(tab, world), x, y)
    if kind != "element":
        raise NoMatch("The point lies outside the page.")
    return world


def _held_focus(tab: Tab, world: World) -> World:
    if world.ask("holdFocus") == "frame":
        return _held_focus(tab, _inside(tab, world))
    return world


def _inside(tab: Tab, world: World) -> World:
    """The world of the frame whose element `world` holds at position 0."""
    described = world.cdp.send("DOM.describeNode", {"objectId": world.element(0)})
    frame_id = described["node"].get("frameId")
    inner = _world_by_id(tab, frame_id)
    if inner is None:
        raise NoMatch("The frame there went away while it was looked at.")
    return inner


def _world_by_id(tab: Tab, frame_id: str) -> World | None:
    worlds = (world_of(tab, frame) for frame in tab.page.frames)
    return next((world for world in worlds if world and world.frame_id == frame_id), None)


def _described(tab: Tab, world: World) -> Resolution:
    node = world.ask("describeHeld")
    offset = offset_of(tab, world)
    metrics = tab.cdp.send("Page.getLayoutMetrics")["cssVisualViewport"]
    scroll = (metrics["pageX"], metrics["pageY"])
    candidate = candidate_of(tab, node, 0, world, offset, scroll)
    found = Found(candidate, world, 0, offset, node["is_secret"])
    alike = max(sum(_alike(tab, frame, node) for frame in tab.page.frames), 1)
    return Resolution("", True, found=[found], worlds=[world], match_count=alike, total_count=alike)


def _alike(tab: Tab, frame: Frame, node: dict[str, str]) -> int:
    world = world_of(tab, frame)
    try:
        return int(world.ask("countAlike", node["role"], node["name"])) if world else 0
    except PlaywrightError:
        return 0  # a frame that went away holds nothing


def anchor_of_chooser(tab: Tab, opened: tuple[str, int]) -> Anchor | None:
    """Where the file field lives whose chooser was opened. None when its frame went away."""
    frame_id, node_id = opened
    world = _world_by_id(tab, frame_id)
    if world is None:
        return None
    return {"frame_id": frame_id, "document": anchors.document_of(world), "node_id": node_id}
