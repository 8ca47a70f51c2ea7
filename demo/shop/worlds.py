"""A private shop for one run: set up, entered once, read by who judges the run."""

import re
import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction

from demo.shop.cart import MOST_OF_ONE_KIND, Cart, lines_of
from demo.shop.catalogue import product_by_sku
from demo.shop.models import Account, CartLine, Order, OrderLine, Press, Shopper, World
from demo.shop.orders import record
from demo.shop.shoppers import keep_recipient

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,79}")
KEYS = {"cart", "orders", "account", "address"}
MOST_ORDERS = 50
CUSTOMER = {
    "name": "Robin Fell",
    "email": "robin@example.org",
    "street": "4 Mill Lane",
    "town": "Kendal",
    "postcode": "LA9 4AA",
}
PASSWORD = "heather-on-the-hill"  # of the customer of every world; each is alone in its own
Wanted = tuple[tuple[str, int], ...]


class BadSetup(ValueError):
    """A world cannot be set up so; the message says what is wrong."""


@dataclass(frozen=True)
class Setup:
    cart: Wanted = ()
    orders: tuple[Wanted, ...] = ()
    has_account: bool = False
    has_address: bool = False


def read_name(given: object) -> str:
    if isinstance(given, str) and NAME.fullmatch(given):
        return given
    raise BadSetup("world must be a name of letters, digits and . _ : - (80 at most).")


def read_setup(given: object) -> Setup:
    """Raises BadSetup."""
    if not isinstance(given, dict):
        raise BadSetup("setup must be an object.")
    if unknown := sorted(set(map(str, given)) - KEYS):
        raise BadSetup(f"setup has unknown keys: {', '.join(unknown)}.")
    orders = given.get("orders", [])
    if not isinstance(orders, list) or len(orders) > MOST_ORDERS:
        raise BadSetup(f"orders must be a list of {MOST_ORDERS} at most.")
    return Setup(
        cart=_read_lines(given.get("cart", []), where="cart"),
        orders=tuple(_read_order(one, where=f"orders[{n}]") for n, one in enumerate(orders)),
        has_account=_read_switch(given, "account"),
        has_address=_read_switch(given, "address"),
    )


@transaction.atomic
def set_up(name: str, setup: Setup) -> str:
    """Empty the world, or make it, and fill it. The code that lets one browser in."""
    World.objects.filter(name=name).delete()
    world = World.objects.create(name=name)
    shopper = _make_shopper(world, setup)
    for n, wanted in enumerate(setup.orders):
        record(shopper, Cart(lines_of(wanted)), page_key=f"{world.id}.{n}", placed_from="setup")
    Order.objects.filter(world=world).update(payment="invoice", **CUSTOMER)
    CartLine.objects.bulk_create(
        CartLine(shopper=shopper, sku=sku, quantity=quantity) for sku, quantity in setup.cart
    )
    world.refresh_from_db()
    world.initial = _now(world)
    world.save(update_fields=["initial"])
    return str(shopper.entry_code)


def state(name: str) -> dict[str, Any] | None:
    """How the world began and how it stands; none if there is no such world."""
    world = World.objects.filter(name=name).first()
    if world is None:
        return None
    presses = Press.objects.filter(shopper__world=world)
    return {
        "world": name,
        "initial": world.initial,
        "now": _now(world),
        "presses": dict(Counter(presses.values_list("button", flat=True))),
    }


def _make_shopper(world: World, setup: Setup) -> Shopper:
    shopper = Shopper.objects.create(world=world, entry_code=secrets.token_urlsafe(24))
    if setup.has_account:
        shopper.account = Account.objects.create(
            world=world, password=make_password(PASSWORD), **CUSTOMER
        )
    if setup.has_account or setup.has_address:
        shopper.delivery, shopper.payment = "standard", "invoice"
        keep_recipient(shopper, CUSTOMER)
    return shopper


def _now(world: World) -> dict[str, Any]:
    cart = CartLine.objects.filter(shopper__world=world)
    orders = Order.objects.filter(world=world).prefetch_related("lines")
    return {
        "cart": [{"sku": line.sku, "quantity": line.quantity} for line in cart],
        "orders": [_order(order) for order in orders],
    }


def _order(order: Order) -> dict[str, Any]:
    return {
        "number": order.label,
        "status": order.status,
        "lines": _lines(order.lines.all()),
        "total_pence": order.total_pence,
        "placed_from": order.placed_from,
        "delivery": order.delivery,
        "payment": order.payment,
        "address": order.address,
        "note": order.note,
    }


def _lines(lines: Iterable[OrderLine]) -> list[dict[str, Any]]:
    return [
        {"sku": line.sku, "quantity": line.quantity, "unit_pence": line.unit_pence}
        for line in lines
    ]


def _read_switch(given: dict[str, Any], key: str) -> bool:
    value = given.get(key, False)
    if isinstance(value, bool):
        return value
    raise BadSetup(f"{key} must be true or false.")


def _read_order(given: object, *, where: str) -> Wanted:
    if not isinstance(given, dict) or set(given) != {"lines"}:
        raise BadSetup(f"{where} must be an object with lines.")
    lines = _read_lines(given["lines"], where=f"{where}.lines")
    if not lines:
        raise BadSetup(f"{where}.lines is empty.")
    return lines


def _read_lines(given: object, *, where: str) -> Wanted:
    if not isinstance(given, list):
        raise BadSetup(f"{where} must be a list.")
    lines = tuple(_read_line(one, where=f"{where}[{n}]") for n, one in enumerate(given))
    if len({sku for sku, _ in lines}) < len(lines):
        raise BadSetup(f"{where} names a SKU twice.")
    return lines


def _read_line(given: object, *, where: str) -> tuple[str, int]:
    if not isinstance(given, dict) or not {"sku"} <= set(given) <= {"sku", "quantity"}:
        raise BadSetup(f"{where} must be an object with sku and quantity.")
    sku, quantity = given["sku"], given.get("quantity", 1)
    if not isinstance(sku, str) or product_by_sku(sku) is None:
        raise BadSetup(f"{where}.sku: the shop sells no {sku!r}.")
    if type(quantity) is not int or not 1 <= quantity <= MOST_OF_ONE_KIND:
        raise BadSetup(f"{where}.quantity must be a whole number from 1 to {MOST_OF_ONE_KIND}.")
    return sku, quantity
