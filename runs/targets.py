"""What each tool call acts on: the things that must be resolved and judged, in their order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from browser.pointing import Focus, Point, Pointed
from runs.keys import is_enter


@dataclass(frozen=True)
class Target:
    """One thing a call names. `name` is what people and errors call it; `intent` the agent's own
    words for it. `gets_enter` when the call presses Enter in it."""

    name: str
    sought: str | Pointed
    intent: str = ""
    gets_enter: bool = False

    @property
    def words(self) -> str:
        """What the agent wrote, as far as it is a selector or a ref."""
        return self.sought if isinstance(self.sought, str) else ""


def targets_of(tool: str, params: Mapping[str, Any]) -> list[Target]:
    """Empty for a call that acts on no element of its own."""
    intent = params.get("element", "")
    match tool:
        case "browser_mouse_click_xy":
            return [Target("point", Point(params["x"], params["y"]), intent)]
        case "browser_press_key":
            return [Target("focus", Focus(), intent, gets_enter=is_enter(params["key"]))]
        case "browser_drag":
            return [
                Target("start", params["startTarget"], params.get("startElement", "")),
                Target("end", params["endTarget"], params.get("endElement", "")),
            ]
        case "browser_fill_form":
            return _of_form(params)
    if "target" not in params:
        return []
    return [Target("target", params["target"], intent, gets_enter=bool(params.get("submit")))]


def _of_form(params: Mapping[str, Any]) -> list[Target]:
    fields = [
        Target(name_of_field(one, number), one["target"], one.get("element", ""))
        for number, one in enumerate(params["fields"], start=1)
    ]
    if params.get("submit"):
        fields.append(Target("submit", params["submit"]))
    return fields


def name_of_field(one: Mapping[str, Any], number: int) -> str:
    """As in browser/acting/tools.py: what the agent calls a field, else its number."""
    return str(one.get("name") or f"field {number}")
