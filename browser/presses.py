"""By which way a tool presses what one of its targets means; nothing here asks a page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_KEY = re.compile(r"(?P<modifiers>(?:(?:Alt|Control|ControlOrMeta|Meta|Shift)\+)*)(?P<key>.+)")
_NAMED_KEY = re.compile(r"[A-Z][A-Za-z0-9]+")
_LETTER_KEY = re.compile(r"(?:Key)?([A-Za-z])")


class Way(StrEnum):
    """`tick` is a press of the mouse where the field is one to be ticked, else nothing."""

    POINTER = "pointer"
    POINT = "point"
    TICK = "tick"
    ENTER = "enter"
    SPACE = "space"
    ARROW = "arrow"
    ACCESS_KEY = "access_key"


@dataclass(frozen=True)
class Press:
    """`point` is one of the page's viewport, in CSS px. `letter` is that of an access key; "" for
    any that is no letter: which one a key means depends on the keyboard."""

    way: Way
    point: tuple[float, float] | None = None
    letter: str = ""


def press_of(tool: str, params: Mapping[str, Any], target_name: str) -> Press | None:
    """How a call presses the target of that name (runs/targets.py). None when it presses nothing.

    `params` are those carried out: a masked key does not say what it presses (ValueError).
    """
    match tool:
        case "browser_click":
            return Press(Way.POINTER)
        case "browser_mouse_click_xy":
            return Press(Way.POINT, point=(params["x"], params["y"]))
        case "browser_drag":
            # A click needs both ends in one control; but many pages act when the pointer goes
            # down, or on the drop. So each end counts.
            return Press(Way.POINTER)
        case "browser_fill_form":
            # A field may be called "submit" too: then it counts as one.
            return Press(Way.POINTER if target_name == "submit" else Way.TICK)
        case "browser_type" if params.get("submit"):
            return Press(Way.ENTER)
        case "browser_press_key":
            return _press_of_key(params["key"])
    return None


def _press_of_key(text: str) -> Press | None:
    parts = _KEY.fullmatch(text)
    if parts is None or not _is_readable(parts["key"]):
        raise ValueError("Only a key in the clear says what it presses.")
    key = parts["key"]
    if key in {"Enter", "NumpadEnter"}:
        return Press(Way.ENTER)
    if key in {" ", "Space"}:
        return Press(Way.SPACE)
    if key.startswith("Arrow"):
        return Press(Way.ARROW)
    if "Alt+" in parts["modifiers"]:
        letter = _LETTER_KEY.fullmatch(key)
        return Press(Way.ACCESS_KEY, letter=letter[1].lower() if letter else "")
    return None


def _is_readable(key: str) -> bool:
    return len(key) == 1 or _NAMED_KEY.fullmatch(key) is not None
