"""The cart and what it costs. It lives in the shopper's signed session cookie."""

from dataclasses import dataclass
from typing import TypedDict, cast

from django.contrib.sessions.backends.base import SessionBase

from demo.shop.catalogue import Product, pounds, product_by_sku

MOST_OF_ONE_KIND = 9
FREE_DELIVERY_FROM_PENCE = 6000
DELIVERY_PENCE = {"standard": 495, "express": 995}
COUPONS = {"SPRING10": 10}
GIFT_CARDS = {"GIFT20": 2000}


@dataclass(frozen=True)
class Line:
    product: Product
    quantity: int

    @property
    def total_pence(self) -> int:
        return self.product.price_pence * self.quantity

    @property
    def total(self) -> str:
        return pounds(self.total_pence)


@dataclass(frozen=True)
class Cart:
    lines: tuple[Line, ...]
    coupon: str
    gift_pence: int
    delivery: str = "standard"

    @property
    def count(self) -> int:
        return sum(line.quantity for line in self.lines)

    @property
    def goods_pence(self) -> int:
        return sum(line.total_pence for line in self.lines)

    @property
    def discount_pence(self) -> int:
        return self.goods_pence * COUPONS.get(self.coupon, 0) // 100

    @property
    def delivery_pence(self) -> int:
        if not self.lines:
            return 0
        if self.delivery == "standard" and self.goods_pence >= FREE_DELIVERY_FROM_PENCE:
            return 0
        return DELIVERY_PENCE[self.delivery]

    @property
    def credit_pence(self) -> int:
        """What the gift card pays, never more than is owed."""
        owed = self.goods_pence - self.discount_pence + self.delivery_pence
        return min(self.gift_pence, owed)

    @property
    def total_pence(self) -> int:
        return self.goods_pence - self.discount_pence + self.delivery_pence - self.credit_pence

    @property
    def goods(self) -> str:
        return pounds(self.goods_pence)

    @property
    def discount(self) -> str:
        return pounds(self.discount_pence)

    @property
    def delivery_price(self) -> str:
        return pounds(self.delivery_pence) if self.delivery_pence else "Free"

    @property
    def credit(self) -> str:
        return pounds(self.credit_pence)

    @property
    def total(self) -> str:
        return pounds(self.total_pence)

    @property
    def until_free_delivery(self) -> str:
        """What is missing until delivery is free, or nothing."""
        missing = FREE_DELIVERY_FROM_PENCE - self.goods_pence
        return pounds(missing) if self.lines and missing > 0 else ""


class Kept(TypedDict, total=False):
    """What one shopper's session holds."""

    cart: dict[str, int]
    coupon: str
    gift_pence: int


def read_cart(session: SessionBase, *, delivery: str = "standard") -> Cart:
    kept = cast(Kept, session)
    found = ((product_by_sku(sku), n) for sku, n in kept.get("cart", {}).items())
    return Cart(
        lines=tuple(Line(product, n) for product, n in found if product),
        coupon=kept.get("coupon", ""),
        gift_pence=kept.get("gift_pence", 0),
        delivery=delivery if delivery in DELIVERY_PENCE else "standard",
    )


def add(session: SessionBase, product: Product, *, quantity: int) -> None:
    quantities = dict(session.get("cart", {}))
    set_quantity(session, product, quantity=quantities.get(product.sku, 0) + quantity)


def set_quantity(session: SessionBase, product: Product, *, quantity: int) -> None:
    quantities = dict(session.get("cart", {}))
    quantities[product.sku] = max(1, min(quantity, MOST_OF_ONE_KIND))
    session["cart"] = quantities


def remove(session: SessionBase, product: Product) -> None:
    session["cart"] = {k: n for k, n in session.get("cart", {}).items() if k != product.sku}


def empty(session: SessionBase) -> None:
    for key in ("cart", "coupon", "gift_pence"):
        session.pop(key, None)
