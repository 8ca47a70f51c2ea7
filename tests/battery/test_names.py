"""What an element is called where a page hides, masks or multiplies what a name is made of."""

import pytest

from tests.support.rig import Rig
from tests.support.site import Site

SECRET = "zebra-lamp-4471"
TELLTALES = {
    "a password in a label": "<label><input type=checkbox id=t>Pay "
    f"<input type=password value={SECRET}></label>",
    "a password in a button": f"<div role=button id=t>Pay <input type=password value={SECRET}></div>",
    "a card number": f"<div role=button id=t>Pay <input autocomplete=cc-number value={SECRET}></div>",
    "a one-time code as a number": "<div role=button id=t>Pay "
    "<input type=number autocomplete=one-time-code value=4471></div>",
    "a password that the page shows": f"<div role=button id=t>Pay "
    f"<input autocomplete=current-password value={SECRET}></div>",
    "a password that is referred to": f"<button id=t aria-labelledby='a b'>x</button>"
    f"<span id=a>Pay</span> <input id=b type=password value={SECRET}>",
    "a password in a hidden label": f"<button id=t aria-labelledby=a>x</button>"
    f"<div id=a hidden>Pay <input type=password value={SECRET}></div>",
    "a password that names itself": f"<input id=t type=password aria-labelledby='a t' value={SECRET}>"
    "<span id=a>Pay</span>",
    "a declared field": f"<div role=button id=t>Pay <input class=declared value={SECRET}></div>",
    "a declared text": f"<div role=button id=t>Pay <b contenteditable class=declared>{SECRET}</b></div>",
    "a declared menu": f"<div role=button id=t>Pay <select class=declared><option>{SECRET}</select></div>",
}


def name_of(rig: Rig, target: str) -> str:
    return rig.find(target, timeout_s=0).found[0].candidate.name


@pytest.mark.parametrize("html", TELLTALES.values(), ids=list(TELLTALES))
def test_no_name_tells_a_secret(server: Site, rig: Rig, html: str) -> None:
    rig.open(server.page(html))
    for declared in rig.find(".declared", timeout_s=0).found:
        rig.ask(lambda _, one=declared: one.world.ask("declareSecret", one.position))
    assert name_of(rig, "#t") == "Pay"


def test_a_field_that_is_no_secret_tells_its_value(server: Site, rig: Rig) -> None:
    rig.open(server.page(f"<div role=button id=t>Pay <input value={SECRET}></div>"))
    assert name_of(rig, "#t") == f"Pay {SECRET}"


FIELDS = ("parentElement", "ownerDocument", "getAttribute", "nodeName", "labels", "shadowRoot")


@pytest.mark.parametrize("field", FIELDS)
def test_a_forms_fields_take_no_name_away(server: Site, rig: Rig, field: str) -> None:
    rig.open(
        server.page(
            f"<form><label>Mail <input id=mail></label><input name={field}>"
            "<button id=send title=Post>Send</button></form>"
        )
    )
    assert (name_of(rig, "#mail"), name_of(rig, "#send")) == ("Mail", "Send")


def test_what_the_page_redefines_names_nothing(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button id=t aria-label=Save>x</button>"))
    rig.script(
        "Element.prototype.getAttribute = () => 'Pay'; window.getComputedStyle = () => ({});"
        "Object.defineProperty(Element.prototype, 'tagName', { get: () => 'TEMPLATE' })"
    )
    assert name_of(rig, "#t") == "Save"


def test_what_is_seen_though_kept_from_assistive_tools_has_a_name(server: Site, rig: Rig) -> None:
    rig.open(server.page("<div aria-hidden=true><button id=t>Save<i hidden>!</i></button></div>"))
    assert name_of(rig, "#t") == "Save"


def test_a_list_of_references_is_read_only_so_far(server: Site, rig: Rig) -> None:
    """Ten million letters of them would take the library a quarter of a minute."""
    references = "go " * 4_000 + "late"
    rig.open(
        server.page(
            f'<button id=t aria-labelledby="{references}">x</button><p id=go>Go</p><p id=late>on</p>'
        )
    )
    assert name_of(rig, "#t") == "Go"


def test_a_name_ends_after_so_many_parts(server: Site, rig: Rig) -> None:
    rig.open(server.page("<button id=t>Go" + "<b></b>" * 3_000 + "<b>on</b></button>"))
    assert name_of(rig, "#t") == "Go"


def test_playwrights_own_look_is_left_as_it_is(server: Site, rig: Rig) -> None:
    """The library's reads go through us in the world that Playwright's selectors run in, too."""
    rig.open(
        server.page(
            "<div aria-hidden=true><button>Save</button></div><input type=password value=x>"
        )
    )
    rig.find("button")
    assert rig.find("role=button[name='Save']", timeout_s=0).total_count == 0
    assert rig.find("input[value=x]", timeout_s=0).total_count == 1
