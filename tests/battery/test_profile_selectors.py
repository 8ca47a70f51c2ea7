"""Whatever a profile's selectors may be, Chromium reads."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from confirmations.domain.selectors import BadSelector, checked_selector

READS = """selector => {
  try { document.createDocumentFragment().querySelector(selector); return true } catch { return false }
}"""
PIECES = st.sampled_from(
    [
        *(
            "a",
            "tr",
            "*",
            "#id",
            ".c",
            "-x",
            "--y",
            "é",
            "\\31 ",
            "\\",
            "[a]",
            "[a=b]",
            "[a='b' i]",
        ),
        *(
            '[a^="b"]',
            "[ a ~= b ]",
            "[a=1]",
            "[",
            "]",
            "'",
            '"',
            " ",
            "\n",
            "  ",
            ">",
            "+",
            "~",
            ",",
        ),
        *(":checked", ":not(", ":is(", ":has(", ":where(", ":nth-child(", "2n+1", "- n + 3", "odd"),
        *(")", ":hover", "::before", ":text(", "/*", "*/", "|", "||", ":", ".", "#", "1", "-", "&"),
        *(":first-child", ":nth-of-type(2n)", ":empty", ":enabled", ":root", ":read-only", ":link"),
    ]
)


@pytest.fixture(scope="module")
def blank(chromium: Browser) -> Page:
    return chromium.new_page()


@settings(
    max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(selector=st.lists(PIECES, min_size=1, max_size=9).map("".join))
def test_what_is_taken_a_page_can_be_asked(blank: Page, selector: str) -> None:
    with suppress(BadSelector):
        assert blank.evaluate(READS, checked_selector(selector)), selector


@pytest.mark.parametrize(
    "selector",
    [
        *("#review", "button.remove", "tr.cart-line > td button", "form[action$='/place/'] button"),
        *(
            "a:not(.b):is(.c, #d)",
            "li:nth-child(2n + 1)",
            "div:has(> form) button",
            "#\\31 0",
            "A, B",
        ),
        *("[data-id='x y' i]", 'input[name="q"]:enabled', "ul:has( li , + p )", "é.ü", "*", "a *"),
    ],
)
def test_these_are_taken_and_read(blank: Page, selector: str) -> None:
    assert checked_selector(selector) == selector
    assert blank.evaluate(READS, selector)
