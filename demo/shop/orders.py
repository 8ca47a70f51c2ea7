"""Placing, finding and cancelling orders."""

import hashlib
import secrets
from dataclasses import dataclass

from django.core import signing
from django.db import transaction
from django.db.models import QuerySet

from demo.shop import cart as carts
from demo.shop.cart import Cart, read_cart
from demo.shop.models import Order, OrderLine, Shopper, World

TOKEN_SALT = "review"


class Stale(Exception):
    """What was reviewed is not what the cart holds now, or the page was not this shopper's."""


@dataclass(frozen=True)
class Review:
    """What one review page showed. `key` is the page's own: it places one order at most."""

    key: str
    shopper: str
    seen: str


def review_token(shopper: Shopper) -> str:
    page = Review(secrets.token_urlsafe(18), shopper.key.hex, _seen(shopper, read_cart(shopper)))
    return signing.dumps([page.key, page.shopper, page.seen], salt=TOKEN_SALT)


@transaction.atomic
def place(shopper: Shopper, *, token: str, placed_from: str, note: str) -> Order:
    """Order what the review page showed; the same page again gives the same order. Raises Stale."""
    page = _read_token(token)
    if page.shopper != shopper.key.hex:
        raise Stale
    if placed := Order.objects.filter(page_key=page.key).first():
        return placed
    shopper = Shopper.objects.select_related("account").get(key=shopper.key)
    cart = read_cart(shopper)
    if not cart.lines or page.seen != _seen(shopper, cart):
        raise Stale
    order = record(shopper, cart, page_key=page.key, placed_from=placed_from, note=note)
    carts.empty(shopper)
    return order


def record(
    shopper: Shopper, cart: Cart, *, page_key: str, placed_from: str, note: str = ""
) -> Order:
    """The order's rows. Call it inside a transaction: it takes the world's next number."""
    world = World.objects.get(shopper=shopper)
    order = Order.objects.create(
        world=world,
        shopper=shopper,
        account=shopper.account,
        number=world.next_order_number,
        page_key=page_key,
        placed_from=placed_from,
        delivery=cart.delivery,
        payment=shopper.payment,
        note=note,
        discount_pence=cart.discount_pence,
        delivery_pence=cart.delivery_pence,
        credit_pence=cart.credit_pence,
        total_pence=cart.total_pence,
        **shopper.recipient,
    )
    OrderLine.objects.bulk_create(
        OrderLine(
            order=order,
            sku=line.product.sku,
            name=line.product.name,
            quantity=line.quantity,
            unit_pence=line.product.price_pence,
        )
        for line in cart.lines
    )
    world.next_order_number += 1
    world.save(update_fields=["next_order_number"])
    return order


def orders_of(shopper: Shopper | None) -> QuerySet[Order]:
    """The account's, or those that this browser placed as a guest."""
    if shopper is None:
        return Order.objects.none()
    if shopper.account:
        return Order.objects.filter(world=shopper.world, account=shopper.account)
    return Order.objects.filter(shopper=shopper, account=None)


def cancel(order: Order) -> bool:
    """False if it was cancelled before."""
    still_placed = Order.objects.filter(id=order.id, status=Order.Status.PLACED)
    return bool(still_placed.update(status=Order.Status.CANCELLED))


def _read_token(token: str) -> Review:
    try:
        return Review(*signing.loads(token, salt=TOKEN_SALT))
    except signing.BadSignature:
        raise Stale from None


def _seen(shopper: Shopper, cart: Cart) -> str:
    lines = [(line.product.sku, line.quantity) for line in cart.lines]
    everything = (lines, cart.total_pence, cart.delivery, shopper.payment, shopper.recipient)
    return hashlib.sha256(repr(everything).encode()).hexdigest()
