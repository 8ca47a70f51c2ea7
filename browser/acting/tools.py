"""Which act each tool is. The elements are those its targets were judged to mean, in order."""

from collections.abc import Mapping, Sequence
from typing import Any

from browser.acting import fields, keys, press, write
from browser.acting.done import Beginning, Done
from browser.acting.form import Again, FieldValue, Form, fill_form
from browser.acting.press import Press
from browser.acting.write import Typing
from browser.errors import NotEnabled
from browser.resolver import Found
from browser.sessions import Tab


def act(
    tab: Tab,
    tool: str,
    params: Mapping[str, Any],
    founds: Sequence[Found],
    *,
    again: Again,
    beginning: Beginning,
    timeout_s: float,
) -> Done:
    """Raises what the act raises; NotEnabled for a tool that acts on no element."""
    how: dict[str, Any] = {"beginning": beginning, "timeout_s": timeout_s}
    match tool:
        case "browser_click":
            return press.press(tab, founds[0], press_of(params), **how)
        case "browser_mouse_click_xy":
            return press.press(tab, founds[0], Press(), point=(params["x"], params["y"]), **how)
        case "browser_hover":
            return press.hover(tab, founds[0], **how)
        case "browser_drag":
            return press.drag(tab, founds[0], founds[1], **how)
        case "browser_type":
            return write.write(tab, founds[0], typing_of(params), **how)
        case "browser_press_key":
            return keys.press_key(tab, founds[0], params["key"], **how)
        case "browser_select_option":
            return fields.choose(tab, founds[0], params["values"], **how)
        case "browser_file_upload":
            return fields.upload(tab, founds[0], params["paths"], **how)
        case "browser_fill_form":
            return fill_form(tab, Form(founds, values_of(params), again), **how)
    raise NotEnabled(f"{tool} does not act on an element.")


def press_of(params: Mapping[str, Any]) -> Press:
    return Press(
        button=params.get("button", "left"),
        count=2 if params.get("doubleClick") else 1,
        modifiers=tuple(params.get("modifiers", ())),
    )


def typing_of(params: Mapping[str, Any]) -> Typing:
    return Typing(
        params["text"],
        slowly=bool(params.get("slowly")),
        submit=bool(params.get("submit")),
        is_secret=bool(params.get("secret")),
    )


def values_of(params: Mapping[str, Any]) -> list[FieldValue]:
    return [
        FieldValue(
            str(one.get("name") or f"field {number}"),
            one["value"],
            is_secret=bool(one.get("secret")),
        )
        for number, one in enumerate(params["fields"], start=1)
    ]
