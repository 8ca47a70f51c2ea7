"""The pure rules behind a card: sums, differences and places."""

import json
from pathlib import Path
from typing import Any

import pytest

from proposals.call_words import call_line, further_inputs, tool_words
from proposals.candidates import Place, place_of
from proposals.differences import differences, shared_head
from proposals.equation import equation
from proposals.targets import deed_on, letter_of
from proposals.tiebreaks import tiebreak_words
from runs.tools import TOOLS

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
CURVE = json.loads((VECTORS / "score.json").read_text())["cases"]
VIEW = {"scroll_x": 0, "scroll_y": 100, "width": 1000, "height": 500}


@pytest.mark.parametrize("case", CURVE)
def test_the_sum_shown_is_the_score_of_the_curve(case: dict[str, Any]) -> None:
    shown = equation(case)
    if case["match_count"] < 1:
        assert shown is None
        return
    assert shown is not None
    taken = sum(term.amount for term in shown.terms)
    assert max(0.0, 1 - taken) == pytest.approx(case["score"], abs=0.005)
    assert shown.floored == (taken > 1.005)


def test_a_score_we_cannot_explain_gets_no_sum() -> None:
    assert equation({"score": 0.42, "match_count": 1}) is None
    assert equation({}) is None


def one(**fields: Any) -> dict[str, Any]:
    return {"role": "button", "name": "Submit", "text": "Submit", "context": "", **fields}


def test_what_differs_is_found_and_named_the_telling_ones_first() -> None:
    first = one(context="header", attributes={"id": "a", "type": "submit"}, box={"x": 1})
    second = one(context="form", attributes={"type": "submit", "href": "/x"}, box={"x": 2})
    apart = differences([first, second])
    assert apart.words == ["context", "id", "href", "place on the page"]
    assert apart.fields == {"context", "attributes", "box"}


def test_one_candidate_differs_from_nothing() -> None:
    assert differences([one()]).words == []
    assert differences([]).words == []


def test_missing_and_empty_are_the_same() -> None:
    assert differences([one(frame=""), one()]).words == []


def test_a_long_shared_beginning_is_told_apart_from_the_end() -> None:
    same = "I have read the terms and accept "
    assert shared_head([one(name=f"{same}all"), one(name=f"{same}some")], "name") == len(same)
    assert shared_head([one(name="Edit"), one(name="Edit all")], "name") == 0


@pytest.mark.parametrize(
    ("box", "place"),
    [
        ({"x": 100, "y": 150, "width": 200, "height": 50}, Place(10, 10, 20, 10)),
        ({"x": 0, "y": 0, "width": 10, "height": 100}, Place(0, -20, 1, 20, "above")),
        ({"x": 0, "y": 600, "width": 10, "height": 10}, Place(0, 100, 1, 2, "below")),
        ({"x": 1000, "y": 100, "width": 10, "height": 10}, Place(100, 0, 1, 2, "right of")),
        ({"x": -10, "y": 100, "width": 10, "height": 10}, Place(-1, 0, 1, 2, "left of")),
        (None, None),
    ],
)
def test_a_box_of_the_page_finds_its_place_on_the_picture(
    box: dict[str, float] | None, place: Place | None
) -> None:
    assert place_of(box, VIEW) == place


def test_without_a_viewport_nothing_has_a_place() -> None:
    assert place_of({"x": 1, "y": 1, "width": 1, "height": 1}, {}) is None


def test_an_attribute_that_is_called_like_a_field_is_told_apart_from_it() -> None:
    apart = differences([one(attributes={"name": "a"}), one(attributes={"name": "b"})])
    assert apart.words == ["name="]


CALLS = [
    ("browser_click", {"target": "#go"}, "Click #go"),
    ("browser_click", {"target": "#go", "doubleClick": True}, "Double-click #go"),
    ("browser_click", {"target": "#go", "button": "right"}, "Right-click #go"),
    ("browser_mouse_click_xy", {"x": 120.0, "y": 80.5}, "Click at 120, 80.5"),
    ("browser_hover", {"target": "#menu"}, "Hover over #menu"),
    ("browser_drag", {"startTarget": "#a", "endTarget": "#b"}, "Drag #a to #b"),
    ("browser_type", {"target": "#q", "text": "iron"}, "Type iron into #q"),
    ("browser_type", {"target": "#q", "text": ""}, "Type into #q"),
    ("browser_press_key", {"key": "Enter"}, "Press Enter"),
    (
        "browser_select_option",
        {"target": "#land", "values": ["France", "Italy"]},
        "Choose France, Italy in #land",
    ),
    ("browser_fill_form", {"fields": [{}]}, "Fill in 1 field"),
    (
        "browser_fill_form",
        {"fields": [{}, {}], "submit": "#ok"},
        "Fill in 2 fields and press #ok",
    ),
    ("browser_file_upload", {"target": "#f", "paths": ["a/cv.pdf"]}, "Upload cv.pdf to #f"),
    ("browser_file_upload", {"paths": ["a"] * 4}, "Upload 4 files to the open file chooser"),
    ("browser_handle_dialog", {"accept": True}, "Accept the next dialog"),
    ("browser_handle_dialog", {"accept": False}, "Dismiss the next dialog"),
    (
        "browser_handle_dialog",
        {"accept": True, "promptText": "Robin"},
        "Answer the next dialog with Robin",
    ),
    ("browser_tabs", {"action": "new"}, "Open a tab"),
    ("browser_tabs", {"action": "new", "url": "https://a"}, "Open a tab at https://a"),
    ("browser_tabs", {"action": "select", "index": 1}, "Switch to tab 2"),
    ("browser_tabs", {"action": "close"}, "Close the tab"),
    ("browser_tabs", {"action": "list"}, "List the tabs"),
    ("browser_wait_for", {"time": 1.5}, "Wait 1.5 s"),
    ("browser_wait_for", {"text": "Ready"}, "Wait for Ready"),
    ("browser_wait_for", {"textGone": "Busy"}, "Wait until Busy is gone"),
    ("browser_find", {"text": "Total"}, "Find Total"),
    ("browser_navigate", {"url": "https://a/b"}, "Go to https://a/b"),
    ("browser_navigate_back", {}, "Go back"),
    ("browser_extract_text", {"target": "h1"}, "Read text of h1"),
    ("browser_take_screenshot", {}, "Take a picture"),
    ("browser_snapshot", {}, "Read the page"),
    ("needs_confirmation", {"content": "May I?"}, "Asks May I?"),
    ("message_user", {"content": "Hello"}, "Says Hello"),
    ("finished", {}, "Is done"),
]


@pytest.mark.parametrize(("tool", "params", "words"), CALLS)
def test_a_call_is_said_in_words(tool: str, params: dict[str, Any], words: str) -> None:
    assert " ".join(piece.text for piece in call_line(tool, params)) == words


def test_every_tool_has_its_words() -> None:
    assert {tool for tool, _, _ in CALLS} == set(TOOLS)
    assert tool_words("browser_save_as") == "Save as"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_call_with_odd_parameters_still_has_words(tool: str) -> None:
    assert call_line(tool, {})
    assert call_line(tool, {"target": {"ref": 1}, "x": "?", "index": "?", "text": 7})


def test_what_the_line_does_not_say_is_listed() -> None:
    given = {"target": "#q", "text": "iron", "submit": True, "slowly": False, "values": ["a", "b"]}
    assert further_inputs(given) == [("text", "iron"), ("submit", "yes"), ("values", "a, b")]


@pytest.mark.parametrize(
    ("field", "verb", "value"),
    [
        ({"type": "textbox", "value": "Robin"}, "gets", "Robin"),
        ({"value": ""}, "gets emptied", ""),
        ({"type": "checkbox", "value": False}, "gets unticked", ""),
        ({"type": "combobox", "value": ["France"]}, "is set to", "France"),
        ({"type": "file", "value": "cv.pdf"}, "gets the file", "cv.pdf"),
    ],
)
def test_a_row_says_what_its_field_gets(field: dict[str, Any], verb: str, value: str) -> None:
    deed = deed_on("browser_fill_form", {"fields": [field]}, 0)
    assert (deed.verb, deed.value, deed.is_secret) == (verb, value, False)


def test_a_secret_is_known_by_its_dots() -> None:
    assert deed_on("browser_fill_form", {"fields": [{"value": "•••"}]}, 0).is_secret


def test_rows_are_lettered_as_in_a_spreadsheet() -> None:
    assert [letter_of(index) for index in (0, 25, 26, 60)] == ["A", "Z", "AA", "BI"]


def test_a_tiebreak_says_who_picked_and_whose_words_these_are() -> None:
    asked = {"used": True, "chosen_index": 1, "rationale": "2 it is", "model": "m", "latency_ms": 7}
    picked = tiebreak_words(asked)
    assert picked is not None
    assert (picked.headline, picked.quoted, picked.facts) == (
        "The tiebreaker picked #2",
        "2 it is",
        "m, 7 ms",
    )
    undecided = tiebreak_words({**asked, "chosen_index": -1, "cache_hit": True})
    assert undecided is not None
    assert undecided.headline == "The tiebreaker could not decide"
    assert undecided.facts == "m, remembered from before"
    failed = tiebreak_words({**asked, "used": False, "chosen_index": -1})
    assert failed is not None
    assert (failed.headline, failed.quoted, failed.told) == (
        "",
        "",
        "2 it is",
    )
    precedent = tiebreak_words({**asked, "source": "precedent"})
    assert precedent is not None
    assert (precedent.headline, precedent.quoted) == ("A precedent picked #2", "")
    assert tiebreak_words(None) is None
