"""The cart and what it costs. Its lines are rows of the shopper's."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from demo.shop.catalogue import Product, pounds, product_by_sku
from demo.shop.models import CartLine, Shopper

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
    def one_fewer(self) -> int:
        """Zero where no fewer can be had."""
        return self.quantity - 1

    @property
    def one_more(self) -> int:
        return self.quantity + 1 if self.quantity < MOST_OF_ONE_KIND else 0

    @property
    def total(self) -> str:
        return pounds(self.total_pence)


@dataclass(frozen=True)
class Cart:
    lines: tuple[Line, ...]
    coupon: str = ""
    gift_pence: int = 0
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


def read_cart(shopper: Shopper | None, *, delivery: str = "") -> Cart:
    """With this way of delivery, else with the one that was chosen."""
    if shopper is None:
        return Cart(lines=())
    wanted = delivery or shopper.delivery
    rows = CartLine.objects.filter(shopper=shopper)
    return Cart(
        lines=lines_of((row.sku, row.quantity) for row in rows),
        coupon=shopper.coupon,
        gift_pence=shopper.gift_pence,
        delivery=wanted if wanted in DELIVERY_PENCE else "standard",
    )


def lines_of(wanted: Iterable[tuple[str, int]]) -> tuple[Line, ...]:
    found = ((product_by_sku(sku), quantity) for sku, quantity in wanted)
    return tuple(Line(product, quantity) for product, quantity in found if product)


def holds(shopper: Shopper, product: Product) -> bool:
    return CartLine.objects.filter(shopper=shopper, sku=product.sku).exists()


@transaction.atomic
def add(shopper: Shopper, product: Product, *, quantity: int) -> None:
    row = CartLine.objects.filter(shopper=shopper, sku=product.sku).first()
    set_quantity(shopper, product, quantity=quantity + (row.quantity if row else 0))


def set_quantity(shopper: Shopper, product: Product, *, quantity: int) -> None:
    """Never none at all: taking a line out has a button of its own."""
    CartLine.objects.update_or_create(
        shopper=shopper,
        sku=product.sku,
        defaults={"quantity": max(1, min(quantity, MOST_OF_ONE_KIND))},
    )


def remove(shopper: Shopper, product: Product) -> None:
    CartLine.objects.filter(shopper=shopper, sku=product.sku).delete()


def empty(shopper: Shopper) -> None:
    CartLine.objects.filter(shopper=shopper).delete()
    shopper.coupon, shopper.gift_pence = "", 0
    shopper.save(update_fields=["coupon", "gift_pence", "seen_at"])
