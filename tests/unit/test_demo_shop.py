"""The demo shop as a shopper meets it: its own server on its own port, and a real browser."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from playwright.sync_api import Browser, Page

from tests.support.stack import free_port, wait_until

PROJECT = Path(__file__).resolve().parents[2]
PROFILE = PROJECT / "demo/shop/profile.yaml"
TOKEN = "a-token-for-tests"
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
    with running(SHOP_BACKEND_TOKEN=TOKEN) as url:
        yield url


@contextlib.contextmanager
def running(**settings: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="shop-") as folder:
        yield from serve({"SHOP_DATA_DIR": folder, **settings})


def serve(settings: dict[str, str]) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "demo.shop.asgi:application", "--port", str(port)]
    # Pointsman's own settings in the environment must not confuse the shop.
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **settings}
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


class World:
    """A shop to itself, seen from behind the counter."""

    def __init__(self, shop: str, **setup: Any) -> None:
        self.shop = shop
        self.name = f"w-{uuid.uuid4().hex}"
        made = self.make(setup)
        assert made.status_code == 201, made.text
        self.entry = made.json()["entry"]
        self.first_state = made.json()["state"]

    def make(self, setup: Any) -> httpx.Response:
        return backend(self.shop).post("/__worlds", json={"world": self.name, "setup": setup})

    def state(self) -> Any:
        return backend(self.shop).get(f"/__worlds/{self.name}").json()

    def orders(self) -> Any:
        return self.state()["now"]["orders"]

    def cart(self) -> dict[str, int]:
        return {line["sku"]: line["quantity"] for line in self.state()["now"]["cart"]}

    def presses(self) -> dict[str, int]:
        return self.state()["presses"]


def backend(shop: str, token: str = TOKEN) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}".strip()}
    return httpx.Client(base_url=shop, headers=headers, trust_env=False)


class Shopper:
    """A visitor without scripts: follows links, sends forms, keeps cookies."""

    def __init__(self, shop: str, *, enter: str = "/") -> None:
        self.http = httpx.Client(base_url=shop, follow_redirects=True, trust_env=False)
        self.see(enter)

    def see(self, path: str) -> httpx.Response:
        return self.http.get(path)

    def send(self, path: str, **fields: str | int) -> httpx.Response:
        token = self.http.cookies["shop_csrf"]
        return self.http.post(path, data={"csrfmiddlewaretoken": token, **fields})

    def send_unasked(self, path: str, **fields: str) -> httpx.Response:
        return self.http.post(path, data=fields)

    def go_to_review(self, *, payment: str = "invoice", **address: str) -> str:
        """The review page's own token."""
        self.send("/checkout/address/", **{**ADDRESS, **address})
        return token_of(self.send("/checkout/payment/", payment=payment))

    def order(self, *, button: str = "form", **address: str) -> httpx.Response:
        return self.place(self.go_to_review(**address), button=button)

    def place(self, token: str, *, button: str = "form", note: str = "") -> httpx.Response:
        return self.send(f"/checkout/place/{button}/", token=token, note=note)


def token_of(page: httpx.Response) -> str:
    found = re.search(r'name="token" value="([^"]+)"', page.text)
    assert found, f"{page.url} is no review page"
    return found.group(1)


@pytest.fixture
def world(shop: str) -> World:
    return World(shop)


@pytest.fixture
def shopper(world: World) -> Shopper:
    return Shopper(world.shop, enter=world.entry)


def test_a_shopper_without_scripts_can_buy(shopper: Shopper, world: World) -> None:
    shopper.send("/cart/add/", sku="enamel-mug", quantity=2)
    shopper.send("/cart/add/", sku="hand-trowel")
    page = shopper.place(shopper.go_to_review(payment="card"), note="  By the gate ")

    [order] = world.orders()
    assert page.url.path == f"/orders/{order['number']}/thanks/"
    assert order["number"] in page.text
    assert order["lines"] == [
        {"sku": "enamel-mug", "quantity": 2, "unit_pence": 950},
        {"sku": "hand-trowel", "quantity": 1, "unit_pence": 1650},
    ]
    assert order["total_pence"] == 2 * 950 + 1650 + 495
    assert (order["placed_from"], order["payment"]) == ("form", "card")
    assert (order["status"], order["note"]) == ("placed", "By the gate")
    assert world.cart() == {}


def test_both_buttons_order_and_are_told_apart(shopper: Shopper, world: World) -> None:
    for button in ("form", "bottom"):
        shopper.send("/cart/add/", sku="nest-box")
        shopper.order(button=button)
    assert [order["placed_from"] for order in world.orders()] == ["form", "bottom"]
    counted = {name: n for name, n in world.presses().items() if name.startswith("place_order")}
    assert counted == {"place_order.form": 1, "place_order.bottom": 1}


def test_pressing_twice_orders_once(shopper: Shopper, world: World) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    token = shopper.go_to_review()
    first, again = shopper.place(token), shopper.place(token, button="bottom")
    assert first.url == again.url
    assert len(world.orders()) == 1
    assert sum(world.presses()[f"place_order.{one}"] for one in ("form", "bottom")) == 2


def test_pressing_many_times_at_once_orders_once(shopper: Shopper, world: World) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    token = shopper.go_to_review()
    with ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda _: shopper.place(token), range(8)))
    assert {page.status_code for page in pages} == {200}
    assert {page.url.path for page in pages} == {"/orders/HH-10401/thanks/"}
    assert len(world.orders()) == 1


def test_two_review_pages_of_one_cart_order_it_once(shopper: Shopper, world: World) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    one, other = shopper.go_to_review(), token_of(shopper.see("/checkout/review/"))
    shopper.place(one)
    assert "nothing in your cart" in shopper.place(other).text
    assert len(world.orders()) == 1


def test_what_changed_since_the_review_is_looked_at_again(shopper: Shopper, world: World) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    token = shopper.go_to_review()
    shopper.send("/cart/update/", sku="nest-box", quantity=9)
    page = shopper.place(token)
    assert page.url.path == "/checkout/review/"
    assert "has changed since" in page.text
    assert world.orders() == []


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "\x00"])
def test_without_a_review_page_nothing_is_ordered(
    shopper: Shopper, world: World, token: str
) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.go_to_review()
    assert shopper.place(token).status_code == 200
    assert world.orders() == []


def test_another_shoppers_review_page_orders_nothing(
    shopper: Shopper, world: World, shop: str
) -> None:
    stranger = Shopper(shop)
    stranger.send("/cart/add/", sku="nest-box")
    shopper.send("/cart/add/", sku="nest-box")
    shopper.go_to_review()
    shopper.place(stranger.go_to_review())
    assert world.orders() == []


@pytest.mark.parametrize(
    ("done", "asked", "sent_to", "why"),
    [
        ((), "address", "/cart/", "nothing in your cart"),
        ((), "review", "/cart/", "nothing in your cart"),
        (("cart",), "payment", "/checkout/address/", "where to send it"),
        (("cart",), "review", "/checkout/address/", "where to send it"),
        (("cart", "address"), "review", "/checkout/payment/", "how to pay"),
    ],
)
def test_a_step_needs_those_before_it(
    shopper: Shopper, done: tuple[str, ...], asked: str, sent_to: str, why: str
) -> None:
    if "cart" in done:
        shopper.send("/cart/add/", sku="nest-box")
    if "address" in done:
        shopper.send("/checkout/address/", **ADDRESS)
    page = shopper.see(f"/checkout/{asked}/")
    assert page.url.path == sent_to
    assert why in page.text


def test_an_address_with_a_gap_is_not_taken_and_says_where(shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    page = shopper.send("/checkout/address/", **{**ADDRESS, "town": " "})
    assert page.status_code == 422
    assert 'id="town_error"' in page.text
    assert shopper.see("/checkout/payment/").url.path == "/checkout/address/"


def test_an_unknown_way_to_pay_is_not_taken(shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.send("/checkout/address/", **ADDRESS)
    assert shopper.send("/checkout/payment/", payment="shells").status_code == 422
    assert shopper.see("/checkout/review/").url.path == "/checkout/payment/"


def test_coupon_and_gift_card_lower_the_sum_and_are_told_apart(
    shopper: Shopper, world: World
) -> None:
    shopper.send("/cart/add/", sku="iron-skillet")
    shopper.send("/cart/coupon/", code="spring10")
    shopper.send("/gift-card/", code="GIFT20")
    page = shopper.order(delivery="express")

    [order] = world.orders()
    assert order["total_pence"] == 4800 - 480 + 995 - 2000
    assert (world.presses()["apply.coupon"], world.presses()["apply.gift_card"]) == (1, 1)
    for sum_told in ("−£4.80", "£9.95", "−£20.00", "£33.15"):
        assert sum_told in page.text


def test_removing_a_line_leaves_the_others(shopper: Shopper, world: World) -> None:
    for sku in ("enamel-mug", "nest-box"):
        shopper.send("/cart/add/", sku=sku, quantity=3)
    shopper.send("/cart/update/", sku="nest-box", quantity=2)
    shopper.send("/cart/remove/", sku="enamel-mug")
    assert world.cart() == {"nest-box": 2}
    assert shopper.send("/cart/remove/", sku="enamel-mug").status_code == 404


@pytest.mark.parametrize("quantity", ["0", "-1", "", "²", "x" * 5000, "\x00"])
def test_no_quantity_takes_a_line_out(shopper: Shopper, world: World, quantity: str) -> None:
    shopper.send("/cart/add/", sku="nest-box", quantity=3)
    assert shopper.send("/cart/update/", sku="nest-box", quantity=quantity).status_code == 200
    assert world.cart() == {"nest-box": 1}


def test_nobody_gets_more_than_nine(shopper: Shopper, world: World) -> None:
    shopper.send("/cart/add/", sku="nest-box", quantity=999)
    shopper.send("/cart/add/", sku="nest-box", quantity=9)
    assert world.cart() == {"nest-box": 9}


def test_an_order_is_seen_and_cancelled_only_by_who_placed_it(
    shopper: Shopper, world: World, shop: str
) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.order()
    stranger = Shopper(shop)
    for path in ("", "cancel/", "thanks/"):
        assert stranger.see(f"/orders/HH-10401/{path}").status_code == 404
    assert stranger.send("/orders/HH-10401/cancel/").status_code == 404
    assert world.orders()[0]["status"] == "placed"

    page = shopper.send("/orders/HH-10401/cancel/", reason="too blue")
    assert "is cancelled" in page.text
    assert world.orders()[0]["status"] == "cancelled"


def test_an_order_is_cancelled_once(shopper: Shopper, world: World) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.order()
    shopper.send("/orders/HH-10401/cancel/")
    for page in (
        shopper.send("/orders/HH-10401/cancel/"),
        shopper.see("/orders/HH-10401/cancel/"),
    ):
        assert page.url.path == "/orders/HH-10401/"
        assert "was cancelled before" in page.text
    assert "cancel-link" not in shopper.see("/orders/HH-10401/").text
    assert world.orders()[0]["status"] == "cancelled"


def test_a_forged_form_is_refused(shopper: Shopper, world: World) -> None:
    assert shopper.send_unasked("/cart/add/", sku="nest-box").status_code == 403
    assert world.cart() == {}


def test_adding_never_leads_to_another_site(shopper: Shopper) -> None:
    page = shopper.send("/cart/add/", sku="nest-box", next="//example.org/")
    assert page.url.path == "/cart/"


def test_search_puts_names_before_stories(shopper: Shopper) -> None:
    page = shopper.see("/search/?q=steel").text
    assert page.index("Steel Flask") < page.index("Whistling Kettle")
    assert "Wool Blanket" not in page
    assert "Nothing on the shelves" in shopper.see("/search/?q=zither").text


def test_every_page_has_one_spelling_of_its_address(shopper: Shopper, shop: str) -> None:
    """A profile knows the pages by their addresses."""
    assert shopper.see("/cart/").status_code == 200
    for path in ("/%63art/", "/cart/%2e/", "/CART/", "//cart/", "/cart//"):
        assert shopper.see(shop + path).status_code == 404, path


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/cart/add/", {"sku": "no-such-thing"}),
        ("/cart/add/", {}),
        ("/cart/update/", {"sku": "nest-box"}),
        ("/cart/coupon/", {"code": "\x00" * 99}),
        ("/checkout/place/elsewhere/", {}),
        ("/checkout/place/form/", {"note": "x" * 9999}),
        ("/checkout/address/", {"name": "\x00"}),
        ("/checkout/payment/", {}),
        ("/orders/HH-999999999/cancel/", {}),
        ("/orders/HH-99999999999999999999/cancel/", {}),
        ("/account/sign-in/", {"email": "x", "password": "\x00"}),
        ("/account/sign-up/", {"email": "a@b.example", "name": "x" * 500}),
        ("/account/sign-out/", {}),
        ("/account/", {}),
        ("/enter/nobody", {}),
    ],
)
def test_bad_input_is_answered(shopper: Shopper, path: str, fields: dict[str, str]) -> None:
    shopper.send("/cart/add/", sku="iron-skillet")
    assert shopper.send(path, **fields).status_code < 500
    assert shopper.see(path).status_code < 500


# --- accounts ---------------------------------------------------------------------------


ACCOUNT = {"name": "Ada Birch", "email": "Ada@Example.org", "password": "a long walk"}


def test_an_account_keeps_address_and_orders(shop: str, shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.order()
    assert "signed in" in shopper.send("/account/sign-up/", **ACCOUNT).text
    assert "HH-10401" in shopper.see("/orders/").text, "the guest's order is the account's now"
    shopper.send("/account/", **ADDRESS)

    shopper.send("/account/sign-out/")
    assert "HH-10401" not in shopper.see("/orders/").text
    assert shopper.see("/orders/HH-10401/").status_code == 404
    shopper.send("/cart/add/", sku="enamel-mug")
    assert "4 Mill Lane" not in shopper.see("/checkout/address/").text

    page = shopper.send("/account/sign-in/", **ACCOUNT, next="/checkout/address/")
    assert page.url.path == "/checkout/address/"
    assert "4 Mill Lane" in page.text
    assert shopper.see("/orders/HH-10401/").status_code == 200


def test_the_first_address_of_a_customer_is_saved(shopper: Shopper) -> None:
    shopper.send("/account/sign-up/", **ACCOUNT)
    shopper.send("/cart/add/", sku="nest-box")
    shopper.order()
    assert "4 Mill Lane" in shopper.see("/account/").text
    shopper.send("/cart/add/", sku="nest-box")
    shopper.order(street="9 New Road")
    assert "9 New Road" not in shopper.see("/account/").text


def test_a_wrong_password_signs_nobody_in(shopper: Shopper) -> None:
    shopper.send("/account/sign-up/", **ACCOUNT)
    shopper.send("/account/sign-out/")
    page = shopper.send("/account/sign-in/", **{**ACCOUNT, "password": "a short walk"})
    assert page.status_code == 422
    assert shopper.see("/account/").url.path == "/account/sign-in/"


def test_an_email_has_one_account_in_a_world(shop: str, shopper: Shopper) -> None:
    shopper.send("/account/sign-up/", **ACCOUNT)
    shopper.send("/account/sign-out/")
    assert "already" in shopper.send("/account/sign-up/", **ACCOUNT).text
    elsewhere = Shopper(shop, enter=World(shop).entry)
    assert elsewhere.send("/account/sign-in/", **ACCOUNT).status_code == 422
    assert elsewhere.send("/account/sign-up/", **ACCOUNT).url.path == "/account/"


def test_signing_in_never_leads_to_another_site(shopper: Shopper) -> None:
    page = shopper.send("/account/sign-up/", **ACCOUNT, next="https://example.org/")
    assert page.url.path == "/account/"


# --- worlds -----------------------------------------------------------------------------


def test_a_world_begins_as_it_was_asked_for(shop: str) -> None:
    world = World(
        shop,
        account=True,
        cart=[{"sku": "enamel-mug", "quantity": 2}, {"sku": "nest-box"}],
        orders=[{"lines": [{"sku": "wool-blanket", "quantity": 1}]}],
    )
    shopper = Shopper(shop, enter=f"{world.entry}?next=/cart/")
    assert "Enamel Mug" in shopper.see("/cart/").text
    assert "Robin Fell" in shopper.see("/account/").text
    assert "Wool Blanket" in shopper.see("/orders/HH-10401/").text
    assert shopper.see("/checkout/review/").url.path == "/checkout/review/"
    assert world.first_state == world.state()
    assert world.state()["now"] == world.state()["initial"]
    [order] = world.orders()
    assert (order["number"], order["total_pence"], order["placed_from"]) == (
        "HH-10401",
        7900,
        "setup",
    )

    shopper.send("/cart/remove/", sku="enamel-mug")
    shopper.send("/orders/HH-10401/cancel/")
    assert world.state()["initial"] == world.first_state["initial"]
    assert world.cart() == {"nest-box": 1}
    assert world.orders()[0]["status"] == "cancelled"


def test_worlds_do_not_see_each_other(shop: str) -> None:
    one, other = World(shop, account=True), World(shop, account=True)
    buyer = Shopper(shop, enter=one.entry)
    neighbour = Shopper(shop, enter=other.entry)
    buyer.send("/cart/add/", sku="nest-box")
    buyer.order()
    buyer.send("/cart/add/", sku="enamel-mug")
    assert other.state()["now"] == {"cart": [], "orders": []}
    assert neighbour.see("/orders/HH-10401/").status_code == 404
    assert "nothing in it yet" in neighbour.see("/cart/").text
    assert Shopper(shop).see("/orders/HH-10401/").status_code == 404
    assert one.cart() == {"enamel-mug": 1}


def test_the_same_world_again_begins_anew(world: World, shopper: Shopper) -> None:
    shopper.send("/cart/add/", sku="nest-box")
    shopper.order()
    again = world.make({"cart": [{"sku": "enamel-mug", "quantity": 1}]}).json()
    assert again["state"]["now"]["orders"] == []
    assert world.presses() == {}
    assert "nothing in it yet" in shopper.see("/cart/").text, "the browser before has left it"
    late = Shopper(world.shop, enter=again["entry"])
    assert late.order().url.path == "/orders/HH-10401/thanks/"


def test_a_way_in_is_used_once_and_leads_nowhere_else(world: World, shop: str) -> None:
    first = httpx.get(f"{shop}{world.entry}?next=//example.org/", trust_env=False)
    assert (first.status_code, first.headers["location"]) == (302, "/")
    assert httpx.get(f"{shop}{world.entry}", trust_env=False).status_code == 404


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ({"cart": [{"sku": "no-such-thing"}]}, "cart[0].sku"),
        ({"cart": [{"sku": "nest-box", "quantity": 0}]}, "cart[0].quantity"),
        ({"cart": [{"sku": "nest-box", "quantity": True}]}, "cart[0].quantity"),
        ({"cart": [{"sku": "nest-box"}] * 2}, "twice"),
        ({"cart": {"sku": "nest-box"}}, "cart must be a list"),
        ({"orders": [{"lines": []}]}, "orders[0].lines is empty"),
        ({"orders": [{"lines": [{"sku": ["nest-box"]}]}]}, "orders[0].lines[0].sku"),
        ({"orders": ["x"]}, "orders[0]"),
        ({"account": "yes"}, "account must be true or false"),
        ({"carts": []}, "unknown keys: carts"),
        ([], "setup must be an object"),
    ],
)
def test_a_world_that_cannot_be_is_refused_and_the_former_stays(
    world: World, setup: Any, words: str
) -> None:
    refused = world.make(setup)
    assert refused.status_code == 422
    assert words in refused.json()["detail"]
    assert world.state() == world.first_state


@pytest.mark.parametrize("body", ["", "[]", "nonsense", '{"world": ""}', '{"world": "a/b"}', "{}"])
def test_a_world_needs_a_name(shop: str, body: str) -> None:
    assert backend(shop).post("/__worlds", content=body).status_code == 422
    assert backend(shop).get("/__worlds/never-made").status_code == 404


BACK_DOORS = [
    ("GET", "/__state"),
    ("POST", "/__reset"),
    ("POST", "/__worlds"),
    ("GET", "/__worlds/anything"),
]


@pytest.mark.parametrize(("method", "path"), BACK_DOORS)
def test_without_the_token_there_is_no_back_door(shop: str, method: str, path: str) -> None:
    for token in ("", "wrong", f"{TOKEN}x"):
        answer = backend(shop, token).request(method, path, json={"world": "x"})
        assert answer.status_code == 404
        assert "__" not in answer.text
    assert httpx.request(method, shop + path, trust_env=False).status_code == 404


def test_a_shop_without_a_token_has_no_back_door_at_all() -> None:
    with running(SHOP_BACKEND_TOKEN="") as shop:
        for method, path in BACK_DOORS:
            assert backend(shop, "").request(method, path).status_code == 404


def test_the_shop_remembers_when_it_is_started_again(tmp_path: Path) -> None:
    settings = {"SHOP_DATA_DIR": str(tmp_path), "SHOP_BACKEND_TOKEN": TOKEN}
    with running(**settings) as shop:
        world = World(shop)
        shopper = Shopper(shop, enter=world.entry)
        shopper.send("/cart/add/", sku="nest-box")
        shopper.order()
    with running(**settings) as shop:
        shopper.http.base_url = httpx.URL(shop)
        assert shopper.see("/orders/HH-10401/").status_code == 200


def test_the_open_shop_can_be_emptied(shop: str) -> None:
    shopper = Shopper(shop)
    shopper.send("/cart/add/", sku="nest-box")
    shopper.order()
    assert len(backend(shop).get("/__state").json()["now"]["orders"]) >= 1
    emptied = backend(shop).post("/__reset").json()
    assert (emptied["now"], emptied["presses"]) == ({"cart": [], "orders": []}, {})
    shopper.send("/cart/add/", sku="nest-box")
    assert shopper.order().url.path == "/orders/HH-10401/thanks/"


def test_every_model_is_in_a_migration() -> None:
    command = [sys.executable, "-m", "django", "makemigrations", "--check", "--dry-run"]
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "demo.shop.settings"}
    done = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# --- the difficulties, in a real browser ------------------------------------------------


@pytest.fixture
def page(chromium: Browser, world: World) -> Iterator[Page]:
    context = chromium.new_context(base_url=world.shop, viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.goto(world.entry)
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


def go_to_review(page: Page) -> None:
    fill_cart(page)
    page.click("#checkout-link")
    for name, value in ADDRESS.items():
        if name != "delivery":
            page.fill(f"#{name}", value)
    page.click("#to-payment")
    page.click("#to-review")
    page.wait_for_url("**/checkout/review/")


WAYS_TO_ORDER: dict[str, tuple[Callable[[Page], None], str]] = {
    "the button": (lambda page: page.click("#place-order"), "form"),
    "the button at the bottom": (lambda page: page.click("#place-order-bottom"), "bottom"),
    "its icon": (lambda page: page.locator("#place-order svg").click(), "form"),
    "the label with the sum": (lambda page: page.click(".place-sum"), "form"),
    "Enter in the note": (lambda page: page.press("#note", "Enter"), "form"),
    "Space on the button": (lambda page: page.press("#place-order-bottom", "Space"), "bottom"),
    "a double click": (lambda page: page.dblclick("#place-order"), "form"),
}


@pytest.mark.parametrize("way", WAYS_TO_ORDER)
def test_a_every_way_to_order_places_one_order(
    without_letter: Page, world: World, way: str
) -> None:
    press, placed_from = WAYS_TO_ORDER[way]
    go_to_review(without_letter)
    assert counts(without_letter, "text=Place order") == (2, 2)
    press(without_letter)
    without_letter.wait_for_url("**/thanks/")
    [order] = world.orders()
    assert order["placed_from"] == placed_from


def test_enter_in_the_reason_cancels_the_order(without_letter: Page, world: World) -> None:
    page = without_letter
    go_to_review(page)
    page.click("#place-order")
    page.click("#order-link")
    page.click("#cancel-link")
    page.press("#reason", "Enter")
    page.wait_for_selector(".status-cancelled")
    assert world.orders()[0]["status"] == "cancelled"


def test_the_steppers_count_and_end_at_one(without_letter: Page, world: World) -> None:
    page = without_letter
    fill_cart(page)
    assert page.locator("[data-fewer]").is_disabled()
    page.click("[data-more]")
    page.click("[data-more]")
    page.click("[data-fewer]")
    page.wait_for_selector(".line-count:has-text('2')")
    assert world.cart() == {"nest-box": 2}


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


def test_e_a_frame_holds_a_second_apply(without_letter: Page, world: World) -> None:
    page = without_letter
    fill_cart(page)
    assert counts(page, "text=Apply") == (2, 2)
    assert page.locator("text=Apply").count() == 1

    page.frame_locator("iframe").locator("text=Apply").click()
    page.wait_for_selector("text=Type a card first")
    page.click("text=Apply")
    page.wait_for_selector("text=Type a coupon first")
    presses = world.presses()
    assert (presses["apply.gift_card"], presses["apply.coupon"]) == (1, 1)


def test_f_every_row_of_a_list_has_the_same_button(without_letter: Page, world: World) -> None:
    page = without_letter
    assert counts(page, "text=Add to cart") == (12, 12)
    page.locator("text=Add to cart").nth(7).click()
    page.wait_for_load_state()
    assert world.cart() == {"hand-trowel": 1}


PATHS = (
    "/",
    "/category/garden/",
    "/search/?q=x",
    "/product/nest-box/",
    "/cart/",
    "/checkout/address/",
    "/checkout/payment/",
    "/checkout/review/",
    "/orders/",
    "/orders/HH-10401/thanks/",
    "/orders/HH-10401/",
    "/orders/HH-10401/cancel/",
    "/account/",
    "/account/sign-in/",
    "/account/sign-up/",
    "/no-such-page/",
)


@pytest.fixture
def customer(chromium: Browser, shop: str) -> Iterator[Page]:
    """Signed in, with a saved address, an order before and something in the cart."""
    lines = [{"sku": "nest-box", "quantity": 2}, {"sku": "wool-blanket"}]
    world = World(shop, account=True, cart=lines, orders=[{"lines": lines}])
    context = chromium.new_context(base_url=shop)
    context.add_cookies([{"name": "newsletter", "value": "seen", "url": shop}])
    page = context.new_page()
    page.goto(world.entry)
    yield page
    context.close()


@pytest.mark.parametrize("width", [360, 480, 768, 1079, 1080, 1440])
def test_no_page_is_wider_than_the_window(customer: Page, width: int) -> None:
    customer.set_viewport_size({"width": width, "height": 800})
    for path in PATHS:
        customer.goto(path)
        assert customer.evaluate("document.documentElement.scrollWidth") <= width, path


def test_nothing_is_asked_of_another_host_and_no_page_complains(customer: Page, shop: str) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    customer.on("request", lambda request: asked.append(request.url))
    customer.on("console", lambda said: complaints.append(said.text))
    customer.on("pageerror", lambda error: complaints.append(str(error)))
    for path in PATHS[:-1]:
        customer.goto(path, wait_until="networkidle")
    assert asked
    assert [url for url in asked if not url.startswith((shop, "data:"))] == []
    assert complaints == []


def test_the_shop_passes_axe(customer: Page) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for path in PATHS:
        customer.goto(path)
        customer.wait_for_timeout(1500 if "product" in path else 100)
        found = Axe().run(customer).response["violations"]
        assert [f"{v['id']}: {v['nodes'][0]['html']}" for v in found] == [], path


# --- the profile ------------------------------------------------------------------------


def test_the_profile_points_at_controls_that_are_there(customer: Page) -> None:
    """Each rule finds something on some page, and what is for good on the page it is named for."""
    elements = yaml.safe_load(PROFILE.read_text())["elements"]
    found: dict[str, set[str]] = {}
    for path in (*PATHS, "/gift-card/"):
        customer.goto(path)
        for one in elements:
            inside = f"{one['row']} {one['selector']}" if "row" in one else one["selector"]
            if customer.locator(inside).count():
                found.setdefault(one["id"], set()).add(path)
    named = {one["id"] for one in elements}
    assert named - found.keys() == {"newsletter.close", "newsletter.sign_up"}
    assert found["checkout_review.place_order"] == {"/checkout/review/"}
    assert found["checkout_review.place_order_bottom"] == {"/checkout/review/"}
    assert found["order_cancel.confirm"] == {"/orders/HH-10401/cancel/"}
    assert found["cart.item[N].remove"] == {"/cart/"}


def test_every_way_to_act_for_good_is_in_the_profile(customer: Page) -> None:
    profile = yaml.safe_load(PROFILE.read_text())
    named = {one["id"]: one["selector"] for one in profile["elements"]}
    for path, act, count in (
        ("/checkout/review/", "form[action*='/place/'] [type=submit], [formaction*='/place/']", 2),
        ("/orders/HH-10401/cancel/", "#cancel-form [type=submit]", 1),
        ("/cart/", "form[action='/cart/remove/'] [type=submit]", 2),
    ):
        customer.goto(path)
        listed = ", ".join(named[one] for one in profile["irreversible"])
        buttons = customer.locator(act)
        assert buttons.count() == count, path
        assert all(one.evaluate("(e, s) => e.matches(s)", listed) for one in buttons.all()), path
