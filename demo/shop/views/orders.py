"""Orders that were placed: thanks, the history, one order, and cancelling it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from demo.shop import orders, shoppers
from demo.shop.catalogue import pounds, product_by_sku
from demo.shop.forms import DELIVERY_CHOICES, PAYMENT_CHOICES
from demo.shop.models import Order


@require_GET
def history(request: HttpRequest) -> HttpResponse:
    found = orders.orders_of(shoppers.find(request)).prefetch_related("lines").order_by("-number")
    return render(request, "orders.html", {"orders": found})


@require_GET
def confirmation(request: HttpRequest, number: int) -> HttpResponse:
    found = _order(request, number)
    if not found.is_placed:
        return redirect("order", number=number)
    return render(request, "order_confirmation.html", _shown(found))


@require_GET
def order(request: HttpRequest, number: int) -> HttpResponse:
    return render(request, "order.html", _shown(_order(request, number)))


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, number: int) -> HttpResponse:
    found = _order(request, number)
    if request.method != "POST" and found.is_placed:
        return render(request, "order_cancel.html", _shown(found))
    if request.method == "POST":
        shoppers.count_press(shoppers.find_or_make(request), "cancel_order")
    if request.method == "POST" and orders.cancel(found):
        messages.success(request, f"Order {found.label} is cancelled. Nothing will be sent.")
    else:
        messages.error(request, f"Order {found.label} was cancelled before.")
    return redirect("order", number=number)


def _order(request: HttpRequest, number: int) -> Order:
    found = orders.orders_of(shoppers.find(request)).filter(number=number).first()
    if found is None:
        raise Http404("No such order.")
    return found


def _shown(order: Order) -> dict[str, Any]:
    lines = [
        {
            "product": product_by_sku(line.sku),
            "name": line.name,
            "quantity": line.quantity,
            "total": pounds(line.unit_pence * line.quantity),
        }
        for line in order.lines.all()
    ]
    return {
        "order": order,
        "lines": lines,
        "delivery": dict(DELIVERY_CHOICES)[order.delivery],
        "delivery_price": pounds(order.delivery_pence) if order.delivery_pence else "Free",
        "discount": pounds(order.discount_pence) if order.discount_pence else "",
        "credit": pounds(order.credit_pence) if order.credit_pence else "",
        "payment": dict(PAYMENT_CHOICES).get(order.payment, ""),
    }
