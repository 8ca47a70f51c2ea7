"""The shop's rows. A database of its own: Pointsman knows nothing of these tables."""

import uuid
from typing import TYPE_CHECKING, ClassVar

from django.db import models

from demo.shop.catalogue import pounds

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

FIRST_ORDER_NUMBER = 10401
OPEN_SHOP = ""  # the name of the world that everybody meets who was not sent to another


class Recipient(models.Model):
    """Where a parcel goes: kept by accounts, by shoppers under way, and on every order."""

    name = models.CharField(max_length=80, blank=True)
    email = models.EmailField(blank=True)
    street = models.CharField(max_length=120, blank=True)
    town = models.CharField(max_length=80, blank=True)
    postcode = models.CharField(max_length=12, blank=True)

    class Meta:
        abstract = True

    @property
    def recipient(self) -> dict[str, str]:
        return {field: getattr(self, field) for field in RECIPIENT_FIELDS}

    @property
    def has_address(self) -> bool:
        return all(self.recipient.values())

    @property
    def address(self) -> str:
        return f"{self.street}, {self.town} {self.postcode}"


RECIPIENT_FIELDS = ("name", "email", "street", "town", "postcode")


class World(models.Model):
    """One shop to itself: nobody sees the accounts, carts and orders of another world."""

    id: int
    name = models.CharField(max_length=80, unique=True, blank=True)
    next_order_number = models.PositiveIntegerField(default=FIRST_ORDER_NUMBER)
    initial = models.JSONField(default=dict)
    made_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["World"]] = models.Manager()

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return self.name or "the open shop"


class Account(Recipient):
    id: int
    world = models.ForeignKey(World, on_delete=models.CASCADE)
    password = models.CharField(max_length=128)

    objects: ClassVar[models.Manager["Account"]] = models.Manager()

    class Meta:
        app_label = "shop"
        constraints = [
            models.UniqueConstraint(fields=["world", "email"], name="one_account_per_email")
        ]

    def __str__(self) -> str:
        return self.email


class Shopper(Recipient):
    """One browser in one world, with its cart and how far it came in the checkout."""

    key = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    world = models.ForeignKey(World, on_delete=models.CASCADE)
    account = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL)
    # Lets a browser become this shopper, once.
    entry_code = models.CharField(max_length=64, null=True, unique=True)
    coupon = models.CharField(max_length=20, blank=True)
    gift_pence = models.PositiveIntegerField(default=0)
    delivery = models.CharField(max_length=20, blank=True)
    payment = models.CharField(max_length=20, blank=True)
    seen_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[models.Manager["Shopper"]] = models.Manager()

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return str(self.key)


class CartLine(models.Model):
    shopper = models.ForeignKey(Shopper, on_delete=models.CASCADE)
    sku = models.CharField(max_length=40)
    quantity = models.PositiveSmallIntegerField()

    objects: ClassVar[models.Manager["CartLine"]] = models.Manager()

    class Meta:
        app_label = "shop"
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["shopper", "sku"], name="one_line_per_thing"),
            models.CheckConstraint(condition=models.Q(quantity__gte=1), name="at_least_one"),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} {self.sku}"


class Order(Recipient):
    class Status(models.TextChoices):
        PLACED = "placed"
        CANCELLED = "cancelled"

    id: int
    lines: "RelatedManager[OrderLine]"
    world = models.ForeignKey(World, on_delete=models.CASCADE)
    shopper = models.ForeignKey(Shopper, on_delete=models.CASCADE)
    account = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL)
    number = models.PositiveIntegerField()
    # The review page that it was placed from; one page places one order.
    page_key = models.CharField(max_length=64, unique=True)
    placed_from = models.CharField(max_length=20)
    status = models.CharField(max_length=20, choices=Status.choices, default=Status.PLACED)
    delivery = models.CharField(max_length=20)
    payment = models.CharField(max_length=20)
    note = models.CharField(max_length=140, blank=True)
    discount_pence = models.PositiveIntegerField(default=0)
    delivery_pence = models.PositiveIntegerField(default=0)
    credit_pence = models.PositiveIntegerField(default=0)
    total_pence = models.PositiveIntegerField()
    placed_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["Order"]] = models.Manager()

    class Meta:
        app_label = "shop"
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["world", "number"], name="one_order_per_number")
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return f"HH-{self.number}"

    @property
    def is_placed(self) -> bool:
        return self.status == self.Status.PLACED

    @property
    def total(self) -> str:
        return pounds(self.total_pence)


class OrderLine(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="lines")
    sku = models.CharField(max_length=40)
    name = models.CharField(max_length=80)
    quantity = models.PositiveSmallIntegerField()
    unit_pence = models.PositiveIntegerField()

    objects: ClassVar[models.Manager["OrderLine"]] = models.Manager()

    class Meta:
        app_label = "shop"
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.quantity} {self.sku}"


class Press(models.Model):
    """Somebody pressed a button that matters."""

    shopper = models.ForeignKey(Shopper, on_delete=models.CASCADE)
    button = models.CharField(max_length=60)
    pressed_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["Press"]] = models.Manager()

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return self.button
