"""A profile is read from YAML, attaches by address, and every error names its line and its key."""

from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from confirmations import profiles
from confirmations.domain.modes import Mode
from confirmations.domain.selectors import BadSelector, checked_selector
from confirmations.domain.url_glob import BadGlob, site_glob, url_glob
from core.placed import Misplaced

SHOP = """\
name: hearth-and-hill
sites: ["http://127.0.0.1:8001/*"]
mode: block
screens:
  - {id: CART, url: /cart/}
  - id: CHECKOUT_REVIEW
    url: [/checkout/review/, "https://pay.example/**"]
    selector: "#review"
  - {id: ORDER, url: /orders/*/}
elements:
  - {id: checkout_review.place_order, selector: "form.review > button[name='place']"}
  - {id: "cart.item[N].remove", selector: button.remove, row: tr.cart-line}
irreversible:
  - checkout_review.place_order
  - cart.item[N].remove
"""


def test_a_profile_is_read() -> None:
    read = profiles.read(SHOP)
    assert (read.name, read.mode, read.sites) == (
        "hearth-and-hill",
        Mode.BLOCK,
        ("http://127.0.0.1:8001/*",),
    )
    assert [screen.id for screen in read.screens] == ["CART", "CHECKOUT_REVIEW", "ORDER"]
    assert read.elements[1].row == "tr.cart-line"


def test_screens_are_those_whose_address_fits_in_the_profiles_order() -> None:
    read = profiles.read(SHOP)
    found = {
        path: [one.id for one in read.screens_for(f"http://127.0.0.1:8001{path}")]
        for path in ("/cart/", "/checkout/review/?step=2#top", "/orders/17/", "/orders/", "/")
    }
    assert found == {
        "/cart/": ["CART"],
        "/checkout/review/?step=2#top": ["CHECKOUT_REVIEW"],
        "/orders/17/": ["ORDER"],
        "/orders/": [],
        "/": [],
    }
    assert [one.id for one in read.screens_for("https://pay.example/a/b")] == ["CHECKOUT_REVIEW"]


def test_a_row_stands_for_any_row() -> None:
    read = profiles.read(SHOP)
    assert read.is_irreversible("cart.item[0].remove")
    assert read.is_irreversible("cart.item[12].remove")
    assert read.is_irreversible("checkout_review.place_order")
    assert not read.is_irreversible("cart.item.remove")
    assert not read.is_irreversible("checkout_review.edit_address")


def test_only_name_and_sites_are_needed() -> None:
    read = profiles.read("name: a\nsites: [https://shop.example]")
    assert (read.mode, read.screens, read.elements, read.irreversible) == (None, (), (), ())


# --- what is refused --------------------------------------------------------------------
HEAD = "name: shop\nsites: [http://shop.example/*]\n"

WRONG = {
    "no document": ("", 1, "", "Keys with values"),
    "a list": ("- a\n", 1, "", "Keys with values"),
    "no name": ("sites: [http://a/*]\n", 1, "name", "missing"),
    "no sites": ("name: a\n", 1, "sites", "missing"),
    "an empty list of sites": ("name: a\nsites: []\n", 2, "sites", "At least one"),
    "sites that are no list": ("name: a\nsites: http://a/*\n", 2, "sites", "A list"),
    "a name with a blank": ("name: my shop\nsites: [http://a/*]\n", 1, "name", "Small letters"),
    "a name that is a number": ("name: 12\nsites: [http://a/*]\n", 1, "name", "in quotes"),
    "an unknown key": (HEAD + "screen: []\n", 3, "screen", "Known here: name, sites, mode"),
    "an unknown mode": (HEAD + "mode: strict\n", 3, "mode", "latch, block, ask"),
    "a mode that YAML takes for a truth": (HEAD + "mode: on\n", 3, "mode", "in quotes"),
    "nothing as mode": (HEAD + "mode:\n", 3, "mode", "A text"),
    "a key twice": (HEAD + "mode: ask\nmode: latch\n", 4, "mode", "twice"),
    "a site without a scheme": (
        "name: a\nsites:\n  - https://ok/*\n  - shop.example/*\n",
        4,
        "sites[1]",
        "scheme and host",
    ),
    "a site with a query": ("name: a\nsites: ['http://a/?b']\n", 2, "sites[0]", "query"),
    "a site of two double stars": (
        "name: a\nsites: ['http://a/**/b/*']\n",
        2,
        "sites[0]",
        "once at most",
    ),
    "a screen without an address": (HEAD + "screens:\n  - id: A\n", 4, "screens[0].url", "missing"),
    "a screen's unknown key": (
        HEAD + "screens:\n  - id: A\n    url: /\n    css: a\n",
        6,
        "screens[0].css",
        "Known here: id, url, selector",
    ),
    "a screen twice": (
        HEAD + "screens:\n  - {id: A, url: /}\n  - {url: /b, id: A}\n",
        5,
        "screens[1].id",
        "twice",
    ),
    "a screen id with a dot": (
        HEAD + "screens:\n  - {id: a.b, url: /}\n",
        4,
        "screens[0].id",
        "letters",
    ),
    "a screen of a bad address": (
        HEAD + "screens:\n  - {id: A, url: cart/}\n",
        4,
        "screens[0].url",
        "scheme and host",
    ),
    "a screen of a bad address among others": (
        HEAD + "screens:\n  - id: A\n    url:\n      - /ok\n      - /a?b\n",
        7,
        "screens[0].url[1]",
        "query",
    ),
    "two stars in a word": (
        HEAD + "screens:\n  - {id: A, url: /a**}\n",
        4,
        "screens[0].url",
        "alone",
    ),
    "a screen's bad selector": (
        HEAD + "screens:\n  - {id: A, url: /, selector: 'a['}\n",
        4,
        "screens[0].selector",
        "no CSS",
    ),
    "a screen that is a text": (HEAD + "screens: [A]\n", 3, "screens[0]", "Keys with values"),
    "an element without a selector": (
        HEAD + "elements:\n  - id: a.b\n",
        4,
        "elements[0].selector",
        "missing",
    ),
    "an element twice": (
        HEAD + "elements:\n  - {id: a, selector: a}\n  - {id: a, selector: b}\n",
        5,
        "elements[1].id",
        "twice",
    ),
    "a row that nothing counts": (
        HEAD + "elements:\n  - id: cart.remove\n    selector: a\n    row: tr\n",
        6,
        "elements[0].row",
        "counted by [N]",
    ),
    "a count without a row": (
        HEAD + "elements:\n  - {id: 'cart[N].remove', selector: a}\n",
        4,
        "elements[0].id",
        "say with row",
    ),
    "two counts": (
        HEAD + "elements:\n  - {id: 'a[N].b[N]', selector: a, row: tr}\n",
        4,
        "elements[0].id",
        "once",
    ),
    "an element id with a blank": (
        HEAD + "elements:\n  - {id: place order, selector: a}\n",
        4,
        "elements[0].id",
        "letters",
    ),
    "a bad row": (
        HEAD + "elements:\n  - {id: 'a[N]', selector: a, row: 'tr:hover'}\n",
        4,
        "elements[0].row",
        "“:hover”",
    ),
    "an empty selector": (
        HEAD + "elements:\n  - {id: a, selector: ' '}\n",
        4,
        "elements[0].selector",
        "A text",
    ),
    "a long selector": (
        HEAD + "elements:\n  - {id: a, selector: " + "a" * 501 + "}\n",
        4,
        "elements[0].selector",
        "500",
    ),
    "an act for good that no element has": (
        HEAD + "elements:\n  - {id: a, selector: a}\nirreversible:\n  - a\n  - b\n",
        7,
        "irreversible[1]",
        "No element",
    ),
    "too many sites": (
        "name: a\nsites: [" + ", ".join(["'http://a/*'"] * 51) + "]\n",
        2,
        "sites",
        "More than 50",
    ),
    "too many screens": (HEAD + "screens:\n" + "  - x\n" * 201, 3, "screens", "More than 200"),
    "too many elements": (HEAD + "elements:\n" + "  - x\n" * 201, 3, "elements", "More than 200"),
    "too large": (HEAD + "#" * 65536, 1, "", "65536"),
    "an anchor": (HEAD + "screens: &all []\n", 3, "", "Anchors"),
    "an alias": ("a: &a [1]\nb: *a\n", 1, "", "Anchors"),
    "a tag": (HEAD + "mode: !!python/name:os.system ask\n", 3, "", "Tags"),
    "no YAML": (HEAD + "screens: [\n", 4, "", "no YAML"),
    "a tab": (HEAD + "screens:\n\t- a\n", 4, "", "no YAML"),
    "two documents": (HEAD + "---\nname: b\n", 3, "", "no YAML"),
    "a control letter": (HEAD + "mode: a\x07sk\n", 3, "", "does not know"),
    "a key that is a list": (HEAD + "? [a]\n: b\n", 3, "", "short text"),
    "nested without end": (HEAD + "mode: " + "[" * 3000 + "\n", 3, "", "deeply"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_line_and_its_key(name: str) -> None:
    text, line, key, words = WRONG[name]
    with pytest.raises(Misplaced) as caught:
        profiles.read(text)
    assert (caught.value.line, caught.value.key) == (line, key)
    assert words in caught.value.problem
    place = f"line {line}, {key}: " if key else f"line {line}: "
    assert str(caught.value).startswith(place)


PIECES = st.sampled_from(
    [
        *SHOP.split(),
        *"[]{}:,-?!&*|>%@`'\"#\n\t",
        *(
            "  ",
            "- ",
            ": ",
            "[N]",
            "\x00",
            "\ud800",
            "1e999",
            "2001-99-99",
            "0x",
            "1:99:99",
            ".inf",
        ),
        *("<<", "---", "...", "9" * 5000, "~", "null", "true"),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
def test_no_text_raises_anything_but_its_own_error(text: str) -> None:
    with suppress(Misplaced):
        profiles.read(text)


@given(st.lists(PIECES, max_size=12).map("".join), st.sampled_from(SHOP.splitlines()))
def test_a_spoilt_line_is_told_or_read(spoilt: str, line: str) -> None:
    with suppress(Misplaced):
        profiles.read(SHOP.replace(line, line + spoilt))


# --- globs ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("glob", "url", "fits"),
    [
        ("http://a.example/*", "http://a.example/x", True),
        ("http://a.example/*", "http://a.example/x/y", False),
        ("http://a.example/x*/", "http://a.example/x17/", True),
        ("http://a.example/**", "http://a.example/", True),
        ("http://a.example/**/pay", "http://a.example/x/y/pay", True),
        ("http://a.example/**/pay", "http://a.example/pay", False),
        ("http://a.example/x", "https://a.example/x", False),
        ("*://a.example/x", "https://a.example/x", True),
        ("http://*.example/x", "http://a.example/x", True),
        ("http://*.example/x", "http://b.a.example/x", False),
        ("http://**.example/x", "http://b.a.example/x", True),
        ("http://a.example/x", "http://a.example:8001/x", False),
        ("http://a.example:*/x", "http://a.example:8001/x", True),
        ("http://a.example:80/x", "http://a.example/x", True),
        ("https://a.example/x", "https://a.example:443/x", True),
        ("http://[::1]:8001/x", "http://[::1]:8001/x", True),
        ("http://a.example/x", "http://A.EXAMPLE/x?y=1#z", True),
        ("http://a.example/x", "http://a.example./x", True),
        ("http://a.example/x", "http://me:secret@a.example/x", True),
        ("http://a.example/x", "http://a.example/%78", True),
        ("http://a.example/x/y", "http://a.example//x///y", True),
        ("http://a.example/**", "blob:http://a.example/17", True),
        ("http://a.example/a.b", "http://a.example/aXb", False),
        ("http://a.example/[ab]", "http://a.example/a", False),
        ("http://a.example/**", "http://a.example.evil.example/", False),
        ("http://a.example/**", "about:blank", False),
        ("http://a.example/**", "http://a.example:99999/", False),
        ("http://a.example/x/y", "http://*/x/y", False),
    ],
)
def test_a_glob_fits_an_address_however_that_is_written(glob: str, url: str, fits: bool) -> None:
    assert url_glob(glob).matches(url) is fits


@pytest.mark.parametrize("site", ["http://a.example", "http://a.example/", "http://a.example/*"])
def test_a_site_is_all_that_follows(site: str) -> None:
    for path in ("", "/", "/x", "/x/y/?z"):
        assert site_glob(site).matches(f"http://a.example{path}")
    assert not site_glob(site).matches("http://b.example/")


def test_a_site_may_be_a_part_of_a_host() -> None:
    assert site_glob("http://a.example/shop/*").matches("http://a.example/shop/cart/1")
    assert not site_glob("http://a.example/shop/*").matches("http://a.example/blog/")


@given(st.text(), st.text())
def test_no_glob_and_no_address_raises_anything_else(text: str, url: str) -> None:
    for read in (url_glob, site_glob):
        try:
            read(f"http://a/{text}").matches(url)
            read(text).matches(f"http://{url}")
        except BadGlob:
            pass


# --- selectors --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "selector",
    [
        *("text=Buy", "a >> b", "//a", "a:has-text('x')", "a:visible", "a:hover", "a::before"),
        *(
            "a,",
            ",a",
            ">a",
            "a >",
            "a[b",
            "a[b=c d]",
            "a(",
            "a:not()",
            "a:nth-child(x)",
            "#1",
            "a{",
        ),
        *("a:has(b:has(c))", "a /* b */", "a|b", "", "a:is(", "a\\", "'a"),
        ":is(" * 20 + "a" + ")" * 20,
    ],
)
def test_what_a_page_is_not_asked_about_is_refused(selector: str) -> None:
    with pytest.raises(BadSelector):
        checked_selector(selector)


# --- the command ------------------------------------------------------------------------
def test_the_command_tells_what_is_wrong_with_each_file(tmp_path: Path, capsys) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(SHOP)
    bad.write_text(HEAD + "mode: never\n")
    with pytest.raises(CommandError, match=r"bad\.yaml: line 3, mode: One of") as caught:
        call_command("profile", good, bad, tmp_path / "none.yaml")
    assert "none.yaml: it cannot be read" in str(caught.value)
    assert (
        "hearth-and-hill, 1 sites, 3 screens, 2 elements, 2 irreversible" in capsys.readouterr().out
    )
