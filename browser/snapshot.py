"""What an agent sees of a page as text, with a ref on every element it may act on.

A ref is the browser's own number of the node: it stays the same while the element lives, and once
the element or its document is gone it is an error, never another element.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Error as PlaywrightError

from browser import anchors
from browser.errors import PageChanged, StaleRef
from browser.frames import World, world_of
from browser.sessions import Tab
from core.text import storable

REF = re.compile(r"(?:f(\d+))?e(\d+)")
LINES = 1500
SKIPPED = frozenset({"none", "generic", "InlineTextBox", "LineBreak", "RootWebArea", "Iframe"})
SPOKEN = ("checked", "disabled", "expanded", "selected", "pressed", "level", "required")


@dataclass
class Snapshot:
    """The text for the agent, and where each frame's refs are valid (kept on the run)."""

    text: str
    frames: dict[str, dict[str, str]] = field(default_factory=dict)


def take(tab: Tab, *, known: Mapping[str, Any] | None = None) -> Snapshot:
    """Every frame's accessibility tree as the browser computes it."""
    lines: list[str] = []
    frames: dict[str, dict[str, str]] = {}
    for number, frame in enumerate(tab.page.frames):
        world = world_of(tab, frame)
        if world is None:
            continue
        key = str(number) if number else ""
        frames[key] = {"frame_id": world.frame_id, "document": anchors.document_of(world)}
        if number:
            lines.append(f"- iframe f{number}:")
        lines += _lines_of(world, prefix=f"f{number}" if number else "", indent=1 if number else 0)
    if len(lines) > LINES:
        lines = [*lines[:LINES], f"- … {len(lines) - LINES} more lines were left out"]
    return Snapshot(storable("\n".join(lines)), frames)


def _lines_of(world: World, *, prefix: str, indent: int) -> list[str]:
    try:
        nodes = world.cdp.send("Accessibility.getFullAXTree", {"frameId": world.frame_id})["nodes"]
    except PlaywrightError:
        return []
    by_id = {node["nodeId"]: node for node in nodes}
    lines: list[str] = []
    stack = [(nodes[0]["nodeId"], indent)] if nodes else []
    while stack:
        node_id, depth = stack.pop()
        node = by_id.get(node_id)
        if node is None:
            continue
        line = _line_of(node, prefix)
        if line:
            lines.append("  " * depth + line)
        children = node.get("childIds", [])
        stack += [(child, depth + 1 if line else depth) for child in reversed(children)]
    return lines


def _line_of(node: dict[str, Any], prefix: str) -> str:
    role = node.get("role", {}).get("value", "")
    if node.get("ignored") or role in SKIPPED:
        return ""
    name = " ".join(str(node.get("name", {}).get("value", "")).split())[:200]
    if role == "StaticText":
        return f"- text: {name}" if name else ""
    states = [
        f"[{prop['name']}={prop['value'].get('value')}]"
        for prop in node.get("properties", ())
        if prop["name"] in SPOKEN and prop["value"].get("value") not in (False, "false")
    ]
    ref = f"[ref={prefix}e{node['backendDOMNodeId']}]" if "backendDOMNodeId" in node else ""
    return " ".join(part for part in ["-", role, f'"{name}"' if name else "", *states, ref] if part)


def hold(tab: Tab, ref: str, frames: dict[str, Any]) -> World:
    """The world that holds the ref's element at position 0. Raises StaleRef."""
    found = REF.fullmatch(ref)
    frame = frames.get(found[1] or "") if found else None
    if found is None or frame is None:
        raise StaleRef(f"{ref} is from no snapshot of this run: take one with browser_snapshot.")
    try:
        return anchors.hold(tab, {**frame, "node_id": int(found[2])})
    except PageChanged as error:
        raise StaleRef(f"The element of {ref} is gone: take a new snapshot.") from error
