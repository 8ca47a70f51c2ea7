"""Other people's words, made safe to read."""

import pytest

from proposals.page_text import Address, address, cut, visible


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Buy now", "Buy now"),
        ("gpj\u202eexe", "gpj⟦U+202E⟧exe"),
        ("a\u200bb\u2060c\ufeff", "a⟦U+200B⟧b⟦U+2060⟧c⟦U+FEFF⟧"),
        ("\u2066left\u2069", "⟦U+2066⟧left⟦U+2069⟧"),
        ("\x00\x1b[31m", "⟦U+0000⟧⟦U+001B⟧[31m"),
        ("two\n\t lines\u00a0here ", "two lines here"),
        ("line\u2028break", "line⟦U+2028⟧break"),
        ("\u3164", "⟦U+3164⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("\ud800", "⟦U+D800⟧"),
        ("città, Привет, שלום, 日本語, naïve", "città, Привет, שלום, 日本語, naïve"),
        ("<b>&amp;", "<b>&amp;"),
    ],
)
def test_nothing_that_cannot_be_seen_is_left_unsaid(written: str, read: str) -> None:
    assert visible(written) == read


def test_a_cut_is_seen() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://shop.example/a/b?q=1#x", Address("https", "shop.example", "/a/b", True)),
        ("http://shop.example:8080/", Address("http", "shop.example:8080", "/", False)),
        ("https://bank.example@evil.example/", Address("https", "evil.example", "/", False)),
        ("about:blank", Address("", "", "about:blank", False)),
        ("http://[broken", Address("", "", "http://[broken", False)),
        ("http://shop.example:99999999/", Address("", "", "http://shop.example:99999999/", False)),
        ("", Address("", "", "", False)),
    ],
)
def test_the_host_is_the_one_that_answers_and_queries_are_left_out(
    url: str, shown: Address
) -> None:
    assert address(url) == shown
