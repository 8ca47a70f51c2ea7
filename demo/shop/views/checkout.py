"""The checkout in three steps, each at its own address: where to, how to pay, a last look."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from demo.shop import orders, shoppers
from demo.shop.cart import read_cart
from demo.shop.forms import DELIVERY_CHOICES, PAYMENT_CHOICES, AddressForm, PaymentForm
from demo.shop.models import RECIPIENT_FIELDS, Shopper
from demo.shop.views import asking

STEPS = (
    ("checkout-address", "Address"),
    ("checkout-payment", "Payment"),
    ("checkout-review", "Review"),
)
PLACED_FROM = {"form", "bottom"}


def gap(shopper: Shopper, *, before: str) -> tuple[str, str] | None:
    """Where to go first, and why, when something is missing that a step builds upon."""
    if not read_cart(shopper).lines:
        return "cart", "There is nothing in your cart to order."
    if before == "checkout-address":
        return None
    if not (shopper.has_address and shopper.delivery):
        return "checkout-address", "Please tell us first where to send it."
    if before == "checkout-payment":
        return None
    return None if shopper.payment else ("checkout-payment", "Please choose first how to pay.")


@require_GET
def checkout(request: HttpRequest) -> HttpResponse:
    return redirect("checkout-address")


@require_http_methods(["GET", "HEAD", "POST"])
def address(request: HttpRequest) -> HttpResponse:
    shopper = shoppers.find_or_make(request)
    if missing := gap(shopper, before="checkout-address"):
        return _send_back(request, missing)
    if request.method != "POST":
        known = {**shopper.recipient, "delivery": shopper.delivery or "standard"}
        return _address_page(request, AddressForm(initial=known, auto_id="%s"))
    form = AddressForm(request.POST, auto_id="%s")
    if not form.is_valid():
        return _address_page(request, form, status=422)
    _keep_address(shopper, form.cleaned_data)
    return redirect("checkout-payment")


@require_http_methods(["GET", "HEAD", "POST"])
def payment(request: HttpRequest) -> HttpResponse:
    shopper = shoppers.find_or_make(request)
    if missing := gap(shopper, before="checkout-payment"):
        return _send_back(request, missing)
    if request.method != "POST":
        return _payment_page(request, chosen=shopper.payment or "invoice")
    form = PaymentForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Please choose one of these ways to pay.")
        return _payment_page(request, chosen="", status=422)
    shopper.payment = form.cleaned_data["payment"]
    shopper.save(update_fields=["payment", "seen_at"])
    return redirect("checkout-review")


@require_GET
def review(request: HttpRequest) -> HttpResponse:
    shopper = shoppers.find_or_make(request)
    if missing := gap(shopper, before="checkout-review"):
        return _send_back(request, missing)
    shown = {
        "token": orders.review_token(shopper),
        "delivery": dict(DELIVERY_CHOICES)[shopper.delivery],
        "payment": dict(PAYMENT_CHOICES)[shopper.payment],
        "longest_note": asking.LONGEST_NOTE,
    }
    answer = render(request, "checkout_review.html", _step("checkout-review") | shown)
    answer["Cache-Control"] = "no-store"  # going back must not show what is ordered already
    return answer


@require_POST
def place(request: HttpRequest, placed_from: str) -> HttpResponse:
    """Both buttons of the review page end here."""
    if placed_from not in PLACED_FROM:
        raise Http404("No such button.")
    shopper = shoppers.find_or_make(request)
    shoppers.count_press(shopper, f"place_order.{placed_from}")
    token, note = request.POST.get("token", ""), asking.note(request)
    try:
        placed = orders.place(shopper, token=token, placed_from=placed_from, note=note)
    except orders.Stale:
        messages.error(request, "Something has changed since. Please look at it once more.")
        return redirect("checkout-review")
    return redirect("confirmation", number=placed.number)


def _keep_address(shopper: Shopper, given: dict[str, str]) -> None:
    """A customer's first address is remembered for the next time."""
    recipient = {field: given[field] for field in RECIPIENT_FIELDS}
    shopper.delivery = given["delivery"]
    shoppers.keep_recipient(shopper, recipient)
    account = shopper.account
    if account and not account.has_address:
        shoppers.keep_recipient(account, recipient | {"email": account.email})


def _address_page(request: HttpRequest, form: AddressForm, *, status: int = 200) -> HttpResponse:
    shown = {"form": form, "delivery_options": _delivery_options(request, form)}
    page = _step("checkout-address") | shown
    return render(request, "checkout_address.html", page, status=status)


def _payment_page(request: HttpRequest, *, chosen: str, status: int = 200) -> HttpResponse:
    page = _step("checkout-payment") | {"payments": PAYMENT_CHOICES, "chosen": chosen}
    return render(request, "checkout_payment.html", page, status=status)


def _delivery_options(request: HttpRequest, form: AddressForm) -> list[dict[str, Any]]:
    """Each way of delivery with its price and the sum it leads to."""
    shopper = shoppers.find(request)
    options = []
    for value, label in DELIVERY_CHOICES:
        with_it = read_cart(shopper, delivery=value)
        options.append(
            {
                "value": value,
                "label": label,
                "chosen": form["delivery"].value() == value,
                "price": with_it.delivery_price,
                "total": with_it.total,
                "credit": with_it.credit,
            }
        )
    return options


def _step(name: str) -> dict[str, Any]:
    """The steps, those that are done before this one marked so."""
    names = [step for step, _ in STEPS]
    here = names.index(name)
    steps = [
        {"name": step, "label": label, "is_done": n < here, "is_here": n == here}
        for n, (step, label) in enumerate(STEPS)
    ]
    return {"steps": steps}


def _send_back(request: HttpRequest, missing: tuple[str, str]) -> HttpResponse:
    where, why = missing
    messages.error(request, why)
    return redirect(where)
