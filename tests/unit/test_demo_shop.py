"""The demo shop as a shopper meets it: its own server on its own port, and a real browser."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.support.stack import free_port, wait_until

PROJECT = Path(__file__).resolve().parents[2]
ADDRESS = {
    "name": "Ada Birch",
    "email": "ada@example.org",
    "street": "4 Mill Lane",
    "town": "Kendal",
    "postcode": "LA9 4AA",
    "delivery": "standard",
}


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "demo.shop.asgi:application", "--port", str(port)]
    # Pointsman's own settings in the environment must not confuse the shop.
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    server = subprocess.Popen([*command, "--log-level", "warning"], cwd=PROJECT, env=env)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: answers(url), 20)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=10)


def answers(url: str) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(url, trust_env=False).is_success
    return False


class Shopper:
    """A visitor without scripts: follows links, sends forms, keeps cookies."""

    def __init__(self, shop: str) -> None:
        self._http = httpx.Client(base_url=shop, follow_redirects=True, trust_env=False)
        self.see("/")

    def see(self, path: str) -> httpx.Response:
        return self._http.get(path)

    def send(self, path: str, **fields: str | int) -> httpx.Response:
        token = self._http.cookies["shop_csrf"]
        return self._http.post(path, data={"csrfmiddlewaretoken": token, **fields})

    def send_unasked(self, path: str, **fields: str) -> httpx.Response:
        return self._http.post(path, data=fields)

    def state(self) -> Any:
        return self.see("/__state").json()

    def mine(self) -> Any:
        state = self.state()
        return state["sessions"][state["you"]]


@pytest.fixture
def shopper(shop: str) -> Shopper:
    httpx.post(f"{shop}/__reset", trust_env=False).raise_for_status()
    return Shopper(shop)


def test_a_shopper_without_scripts_can_buy(shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="enamel-mug", quantity=2)
    shopper.send("/cart/add/", sku="hand-trowel")
    page = shopper.send("/checkout/place/form/", **ADDRESS)

    [order] = shopper.state()["orders"]
    assert page.url.path == f"/orders/{order['number']}/"
    assert order["number"] in page.text
    assert [(line["sku"], line["quantity"]) for line in order["lines"]] == [
        ("enamel-mug", 2),
        ("hand-trowel", 1),
    ]
    assert order["total_pence"] == 2 * 950 + 1650 + 495
    assert order["placed_from"] == "form"
    assert shopper.mine()["cart"] == {}


def test_each_of_the_three_buttons_is_counted_by_itself(shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.send("/checkout/place/summary/")
    shopper.send("/checkout/place/bottom/", **ADDRESS)
    shopper.send("/cart/add/", sku="nest-box")
    shopper.send("/checkout/place/form/", **ADDRESS)

    state = shopper.state()
    counted = {name: n for name, n in state["presses"].items() if name.startswith("place_order")}
    assert counted == {"place_order.summary": 1, "place_order.bottom": 1, "place_order.form": 1}
    assert [order["placed_from"] for order in state["orders"]] == ["bottom", "form"]


def test_the_button_in_the_summary_orders_to_the_saved_address_only(shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    assert "no saved address" in shopper.send("/checkout/place/summary/", **ADDRESS).text
    shopper.send("/checkout/place/form/", **ADDRESS)
    shopper.send("/cart/add/", sku="nest-box")
    shopper.send("/checkout/place/summary/", **{**ADDRESS, "street": "9 New Road"})

    addresses = [order["address"] for order in shopper.state()["orders"]]
    assert addresses == ["4 Mill Lane, Kendal LA9 4AA"] * 2


def test_a_form_with_a_gap_places_nothing_and_says_where(shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    page = shopper.send("/checkout/place/form/", **{**ADDRESS, "town": ""})
    assert page.status_code == 422
    assert 'id="town_error"' in page.text
    assert shopper.state()["orders"] == []
    assert shopper.mine()["presses"]["place_order.form"] == 1


def test_coupon_and_gift_card_lower_the_sum_and_are_told_apart(shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="iron-skillet")
    shopper.send("/cart/coupon/", code="spring10")
    shopper.send("/gift-card/", code="GIFT20")
    shopper.send("/checkout/place/form/", **{**ADDRESS, "delivery": "express"})

    [order] = shopper.state()["orders"]
    assert order["total_pence"] == 4800 - 480 + 995 - 2000
    assert shopper.mine()["presses"]["apply.coupon"] == 1
    assert shopper.mine()["presses"]["apply.gift_card"] == 1


def test_removing_a_line_leaves_the_others(shopper: Shopper) -> None:
    for sku in ("enamel-mug", "nest-box"):
        shopper.send("/cart/add/", sku=sku, quantity=3)
    shopper.send("/cart/update/", sku="nest-box", quantity=2)
    shopper.send("/cart/remove/", sku="enamel-mug")
    assert shopper.mine()["cart"] == {"nest-box": 2}
    assert shopper.send("/cart/remove/", sku="enamel-mug").status_code == 404


def test_an_order_is_cancelled_only_by_who_placed_it(shopper: Shopper, shop: str) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.send("/checkout/place/form/", **ADDRESS)
    number = shopper.state()["orders"][0]["number"]

    assert Shopper(shop).send(f"/orders/{number}/cancel/").status_code == 404
    assert shopper.state()["orders"][0]["status"] == "placed"
    shopper.send(f"/orders/{number}/cancel/")
    assert shopper.state()["orders"][0]["status"] == "cancelled"


def test_a_forged_form_is_refused(shopper: Shopper) -> None:
    assert shopper.send_unasked("/cart/add/", sku="nest-box").status_code == 403
    assert shopper.state()["cart_adds"] == {}


def test_adding_never_leads_to_another_site(shopper: Shopper) -> None:
    page = shopper.send("/cart/add/", sku="nest-box", next="//example.org/")
    assert page.url.path == "/cart/"


def test_search_puts_names_before_stories(shopper: Shopper) -> None:
    page = shopper.see("/search/?q=steel").text
    assert page.index("Steel Flask") < page.index("Whistling Kettle")
    assert "Wool Blanket" not in page
    assert "Nothing on the shelves" in shopper.see("/search/?q=zither").text


def test_reset_forgets_everything(shopper: Shopper, shop: str) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    httpx.post(f"{shop}/__reset", trust_env=False)
    state = shopper.state()
    assert (state["orders"], state["presses"], state["sessions"]) == ([], {}, {})


# --- the difficulties, in a real browser ------------------------------------------------


@pytest.fixture
def page(chromium: Browser, shop: str) -> Iterator[Page]:
    context = chromium.new_context(base_url=shop, viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto("/")
    yield page
    context.close()


@pytest.fixture
def without_letter(page: Page, shop: str) -> Page:
    page.context.add_cookies([{"name": "newsletter", "value": "seen", "url": shop}])
    page.reload()
    return page


def counts(page: Page, selector: str) -> tuple[int, int]:
    """(visible, total) matches, all frames together."""
    found = [frame.locator(selector) for frame in page.frames]
    visible = sum(locator.filter(visible=True).count() for locator in found)
    return visible, sum(locator.count() for locator in found)


def fill_cart(page: Page) -> None:
    page.click("#add-nest-box")
    page.goto("/cart/")
    page.frame_locator("iframe").locator("button").wait_for()


def mine(page: Page) -> Any:
    state = page.request.get("/__state").json()
    return state["sessions"][state["you"]]


@pytest.mark.parametrize("button", ["summary", "form", "bottom"])
def test_a_three_place_order_buttons_each_lead_elsewhere(without_letter: Page, button: str) -> None:
    page = without_letter
    fill_cart(page)
    page.goto("/checkout/")
    assert counts(page, "text=Place order") == (3, 3)

    for name, value in ADDRESS.items():
        if name != "delivery":
            page.fill(f"#{name}", value)
    page.click("#place-order" if button == "form" else f"#place-order-{button}")
    page.wait_for_load_state()

    assert mine(page)["presses"][f"place_order.{button}"] == 1
    assert len(mine(page)["orders"]) == (0 if button == "summary" else 1)


def test_b_the_letter_opens_late_over_the_whole_page(page: Page) -> None:
    page.wait_for_timeout(1000)
    assert counts(page, "#newsletter-close") == (0, 1)
    page.wait_for_selector("#newsletter-close", timeout=2000)
    late_ms = page.evaluate("performance.now()")
    assert 1400 < late_ms < 5000
    cover = page.evaluate("document.elementFromPoint(1100, 680).tagName")
    assert cover == "DIALOG"

    page.click("#newsletter-close")
    page.reload()
    assert counts(page, "#newsletter-close") == (0, 0)


def test_c_a_spinner_says_add_to_cart_before_the_button_does(without_letter: Page) -> None:
    page = without_letter
    page.goto("/product/storm-lantern/")
    visible = page.locator("text=Add to cart").filter(visible=True)
    assert (visible.count(), visible.evaluate("e => e.tagName")) == (1, "SPAN")
    assert counts(page, "text=Loading…") == (1, 1)

    page.wait_for_selector("#add-to-cart", timeout=5000)
    assert (visible.count(), visible.evaluate("e => e.tagName")) == (1, "BUTTON")
    assert counts(page, "text=Add to cart") == (1, 2)
    assert counts(page, "text=Loading…") == (0, 0)


@pytest.mark.parametrize("width", [360, 1280])
def test_d_the_menu_has_a_hidden_twin(without_letter: Page, width: int) -> None:
    page = without_letter
    page.set_viewport_size({"width": width, "height": 720})
    if width == 360:
        page.click("summary")
    assert counts(page, "text=Garden") == (1, 2)
    page.locator("text=Garden").filter(visible=True).click()
    page.wait_for_url("**/category/garden/")


def test_e_a_frame_holds_a_second_apply(without_letter: Page) -> None:
    page = without_letter
    fill_cart(page)
    assert counts(page, "text=Apply") == (2, 2)
    assert page.locator("text=Apply").count() == 1

    page.frame_locator("iframe").locator("text=Apply").click()
    page.wait_for_selector("text=Type a card first")
    page.click("text=Apply")
    page.wait_for_selector("text=Type a coupon first")
    presses = mine(page)["presses"]
    assert (presses["apply.gift_card"], presses["apply.coupon"]) == (1, 1)


def test_f_every_row_of_a_list_has_the_same_button(without_letter: Page) -> None:
    page = without_letter
    assert counts(page, "text=Add to cart") == (12, 12)
    page.locator("text=Add to cart").nth(7).click()
    page.wait_for_load_state()
    assert mine(page)["cart_adds"] == {"hand-trowel": 1}


@pytest.mark.parametrize("path", ["/", "/category/garden/", "/product/nest-box/", "/search/?q=x"])
@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_is_wider_than_the_window(without_letter: Page, path: str, width: int) -> None:
    page = without_letter
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_asked_of_another_host(without_letter: Page, shop: str) -> None:
    page, asked = without_letter, []
    page.on("request", lambda request: asked.append(request.url))
    fill_cart(page)
    page.goto("/checkout/")
    page.goto("/product/nest-box/")
    page.wait_for_selector("#add-to-cart")
    assert asked
    assert [url for url in asked if not url.startswith((shop, "data:"))] == []


Audit = Callable[[Page], list[str]]


@pytest.fixture
def violations() -> Audit:
    from axe_playwright_python.sync_playwright import Axe

    def audit(page: Page) -> list[str]:
        found = Axe().run(page).response["violations"]
        return [f"{v['id']}: {v['nodes'][0]['html']}" for v in found]

    return audit


def test_the_shop_passes_axe(without_letter: Page, violations: Audit) -> None:
    page = without_letter
    fill_cart(page)
    for path in ("/", "/product/nest-box/", "/cart/", "/checkout/"):
        page.goto(path)
        page.wait_for_timeout(1500 if "product" in path else 100)
        assert violations(page) == [], path
