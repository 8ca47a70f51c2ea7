"""The pure rules behind a card: sums, differences and places."""

import json
from pathlib import Path
from typing import Any

import pytest

from proposals.cards import Place, object_of, place_of, tool_words
from proposals.differences import differences, shared_head
from proposals.equation import equation

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


def test_a_call_is_said_in_words() -> None:
    assert tool_words("browser_click") == "Click"
    assert tool_words("browser_open_tab") == "Open tab"
    assert object_of({"target": "#go", "url": "https://x"}) == "#go"
    assert object_of({"target": {"ref": 1}}) == ""
