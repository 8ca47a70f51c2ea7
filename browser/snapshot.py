"""What an agent sees of a page as text, with a ref on every element it may act on.

A ref is made of the browser's own number of the node: it stays the same while the element lives,
and once the element or its document is gone it is an error, never another element.
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
    frames: dict[str, dict[str, Any]] = field(default_factory=dict)


def take(tab: Tab, *, known: Mapping[str, Any] | None = None) -> Snapshot:
    """Every frame's accessibility tree as the browser computes it.

    `known`: the frames of the run's last snapshot. A frame keeps its number as long as it lives,
    and no number is given twice; nor is a ref, though a new document's nodes may be numbered from
    one again: its refs start above all that were handed out in its frame.
    """
    past = dict(known or {})
    lines: list[str] = []
    frames: dict[str, dict[str, Any]] = {}
    for frame in tab.page.frames:
        world = world_of(tab, frame)
        if world is None:
            continue
        is_main = frame == tab.page.main_frame
        key = "" if is_main else _number_of(world.frame_id, {**past, **frames})
        document, nodes = anchors.document_of(world), _nodes_of(world)
        frames[key] = _record(world.frame_id, document, nodes, past.get(key))
        if not is_main:
            lines.append(f"- iframe f{key}:")
        prefix = "" if is_main else f"f{key}"
        lines += _lines_of(
            nodes,
            prefix,
            secrets=_secrets_in(world),
            base=frames[key]["base"],
            indent=0 if is_main else 1,
        )
    if len(lines) > LINES:
        lines = [*lines[:LINES], f"- … {len(lines) - LINES} more lines were left out"]
    return Snapshot(storable("\n".join(lines)), {**_kept(past), **frames})


def _number_of(frame_id: str, records: dict[str, Any]) -> str:
    """The frame's own number, or one that no frame ever had."""
    for key, record in records.items():
        if key and record["frame_id"] == frame_id:
            return key
    return str(max((int(key) for key in records if key), default=0) + 1)


def _kept(records: dict[str, Any]) -> dict[str, Any]:
    """What must not be forgotten when its frame cannot be read or is gone: how far the page's own
    refs reached, and which frame number was the last."""
    latest = max((key for key in records if key), key=int, default="")
    return {key: records[key] for key in ("", latest) if key in records}


def _record(
    frame_id: str, document: str, nodes: list[dict[str, Any]], past: dict[str, Any] | None
) -> dict[str, Any]:
    """`base` plus a node's number makes its ref; `highest` is the highest ref so far."""
    highest = past.get("highest", 0) if past else 0
    is_new = past is None or past["document"] != document
    base = highest if past is None or is_new else past.get("base", 0)
    reached = base + max((node.get("backendDOMNodeId", 0) for node in nodes), default=0)
    return {
        "frame_id": frame_id,
        "document": document,
        "base": base,
        "highest": max(highest, reached),
    }


def _nodes_of(world: World) -> list[dict[str, Any]]:
    try:
        tree = world.cdp.send("Accessibility.getFullAXTree", {"frameId": world.frame_id})
    except PlaywrightError:
        return []
    nodes: list[dict[str, Any]] = tree["nodes"]
    return nodes


def _secrets_in(world: World) -> set[int]:
    """The nodes of fields that hold secrets: what is in them is not told."""
    return {world.node_id(place) for place in range(world.ask("holdSecrets"))}


def _lines_of(
    nodes: list[dict[str, Any]], prefix: str, *, secrets: set[int], base: int, indent: int
) -> list[str]:
    by_id = {node["nodeId"]: node for node in nodes}
    lines: list[str] = []
    stack = [(nodes[0]["nodeId"], indent)] if nodes else []
    while stack:
        node_id, depth = stack.pop()
        node = by_id.get(node_id)
        if node is None:
            continue
        is_secret = node.get("backendDOMNodeId") in secrets
        line = _line_of(node, prefix, base)
        if line:
            lines.append("  " * depth + line)
        children = [] if is_secret else node.get("childIds", [])
        stack += [(child, depth + 1 if line else depth) for child in reversed(children)]
    return lines


def _line_of(node: dict[str, Any], prefix: str, base: int) -> str:
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
    number = node.get("backendDOMNodeId")
    ref = f"[ref={prefix}e{base + number}]" if number else ""
    return " ".join(part for part in ["-", role, f'"{name}"' if name else "", *states, ref] if part)


def hold(tab: Tab, ref: str, frames: dict[str, Any], *, token: str) -> World:
    """The world that holds the ref's element at position 0, under `token`. Raises StaleRef."""
    found = REF.fullmatch(ref.strip())
    frame = frames.get(found[1] or "") if found else None
    if found is None or frame is None or int(found[2]) > frame.get("highest", 0):
        raise StaleRef(f"{ref} is from no snapshot of this run: take one with browser_snapshot.")
    node_id = int(found[2]) - frame["base"]
    if node_id < 1:
        raise StaleRef(f"{ref} is of a page that was left: take a new snapshot.")
    try:
        return anchors.hold(tab, {**frame, "node_id": node_id}, token=token)
    except PageChanged as error:
        raise StaleRef(f"The element of {ref} is gone: take a new snapshot.") from error
