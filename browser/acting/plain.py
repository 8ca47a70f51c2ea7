"""The way without our layer: Playwright's own calls, first match, nothing scored or verified."""

from collections.abc import Mapping
from typing import Any

from browser.acting import guard
from browser.acting.done import Beginning, Done, done, unverified
from browser.acting.fields import YES
from browser.sessions import Tab


def act_plainly(
    tab: Tab, tool: str, params: Mapping[str, Any], *, beginning: Beginning, timeout_s: float
) -> Done:
    for target in targets_of(params):
        tab.page.wait_for_selector(target, timeout=timeout_s * 1000)
    tab.dialogs.clear()
    guard.lower(tab)
    beginning.begin()
    _act(tab, tool, params, timeout_ms=timeout_s * 1000)
    return done(tab, unverified("The layer is off: not verified."))


def targets_of(params: Mapping[str, Any]) -> list[str]:
    named = [params.get(name) for name in ("target", "startTarget", "endTarget", "submit")]
    fields = [one["target"] for one in params.get("fields", ())]
    return [target for target in (*named, *fields) if isinstance(target, str)]


def _act(tab: Tab, tool: str, params: Mapping[str, Any], *, timeout_ms: float) -> None:
    page, target = tab.page, params.get("target", "")
    match tool:
        case "browser_click":
            page.click(
                target,
                button=params.get("button", "left"),
                click_count=2 if params.get("doubleClick") else 1,
                modifiers=list(params.get("modifiers", ())),
                timeout=timeout_ms,
            )
        case "browser_mouse_click_xy":
            page.mouse.click(params["x"], params["y"])
        case "browser_hover":
            page.hover(target, timeout=timeout_ms)
        case "browser_type":
            _type(tab, params, timeout_ms=timeout_ms)
        case "browser_select_option":
            page.select_option(target, params["values"], timeout=timeout_ms)
        case "browser_press_key":
            page.keyboard.press(params["key"])
        case "browser_drag":
            page.drag_and_drop(params["startTarget"], params["endTarget"], timeout=timeout_ms)
        case "browser_file_upload":
            page.set_input_files(target, params["paths"], timeout=timeout_ms)
        case "browser_fill_form":
            _fill_form(tab, params, timeout_ms=timeout_ms)


def _type(tab: Tab, params: Mapping[str, Any], *, timeout_ms: float) -> None:
    target = params["target"]
    if params.get("slowly"):
        tab.page.fill(target, "", timeout=timeout_ms)
        tab.page.type(target, params["text"], delay=15, timeout=timeout_ms)
    else:
        tab.page.fill(target, params["text"], timeout=timeout_ms)
    if params.get("submit"):
        tab.page.press(target, "Enter", timeout=timeout_ms)


def _fill_form(tab: Tab, params: Mapping[str, Any], *, timeout_ms: float) -> None:
    for one in params["fields"]:
        target, value = one["target"], one["value"]
        match one.get("type"):
            case "checkbox" | "radio":
                is_on = str(value).lower() in YES
                tab.page.set_checked(target, is_on, timeout=timeout_ms)
            case "combobox":
                tab.page.select_option(target, value, timeout=timeout_ms)
            case "file":
                tab.page.set_input_files(target, list(value.paths), timeout=timeout_ms)
            case _:
                tab.page.fill(target, str(value), timeout=timeout_ms)
    if params.get("submit"):
        tab.page.click(params["submit"], timeout=timeout_ms)
