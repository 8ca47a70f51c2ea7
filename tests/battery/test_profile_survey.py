"""What a profile's rules find on a page, counted where they would judge."""

import pytest

from browser import calls
from browser.calls import ElementRule, Named, PageRules, Surveyed
from tests.battery.conftest import other_host
from tests.support.rig import Rig
from tests.support.site import Site

RULES = PageRules(
    screens=(("REVIEW", "#review"), ("CART", "")),
    elements=(
        ElementRule("place", "button.place"),
        ElementRule("item[N].remove", "button.remove", "li"),
    ),
)
CART = """
<ul><li><b>Apron</b></li><li><button class=remove>Remove pan</button></li></ul>
<button class=remove aria-label="Remove all">x</button>
<div id=host></div>
<form><input name=matches><input name=shadowRoot><input name=querySelectorAll></form>
<script>
  host.attachShadow({mode: "open"}).innerHTML = "<button class=place>Place <i>it</i></button>";
  Element.prototype.matches = () => { throw new Error("mine"); };
</script>
"""


def survey(rig: Rig, url: str, rules: PageRules | None = RULES) -> list[Surveyed]:
    rig.open(url)
    return calls.survey(rig.ref, rules_for=lambda _: rules)


def test_elements_are_counted_and_named_also_in_shadow_roots(rig: Rig, server: Site) -> None:
    url = server.page(CART)
    assert survey(rig, url) == [
        Surveyed(
            url,
            "CART",
            (
                Named(1, (("place", "Place it"),)),
                Named(2, (("item[1].remove", "Remove pan"), ("item[2].remove", "Remove all"))),
            ),
            is_ruled=True,
        )
    ]


def test_the_screen_is_the_first_that_is_present(rig: Rig, server: Site) -> None:
    assert survey(rig, server.page("<p id=review>All of it"))[0].screen_id == "REVIEW"


def test_many_are_counted_and_the_first_few_are_named(rig: Rig, server: Site) -> None:
    found = survey(rig, server.page("<button class=place>Go</button>" * 30))[0].named[0]
    assert (found.count, len(found.first)) == (30, 5)


def test_what_is_typed_in_a_secret_field_is_not_told(rig: Rig, server: Site) -> None:
    url = server.page("<label>PIN <input type=password value=4711></label>")
    rules = PageRules(elements=(ElementRule("pin", "input"),))
    assert survey(rig, url, rules)[0].named == (Named(1, (("pin", "PIN"),)),)


@pytest.mark.parametrize("is_other_site", [False, True])
def test_each_frame_is_judged_by_the_rules_of_its_own_address(
    is_other_site: bool, rig: Rig, server: Site
) -> None:
    host = other_host(server) if is_other_site else server.host
    server.page("<button class=place>Inside</button>", "/inside")
    url = server.page(f"<iframe src='http://{host}/inside'></iframe>")
    rig.open(url)
    documents = calls.survey(
        rig.ref, rules_for=lambda address: RULES if address.endswith("/inside") else None
    )
    assert [(one.url, one.is_ruled) for one in documents] == [
        (url, False),
        (f"http://{host}/inside", True),
    ]
    assert documents[1].named[0] == Named(1, (("place", "Inside"),))
