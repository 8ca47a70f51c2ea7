"""The cart: what is in it, how many, and what lowers the sum."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from demo.shop import cart as carts
from demo.shop import catalogue, shoppers
from demo.shop.catalogue import Product
from demo.shop.models import Shopper
from demo.shop.views import asking


@require_GET
def cart(request: HttpRequest) -> HttpResponse:
    return render(request, "cart.html")


@require_POST
def add(request: HttpRequest) -> HttpResponse:
    found = asking.product_or_404(request.POST.get("sku", ""))
    shopper = shoppers.find_or_make(request)
    shoppers.count_press(shopper, f"add_to_cart.{found.sku}")
    carts.add(shopper, found, quantity=asking.quantity(request))
    messages.success(request, f"{found.name} is in your cart.")
    wanted = request.POST.get("next", "")
    return redirect(asking.own_path(request, wanted, otherwise=reverse("cart")))


@require_POST
def update(request: HttpRequest) -> HttpResponse:
    shopper, found = _line(request)
    shoppers.count_press(shopper, f"update.{found.sku}")
    carts.set_quantity(shopper, found, quantity=asking.quantity(request))
    return redirect("cart")


@require_POST
def remove(request: HttpRequest) -> HttpResponse:
    shopper, found = _line(request)
    shoppers.count_press(shopper, f"remove.{found.sku}")
    carts.remove(shopper, found)
    messages.success(request, f"{found.name} was taken out of your cart.")
    return redirect("cart")


@require_POST
def coupon(request: HttpRequest) -> HttpResponse:
    shopper = shoppers.find_or_make(request)
    shoppers.count_press(shopper, "apply.coupon")
    code = asking.code(request)
    if code in carts.COUPONS:
        shopper.coupon = code
        shopper.save(update_fields=["coupon", "seen_at"])
        messages.success(request, f"{code} takes {carts.COUPONS[code]} % off your goods.")
    else:
        messages.error(request, "We do not know that coupon." if code else "Type a coupon first.")
    return redirect("cart")


def gift_card(request: HttpRequest) -> HttpResponse:
    """The widget in the frame; its form answers to the page around it."""
    if request.method != "POST":
        return render(request, "gift_card.html")
    shopper = shoppers.find_or_make(request)
    shoppers.count_press(shopper, "apply.gift_card")
    code = asking.code(request)
    if code in carts.GIFT_CARDS:
        shopper.gift_pence = carts.GIFT_CARDS[code]
        shopper.save(update_fields=["gift_pence", "seen_at"])
        worth = catalogue.pounds(shopper.gift_pence)
        messages.success(request, f"Your gift card pays {worth}.")
    else:
        messages.error(request, "We do not know that gift card." if code else "Type a card first.")
    return redirect("cart")


def _line(request: HttpRequest) -> tuple[Shopper, Product]:
    found = asking.product_or_404(request.POST.get("sku", ""))
    shopper = shoppers.find(request)
    if shopper is None or not carts.holds(shopper, found):
        raise Http404("That is not in your cart.")
    return shopper, found
