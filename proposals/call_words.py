"""A tool call as one line for people: `Choose “France” in #country`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

TOOL_WORDS = {
    "browser_click": gettext_lazy("Click"),
    "browser_hover": gettext_lazy("Hover over"),
    "browser_navigate": gettext_lazy("Go to"),
    "browser_navigate_back": gettext_lazy("Go back"),
    "browser_extract_text": gettext_lazy("Read text of"),
    "browser_take_screenshot": gettext_lazy("Take a picture"),
    "browser_snapshot": gettext_lazy("Read the page"),
    "browser_close": gettext_lazy("Close the page"),
}
CLICKS = {
    "right": (gettext_lazy("Right-click"), gettext_lazy("Double-right-click")),
    "middle": (gettext_lazy("Middle-click"), gettext_lazy("Double-middle-click")),
}
PLAIN_CLICKS = (gettext_lazy("Click"), gettext_lazy("Double-click"))
# What the line or the table of fields says already.
SAID = frozenset(
    {"target", "element", "url", "key", "x", "y", "fields", "accept", "action", "index"}
    | {
        "startTarget",
        "startElement",
        "endTarget",
        "endElement",
        "doubleClick",
        "button",
        "time",
        "content",
    }
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
            x, y = _number(params.get("x")), _number(params.get("y"))
            return [_words(gettext("Click at {x}, {y}").format(x=x, y=y))]
        case "browser_drag":
            start, end = params.get("startTarget"), params.get("endTarget")
            return [_words(gettext("Drag")), _selector(start), _words(_onto()), _selector(end)]
        case "browser_press_key":
            key = params.get("key") or gettext("a key")
            return [_words(gettext("Press {key}").format(key=key))]
        case "browser_type" if params.get("text"):
            return [_words(gettext("Type")), _value(params["text"]), *_in(params, _into())]
        case "browser_type":
            return [_words(gettext("Type")), *_in(params, _into())]
        case "browser_select_option":
            chosen = _value(listed(params.get("values")))
            return [_words(gettext("Choose")), chosen, *_in(params, pgettext("a field", "in"))]
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
            return [_words(gettext("Find")), _value(params.get("text"))]
        case "needs_confirmation":
            return [_words(pgettext("the agent", "Asks")), _value(params.get("content"))]
        case "message_user":
            return [_words(pgettext("the agent", "Says")), _value(params.get("content"))]
        case "finished":
            return [_words(pgettext("the agent", "Is done")), _value(params.get("content"))]
    return [_words(tool_words(tool)), _selector(params.get("target")), _address(params.get("url"))]


def tool_words(tool: str) -> str:
    """A tool we have no words for keeps its own: `browser_save_as` is `Save as`."""
    bare = tool.removeprefix("browser_").replace("_", " ")
    return str(TOOL_WORDS.get(tool) or bare[:1].upper() + bare[1:])


def _click_verb(params: Mapping[str, Any]) -> str:
    once, twice = CLICKS.get(params.get("button", ""), PLAIN_CLICKS)
    return str(twice if params.get("doubleClick") else once)


def _into() -> str:
    return pgettext("a field", "into")


def _onto() -> str:
    return pgettext("another element", "to")


def _in(params: Mapping[str, Any], preposition: str) -> list[Piece]:
    target = params.get("target")
    return [_words(preposition), _selector(target)] if target else []


def _form(params: Mapping[str, Any]) -> list[Piece]:
    count = len(params.get("fields") or [])
    words = ngettext("Fill in {count} field", "Fill in {count} fields", count)
    filling = _words(words.format(count=count))
    submit = params.get("submit")
    return [filling, _words(gettext("and press")), _selector(submit)] if submit else [filling]


def _upload(params: Mapping[str, Any]) -> list[Piece]:
    paths = params.get("paths") or []
    names = ", ".join(str(path).replace("\\", "/").rsplit("/", 1)[-1] for path in paths)
    many = _words(gettext("{count} files").format(count=len(paths)))
    what = [_words(gettext("Upload")), _value(names) if len(paths) < 4 else many]
    field = _in(params, pgettext("a file field", "to"))
    return [*what, *(field or [_words(gettext("to the open file chooser"))])]


def _dialog(params: Mapping[str, Any]) -> list[Piece]:
    if not params.get("accept"):
        return [_words(gettext("Dismiss the next dialog"))]
    if params.get("promptText"):
        answer = _value(params["promptText"])
        return [_words(gettext("Answer the next dialog with")), answer]
    return [_words(gettext("Accept the next dialog"))]


def _tabs(params: Mapping[str, Any]) -> list[Piece]:
    """Tabs count from 0 in the API and from 1 for people, as candidates do."""
    index = params.get("index")
    number = index + 1 if isinstance(index, int) else 0
    match params.get("action"):
        case "new":
            at = [_words(pgettext("an address", "at")), _address(params.get("url"))]
            return [_words(gettext("Open a tab")), *(at if params.get("url") else [])]
        case "select":
            tab = gettext("Switch to tab {number}") if number else gettext("Switch to a tab")
            return [_words(tab.format(number=number))]
        case "close":
            tab = gettext("Close tab {number}") if number else gettext("Close the tab")
            return [_words(tab.format(number=number))]
    return [_words(gettext("List the tabs"))]


def _wait(params: Mapping[str, Any]) -> list[Piece]:
    if params.get("text"):
        return [_words(gettext("Wait for")), _value(params["text"])]
    if params.get("textGone"):
        gone = _value(params["textGone"])
        return [_words(gettext("Wait until")), gone, _words(gettext("is gone"))]
    seconds = _number(params.get("time"))
    return [_words(gettext("Wait {seconds} s").format(seconds=seconds))]


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
        (str(one.get("name") or one.get("target") or gettext("field")), listed(one.get("value")))
        for one in params.get("fields") or []
    ]


def listed(value: object) -> str:
    """A value as people read it: `France, Italy`, `yes`, `no`."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
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
