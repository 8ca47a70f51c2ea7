"""What Enter in a field would press, asked of real pages."""

import pytest

from browser.setting_off import note_set_off
from confidence.domain.confidence import SetOff
from tests.support.rig import Rig
from tests.support.site import Site

SEARCH = "<form><input id=f><button>Search</button></form>"
KNOWN = {
    "the only button of its form": ("<form><input id=f><button>Place order</button></form>", "Place order"),
    "the first of two": (
        "<form><input id=f><button>Save</button><button>Delete</button></form>", "Save"
    ),
    "no button that submits nothing": (
        "<form><button type=button>Help</button><input id=f><button>Pay</button></form>", "Pay"
    ),
    "a button elsewhere that names the form": (
        "<button form=o>Buy now</button><form id=o><input id=f><button>Search</button></form>",
        "Buy now",
    ),
    "a field elsewhere that names its form": (
        "<input id=f form=o><form id=o><button>Buy now</button></form>", "Buy now"
    ),
    "an input by its value": ("<form><input id=f><input type=submit value=Pay></form>", "Pay"),
    "a picture by its words": (
        "<form><input id=f><input type=image alt='Order now'></form>", "Order now"
    ),
    "a hidden button": (
        "<form><input id=f><button style='display:none'>Place order</button></form>", "Place order"
    ),
    "for a menu": ("<form><select id=f><option>1</select><button>Pay</button></form>", "Pay"),
    "for a field that the page calls a button": (
        "<form><input id=f role=button><button>Pay</button></form>", "Pay"
    ),
    "for a text of several lines": (
        "<form><textarea id=f></textarea><button>Send</button></form>", "Send"
    ),
    "for a field whose form has fields named like everything": (
        "<form><input name=elements><input name=parentNode><input id=f><button>Pay</button></form>",
        "Pay",
    ),
}  # fmt: skip
UNKNOWN = {
    "a field without a form": ("<input id=f>", ()),
    "a form without a button": ("<form><input id=f></form>", ()),
    "a form whose button is the page's own": (
        "<form><input id=f><button type=button>Place order</button></form>", ("Place order",)
    ),
    "a text that scripts read": ("<div id=f contenteditable>x</div>", ()),
}  # fmt: skip
COMPONENT = """<form>{before}<x-part></x-part>{after}</form><script>
document.querySelector("x-part").attachShadow({{mode: "open"}}).innerHTML = `{inside}`;
</script>"""


def set_off(rig: Rig, server: Site, html: str, target: str = "#f") -> SetOff | None:
    rig.open(server.page(f"<!doctype html><body>{html}"))
    resolution = rig.find(target)
    rig.ask(lambda _: note_set_off(resolution))
    return resolution.candidates[0].sets_off


@pytest.mark.parametrize("name", KNOWN)
def test_enter_presses(name: str, rig: Rig, server: Site) -> None:
    html, words = KNOWN[name]
    assert set_off(rig, server, html) == SetOff((words,), is_known=True)


@pytest.mark.parametrize("name", UNKNOWN)
def test_only_the_page_knows_what_enter_does_in(name: str, rig: Rig, server: Site) -> None:
    html, words = UNKNOWN[name]
    assert set_off(rig, server, html) == SetOff(words, is_known=False)


def test_while_the_first_button_is_disabled_any_may_be_the_one(rig: Rig, server: Site) -> None:
    html = "<form><input id=f><button disabled>Next</button><button>Pay</button></form>"
    assert set_off(rig, server, html) == SetOff(("Next", "Pay"), is_known=True)


def test_a_button_presses_itself_and_its_own_words_tell(rig: Rig, server: Site) -> None:
    html = "<form><button>Pay</button><button id=f type=button>Help</button></form>"
    assert set_off(rig, server, html) == SetOff((), is_known=True)


def test_a_field_inside_a_component_belongs_to_the_form_around(rig: Rig, server: Site) -> None:
    html = COMPONENT.format(before="", inside="<input id=f>", after="<button>Pay</button>")
    assert set_off(rig, server, html) == SetOff(("Pay",), is_known=True)


def test_a_button_inside_a_component_belongs_to_it_too(rig: Rig, server: Site) -> None:
    html = COMPONENT.format(before="<input id=f>", inside="<button>Pay</button>", after="")
    assert set_off(rig, server, html) == SetOff(("Pay",), is_known=True)


def test_each_candidate_has_its_own(rig: Rig, server: Site) -> None:
    rig.open(server.page(SEARCH + SEARCH.replace("Search", "Place order")))
    resolution = rig.find("input")
    rig.ask(lambda _: note_set_off(resolution))
    told = [one.sets_off.words for one in resolution.candidates if one.sets_off]
    assert told == [("Search",), ("Place order",)]
