"""The frames of a page: finding our isolated world in each, and where a frame lies on the page."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Frame
from playwright.sync_api import Error as PlaywrightError

from browser.sessions import Tab

_HERE = Path(__file__).parent
PAGE_SCRIPT = "\n".join(
    [
        "if (!globalThis.__pointsman) {",
        (_HERE / "vendor" / "dom-accessibility-api.js").read_text(),
        (_HERE / "js" / "page.js").read_text(),
        "}",
    ]
)
UTILITY_WORLD = "__playwright_utility_world_"


@dataclass
class World:
    """Our isolated world in one frame: scripts run here see the DOM and nothing of the page's."""

    cdp: CDPSession
    context_id: int
    frame_id: str
    frame: Frame
    token: str

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
        if "exceptionDetails" in answer:
            raise PlaywrightError(_said(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def ask(self, function: str, *arguments: Any) -> Any:
        """Call a function of js/page.js about this world's look."""
        return self.run(self._call(function, *arguments))

    def _call(self, function: str, *arguments: Any) -> str:
        given = ", ".join(json.dumps(argument) for argument in arguments)
        return f"__pointsman.at({json.dumps(self.token)}).{function}({given})"

    def install(self) -> None:
        self.run(PAGE_SCRIPT)

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


def _said(details: dict[str, Any]) -> str:
    return str(details.get("exception", {}).get("description") or details.get("text", ""))


def worlds_with(tab: Tab, frames: dict[str, Frame]) -> list[World]:
    """Our world in each of `frames` (by the token its stash was given), in that order."""
    found = _worlds_of_page(tab, frames)
    for token, frame in frames.items():
        if token not in found and (world := _world_of_process(tab, frame, token)):
            found[token] = world
    worlds = [found[token] for token in frames if token in found]
    for world in worlds:
        world.install()
    return worlds


def _worlds_of_page(tab: Tab, frames: dict[str, Frame]) -> dict[str, World]:
    return _matching(tab.cdp, list(tab.contexts.values()), frames, tab)


def _world_of_process(tab: Tab, frame: Frame, token: str) -> World | None:
    """A frame of another site lives in a process of its own, with its own DevTools session."""
    try:
        cdp = tab.browser.contexts[0].new_cdp_session(frame)
    except PlaywrightError:
        return None  # same process after all: the frame went away meanwhile
    contexts: list[dict[str, Any]] = []
    cdp.on("Runtime.executionContextCreated", lambda event: contexts.append(event["context"]))
    cdp.on("Runtime.bindingCalled", lambda event: tab.heard.append(event))
    cdp.send("Runtime.enable")
    return _matching(cdp, contexts, {token: frame}, tab).get(token)


def _matching(
    cdp: CDPSession, contexts: list[dict[str, Any]], frames: dict[str, Frame], tab: Tab
) -> dict[str, World]:
    found: dict[str, World] = {}
    for context in contexts:
        name = context["name"]
        if not name.startswith(UTILITY_WORLD) or (tab.world and name != tab.world):
            continue
        for token in _looks_in(cdp, context["id"]) & frames.keys():
            tab.world = name
            frame_id = context["auxData"]["frameId"]
            found[token] = World(cdp, context["id"], frame_id, frames[token], token)
    return found


def _looks_in(cdp: CDPSession, context_id: int) -> set[str]:
    """The tokens of the looks that this context holds."""
    try:
        answer = cdp.send(
            "Runtime.evaluate",
            {
                "contextId": context_id,
                "expression": "[...(globalThis.__pointsmanStash?.keys() ?? [])]",
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
