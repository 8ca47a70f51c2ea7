"""By which way each call presses each of its targets."""

from typing import Any

import pytest

from browser.presses import Press, Way, press_of
from core.sealing import MASK
from runs.targets import targets_of
from runs.tools import TOOLS

FIELD = {"target": "#f", "value": "yes"}


def presses(tool: str, params: dict[str, Any]) -> list[Press | None]:
    return [press_of(tool, params, target.name) for target in targets_of(tool, params)]


@pytest.mark.parametrize(
    "params", [{}, {"doubleClick": True}, {"button": "right"}, {"modifiers": ["Control"]}]
)
def test_any_click_presses_its_target(params: dict[str, Any]) -> None:
    assert presses("browser_click", {"target": "#b", **params}) == [Press(Way.POINTER)]


def test_a_click_by_point_presses_what_lies_there() -> None:
    expected = [Press(Way.POINT, point=(3.0, 4.5))]
    assert presses("browser_mouse_click_xy", {"x": 3.0, "y": 4.5}) == expected


def test_both_ends_of_a_drag_count() -> None:
    params = {"startTarget": "#a", "endTarget": "#b"}
    assert presses("browser_drag", params) == [Press(Way.POINTER)] * 2


def test_a_form_ticks_its_fields_and_presses_its_submit() -> None:
    params = {"fields": [FIELD, FIELD], "submit": "#s"}
    assert presses("browser_fill_form", params) == [
        Press(Way.TICK),
        Press(Way.TICK),
        Press(Way.POINTER),
    ]


def test_a_field_called_submit_hides_nothing() -> None:
    params = {"fields": [{**FIELD, "name": "submit"}], "submit": "#s"}
    assert presses("browser_fill_form", params) == [Press(Way.POINTER)] * 2


def test_text_is_pressed_home_only_by_enter() -> None:
    params = {"target": "#f", "text": "a b"}
    assert presses("browser_type", params) == [None]
    assert presses("browser_type", {**params, "submit": False}) == [None]
    assert presses("browser_type", {**params, "submit": True}) == [Press(Way.ENTER)]


@pytest.mark.parametrize(
    ("key", "press"),
    [
        ("Enter", Press(Way.ENTER)),
        ("NumpadEnter", Press(Way.ENTER)),
        ("Control+Enter", Press(Way.ENTER)),
        ("Alt+Shift+Enter", Press(Way.ENTER)),
        ("Space", Press(Way.SPACE)),
        (" ", Press(Way.SPACE)),
        ("Shift+Space", Press(Way.SPACE)),
        ("ArrowDown", Press(Way.ARROW)),
        ("Alt+p", Press(Way.ACCESS_KEY, letter="p")),
        ("Alt+P", Press(Way.ACCESS_KEY, letter="p")),
        ("Alt+Shift+KeyP", Press(Way.ACCESS_KEY, letter="p")),
        ("Alt+1", Press(Way.ACCESS_KEY)),
        ("Alt++", Press(Way.ACCESS_KEY)),
        ("Tab", None),
        ("p", None),
        ("+", None),
        ("Escape", None),
        ("Control+a", None),
        ("ControlOrMeta+KeyA", None),
        ("Alt", None),
    ],
)
def test_a_key(key: str, press: Press | None) -> None:
    assert presses("browser_press_key", {"key": key}) == [press]


def test_a_masked_key_is_never_taken_for_a_harmless_one() -> None:
    with pytest.raises(ValueError, match="in the clear"):
        press_of("browser_press_key", {"key": MASK}, "focus")


@pytest.mark.parametrize(
    "tool", sorted(set(TOOLS) - {f"browser_{name}" for name in (
        "click", "mouse_click_xy", "drag", "fill_form", "type", "press_key",
    )})
)  # fmt: skip
def test_no_other_tool_presses_anything(tool: str) -> None:
    assert press_of(tool, {"target": "#b", "submit": True}, "target") is None
