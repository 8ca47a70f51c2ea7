"""The frames of a page: finding our isolated world in each, and where a frame lies on the page."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Frame
from playwright.sync_api import Error as PlaywrightError

from browser.sessions import Line, Tab
from core.text import storable_all

_HERE = Path(__file__).parent
# Keyed by symbols: an element of the page may be named like any global of ours.
API = 'globalThis[Symbol.for("pointsman")]'
LOOKS = 'globalThis[Symbol.for("pointsman.stash")]'
# One function, in this order: each part uses the names of those before it.
_PARTS = (
    "dom",
    "seeing",
    "naming",
    "describing",
    "aiming",
    "guard",
    "watching",
    "pointing",
    "submitting",
    "scrolling",
    "pressing",
    "questions",
)
PAGE_SCRIPT = "\n".join(
    [
        f"if (!{API}) {{",
        (_HERE / "vendor" / "ivya.js").read_text(),
        "(() => {",
        *((_HERE / "js" / "page" / f"{part}.js").read_text() for part in _PARTS),
        "})();",
        "}",
    ]
)
UTILITY_WORLD = "__playwright_utility_world_"


BINDING = "__pointsmanHeard"


@dataclass(frozen=True)
class Owner:
    """The element that holds a frame, as the page around it knows it."""

    node_id: int
    object_id: str


@dataclass
class World:
    """Our isolated world in one frame: scripts run here see the DOM and nothing of the page's.

    `token` names the look whose elements it holds.
    """

    frame: Frame
    token: str
    known: "Known"

    @property
    def cdp(self) -> CDPSession:
        return self.known.line.cdp

    @property
    def context_id(self) -> int:
        return self.known.context_id

    @property
    def frame_id(self) -> str:
        return self.known.frame_id

    def run(self, expression: str) -> Any:
        """Evaluate and return plain JSON; promises are awaited."""
        answer = self.cdp.send(
            "Runtime.evaluate",
            {
                "contextId": self.context_id,
                "expression": expression,
                "returnByValue": True,
                "awaitPromise": True,
            },
        )
        return answer_in(answer)

    def ask(self, function: str, *arguments: Any) -> Any:
        """Call a function of js/page/ about this world's look."""
        return self.run(self._call(function, *arguments))

    def _call(self, function: str, *arguments: Any) -> str:
        given = ", ".join(json.dumps(argument) for argument in arguments)
        return f"{API}.at({json.dumps(self.token)}).{function}({given})"

    def element(self, position: int) -> str:
        """The DevTools object id of a stashed element."""
        answer = self.cdp.send(
            "Runtime.evaluate",
            {"contextId": self.context_id, "expression": self._call("element", position)},
        )
        return str(answer["result"].get("objectId", ""))

    def node_id(self, position: int) -> int:
        """The browser's own number of a stashed element: the same for every worker."""
        described = self.cdp.send("DOM.describeNode", {"objectId": self.element(position)})
        return int(described["node"]["backendNodeId"])


def answer_in(answer: dict[str, Any]) -> Any:
    """What a script returned. Raises what it threw."""
    if "exceptionDetails" in answer:
        raise PlaywrightError(_said(answer["exceptionDetails"]))
    return storable_all(answer["result"].get("value"))


def _said(details: dict[str, Any]) -> str:
    return str(details.get("exception", {}).get("description") or details.get("text", ""))


@dataclass
class Known:
    """Where our world of a frame was found, and what holds the frame once somebody asked; true as
    long as that context lives."""

    line: Line
    context_id: int
    frame_id: str
    owner: Owner | None = None

    @property
    def lives(self) -> bool:
        return self.context_id in self.line.contexts


def counts_in(tab: Tab, selectors: dict[Frame, str]) -> dict[Frame, int | BaseException]:
    """How many elements each frame's selector finds, or what counting failed with.

    All frames are asked at once: one after another each would cost a round trip (ADR 0012).
    """
    asked = [frame.locator(found)._impl_obj.count() for frame, found in selectors.items()]
    told = tab.page._sync(asyncio.gather(*asked, return_exceptions=True))
    return dict(zip(selectors, told, strict=True))


def worlds_with(tab: Tab, frames: dict[str, Frame]) -> list[World]:
    """Our world in each of `frames` (by the token its look was given), in that order."""
    worlds = (_world_with(tab, frame, token) for token, frame in frames.items())
    return [world for world in worlds if world]


def world_of(tab: Tab, frame: Frame) -> World | None:
    """Our world in this frame, whatever it holds. None when the frame went away."""
    token = tab.new_token()
    known = tab.known.get(frame)
    if known and known.lives:
        return World(frame, token, known)
    try:
        frame.locator(f":root >> {tab.engine}=stash:{token}").count()
    except PlaywrightError:
        return None
    return _world_with(tab, frame, token)


def prepare(tab: Tab) -> None:
    """Be there before the page: our script runs first in every document loaded from now on."""
    if not tab.line.is_prepared:
        world_of(tab, tab.page.main_frame)


def _world_with(tab: Tab, frame: Frame, token: str) -> World | None:
    known: Known | None = tab.known.get(frame)
    if known is None or not known.lives:
        known = _search(tab, tab.line, token) or _search_process(tab, frame, token)
        if known is None:
            return None
        tab.known = {**{other: one for other, one in tab.known.items() if one.lives}, frame: known}
        _settle_in(tab, known, frame)
    return World(frame, token, known)


def _search_process(tab: Tab, frame: Frame, token: str) -> Known | None:
    """A frame of another site lives in a process of its own, with its own DevTools session; the
    frames inside it may share that one."""
    holder: Frame | None = frame
    while holder is not None and holder != tab.page.main_frame:
        line = _line_of_process(tab, holder)
        if line and (known := _search(tab, line, token)):
            return known
        holder = holder.parent_frame
    return None


def _line_of_process(tab: Tab, frame: Frame) -> Line | None:
    if frame not in tab.lines:
        try:
            cdp = tab.browser.contexts[0].new_cdp_session(frame)
        except PlaywrightError:
            return None  # it has no process of its own
        tab.lines[frame] = Line(cdp, tab.heard, tab.choosers)
        cdp.on("close", lambda _: _hang_up(tab, frame))
    return tab.lines[frame]


def _hang_up(tab: Tab, frame: Frame) -> None:
    """The frame moved to another process, or went away."""
    if line := tab.lines.pop(frame, None):
        line.contexts.clear()


def _search(tab: Tab, line: Line, token: str) -> Known | None:
    taken = {known.context_id for known in tab.known.values() if known.line is line}
    for context in list(line.contexts.values()):
        name = context["name"]
        if context["id"] in taken:
            continue
        if not name.startswith(UTILITY_WORLD) or (tab.world and name != tab.world):
            continue
        if token in _looks_in(line.cdp, context["id"]):
            tab.world = name
            return Known(line, context["id"], context["auxData"]["frameId"])
    return None


def _settle_in(tab: Tab, known: Known, frame: Frame) -> None:
    """Our script in this document, and first of all scripts in every later one of this process."""
    cdp = known.line.cdp
    cdp.send("Runtime.addBinding", {"name": BINDING, "executionContextName": tab.world})
    if frame == tab.page.main_frame or frame in tab.lines:
        _install_for_later(known.line, tab.world)
    World(frame, "", known).run(PAGE_SCRIPT)


def _install_for_later(line: Line, world: str) -> None:
    if not line.is_prepared:
        line.cdp.send(
            "Page.addScriptToEvaluateOnNewDocument", {"source": PAGE_SCRIPT, "worldName": world}
        )
        line.is_prepared = True


def _looks_in(cdp: CDPSession, context_id: int) -> set[str]:
    """The tokens of the looks that this context holds."""
    try:
        answer = cdp.send(
            "Runtime.evaluate",
            {
                "contextId": context_id,
                "expression": f"[...({LOOKS}?.keys() ?? [])]",
                "returnByValue": True,
            },
        )
    except PlaywrightError:
        return set()  # the document went away between the listing and the question
    return set(answer["result"].get("value") or ())


def path_of(frame: Frame) -> str:
    """Where a frame stands among its siblings, from the top: "" is the main frame, "1.0" nested."""
    steps: list[str] = []
    while frame.parent_frame:
        steps.insert(0, str(frame.parent_frame.child_frames.index(frame)))
        frame = frame.parent_frame
    return ".".join(steps)
