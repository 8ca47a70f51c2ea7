"""A profile is tried on a run's page before it is saved, by a worker of the running product."""

import pytest
from playwright.sync_api import Browser, expect

from tests.support.site import Site
from tests.support.stack import Agent, Stack

pytestmark = pytest.mark.stack

CART = """<!doctype html><html lang="en"><title>Cart</title><body>
<table><tr class="cart-line"><td>Apron<td><button class="remove">Remove apron</button></tr>
<tr class="cart-line"><td>Pan<td><button class="remove">Remove pan</button></tr></table>
<form id="review"><button>Place order</button></form></body></html>"""
TEXT = """\
name: tried
sites: ["http://{host}/*"]
screens:
  - {{id: CHECKOUT_REVIEW, url: /cart, selector: "#review"}}
elements:
  - {{id: "cart.item[N].remove", selector: button.remove, row: tr.cart-line}}
  - {{id: checkout_review.place_order, selector: "#review button"}}
  - {{id: order_cancel.confirm, selector: "#cancel"}}
irreversible: [checkout_review.place_order, "cart.item[N].remove"]
"""


def test_what_is_typed_is_tried_on_the_page_of_an_open_run(
    stack: Stack, agent: Agent, site: Site, chromium: Browser
) -> None:
    agent.open_run(site.page(CART, "/cart"))
    with stack.reviewer(chromium, role="admin") as ada:
        page = ada.page
        page.goto("/settings/new-profile")
        page.get_by_label("Profile, in YAML").fill(TEXT.format(host=site.host))
        page.get_by_label("Open run").select_option(agent.run_id)
        page.get_by_role("button", name="Try it").click()
        found = page.locator("#trial")
        expect(found).to_contain_text("CHECKOUT_REVIEW")
        rows = found.locator("tbody tr")
        expect(rows).to_contain_text(
            [
                "cart.item[N].remove irreversible 2 cart.item[0].remove Remove apron",
                "checkout_review.place_order irreversible 1 Place order",
                "order_cancel.confirm 0 none on this page",
            ]
        )
        expect(rows.first).to_contain_text("cart.item[1].remove Remove pan")
        page.get_by_label("Profile, in YAML").fill(TEXT.format(host="elsewhere.example"))
        page.get_by_role("button", name="Try it").click()
        expect(found).to_contain_text("This page belongs to no site of the profile.")
    assert stack.sql("SELECT count(*) FROM confirmations_profile WHERE name = 'tried'") == [(0,)]
    assert stack.sql(
        "SELECT verb FROM audit_browseraudit WHERE run_id = %s AND verb = 'profile.try'",
        agent.run_id,
    )
