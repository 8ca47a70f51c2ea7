"""A tool call as one line for people: `Choose “France” in #country`. Standard library only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

TOOL_WORDS = {
    "browser_click": "Click",
    "browser_hover": "Hover over",
    "browser_navigate": "Go to",
    "browser_navigate_back": "Go back",
    "browser_extract_text": "Read text of",
    "browser_take_screenshot": "Take a picture",
    "browser_snapshot": "Read the page",
    "browser_close": "Close the page",
}
CLICKS = {"right": "Right-click", "middle": "Middle-click"}
# What the line or the table of fields says already.
SAID = frozenset(
    {"target", "element", "url", "key", "x", "y", "fields", "accept", "action", "index"}
    | {"startTarget", "startElement", "endTarget", "endElement", "doubleClick", "button", "time"}
)


class Kind(StrEnum):
    """How a piece is shown: our words, a selector, an address, or words that somebody gave."""

    WORDS = "words"
    SELECTOR = "selector"
    ADDRESS = "address"
    VALUE = "value"


@dataclass(frozen=True)
class Piece:
    text: str
    kind: Kind = Kind.WORDS


Line = tuple[Piece, ...]


def call_line(tool: str, params: Mapping[str, Any]) -> Line:
    """The pieces in order; empty ones are left out."""
    return tuple(piece for piece in _pieces(tool, params) if piece.text)


def _pieces(tool: str, params: Mapping[str, Any]) -> Sequence[Piece]:
    match tool:
        case "browser_click":
            return [_words(_click_verb(params)), _selector(params.get("target"))]
        case "browser_mouse_click_xy":
            return [_words(f"Click at {_number(params.get('x'))}, {_number(params.get('y'))}")]
        case "browser_drag":
            start, end = params.get("startTarget"), params.get("endTarget")
            return [_words("Drag"), _selector(start), _words("to"), _selector(end)]
        case "browser_press_key":
            return [_words(f"Press {params.get('key') or 'a key'}")]
        case "browser_type" if params.get("text"):
            return [_words("Type"), _value(params["text"]), *_in(params, "into")]
        case "browser_type":
            return [_words("Type"), *_in(params, "into")]
        case "browser_select_option":
            return [_words("Choose"), _value(listed(params.get("values"))), *_in(params, "in")]
        case "browser_fill_form":
            return _form(params)
        case "browser_file_upload":
            return _upload(params)
        case "browser_handle_dialog":
            return _dialog(params)
        case "browser_tabs":
            return _tabs(params)
        case "browser_wait_for":
            return _wait(params)
        case "browser_find":
            return [_words("Find"), _value(params.get("text"))]
    return [_words(tool_words(tool)), _selector(params.get("target")), _address(params.get("url"))]


def tool_words(tool: str) -> str:
    """A tool we have no words for keeps its own: `browser_save_as` is `Save as`."""
    bare = tool.removeprefix("browser_").replace("_", " ")
    return TOOL_WORDS.get(tool) or bare[:1].upper() + bare[1:]


def _click_verb(params: Mapping[str, Any]) -> str:
    verb = CLICKS.get(params.get("button", ""), "Click")
    return f"Double-{verb.lower()}" if params.get("doubleClick") else verb


def _in(params: Mapping[str, Any], preposition: str) -> list[Piece]:
    target = params.get("target")
    return [_words(preposition), _selector(target)] if target else []


def _form(params: Mapping[str, Any]) -> list[Piece]:
    count = len(params.get("fields") or [])
    filling = _words(f"Fill in {count} field{'s' * (count != 1)}")
    submit = params.get("submit")
    return [filling, _words("and press"), _selector(submit)] if submit else [filling]


def _upload(params: Mapping[str, Any]) -> list[Piece]:
    paths = params.get("paths") or []
    names = ", ".join(str(path).replace("\\", "/").rsplit("/", 1)[-1] for path in paths)
    what = [_words("Upload"), _value(names) if len(paths) < 4 else _words(f"{len(paths)} files")]
    return [*what, *(_in(params, "to") or [_words("to the open file chooser")])]


def _dialog(params: Mapping[str, Any]) -> list[Piece]:
    if not params.get("accept"):
        return [_words("Dismiss the next dialog")]
    if params.get("promptText"):
        return [_words("Answer the next dialog with"), _value(params["promptText"])]
    return [_words("Accept the next dialog")]


def _tabs(params: Mapping[str, Any]) -> list[Piece]:
    """Tabs count from 0 in the API and from 1 for people, as candidates do."""
    index = params.get("index")
    number = f"tab {index + 1}" if isinstance(index, int) else ""
    match params.get("action"):
        case "new":
            at = [_words("at"), _address(params["url"])] if params.get("url") else []
            return [_words("Open a tab"), *at]
        case "select":
            return [_words(f"Switch to {number or 'a tab'}")]
        case "close":
            return [_words(f"Close {number or 'the tab'}")]
    return [_words("List the tabs")]


def _wait(params: Mapping[str, Any]) -> list[Piece]:
    if params.get("text"):
        return [_words("Wait for"), _value(params["text"])]
    if params.get("textGone"):
        return [_words("Wait until"), _value(params["textGone"]), _words("is gone")]
    return [_words(f"Wait {_number(params.get('time'))} s")]


def further_inputs(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the call gives besides that, in full: typed text, chosen options, files, switches."""
    said = SAID | {"submit"} if "fields" in params else SAID
    return [
        (name, listed(value))
        for name, value in params.items()
        if name not in said and value not in (None, "", False, [])
    ]


def written_fields(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A form's fields and what goes into each."""
    return [
        (str(one.get("name") or one.get("target") or "field"), listed(one.get("value")))
        for one in params.get("fields") or []
    ]


def listed(value: object) -> str:
    """A value as people read it: `France, Italy`, `yes`, `no`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(listed(one) for one in value)
    return "" if value is None else str(value)


def _words(text: str) -> Piece:
    return Piece(text)


def _selector(text: object) -> Piece:
    return Piece(text if isinstance(text, str) else "", Kind.SELECTOR)


def _address(text: object) -> Piece:
    return Piece(text if isinstance(text, str) else "", Kind.ADDRESS)


def _value(text: object) -> Piece:
    return Piece(text if isinstance(text, str) else "", Kind.VALUE)


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "?"
