"""Small rules that much hangs on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser.acting import Beginning
from browser.errors import Detached
from confidence.domain.selector import problem_of
from core.text import storable, storable_all


def test_an_act_that_was_given_up_cannot_begin_any_more() -> None:
    beginning = Beginning()
    assert beginning.give_up() is True
    with pytest.raises(Detached):
        beginning.begin()


def test_an_act_that_began_cannot_be_called_undone() -> None:
    beginning = Beginning()
    beginning.begin()
    assert beginning.give_up() is False


@pytest.mark.parametrize(
    "target",
    [
        "",
        "  ",
        "div >>",
        "text=",
        "text= >> button",
        "nth=x",
        "button >> nth=",
        "button >> nth=1.5",
        'text="unclosed',
        "text='unclosed",
        "xpath=",
        "button >> stash1=pick:x:0",
    ],
)
def test_what_playwright_silently_misreads_is_named(target: str) -> None:
    assert problem_of(target)


@pytest.mark.parametrize(
    "target",
    ["button", "#a >> nth=-1", "text=it's", 'text="ok"i', "//a", '[data-x="a >> b"]', "e12"],
)
def test_what_it_reads_rightly_has_no_problem(target: str) -> None:
    assert problem_of(target) == ""


@given(st.text())
def test_no_selector_breaks_the_reading(target: str) -> None:
    assert isinstance(problem_of(target), str)


@given(st.text(alphabet=st.characters(codec=None, categories=None), max_size=40))
def test_stored_text_can_be_stored(text: str) -> None:
    kept = storable(text)
    assert "\x00" not in kept
    kept.encode()
    assert storable(kept) == kept


def test_keys_and_nested_texts_are_cleaned_too() -> None:
    assert storable_all({"a\x00": ["\ud800", 1, None]}) == {"a\ufffd": ["\ufffd", 1, None]}
