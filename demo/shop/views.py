"""The shop's pages. Every press of a button that matters is counted before anything else."""

import time
import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt, ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST

from demo.shop import cart as carts
from demo.shop import catalogue
from demo.shop.cart import Cart, read_cart
from demo.shop.catalogue import Product
from demo.shop.context import NEWSLETTER_COOKIE
from demo.shop.forms import DELIVERY_CHOICES, CheckoutForm
from demo.shop.ledger import Order, OrderLine, ledger

# Asking the warehouse takes a moment; the buy button only appears after the answer.
STOCK_ANSWER_S = 1.2
PLACED_FROM = {"summary", "form", "bottom"}
A_YEAR_S = 365 * 24 * 3600


def session_id(request: HttpRequest) -> str:
    """This shopper's own id, made on first use. The cookie's value changes; this does not."""
    if "shopper" not in request.session:
        request.session["shopper"] = uuid.uuid4().hex
    return str(request.session["shopper"])


@require_GET
@ensure_csrf_cookie
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "home.html", {"products": catalogue.PRODUCTS})


@require_GET
def category(request: HttpRequest, slug: str) -> HttpResponse:
    found = catalogue.category_by_slug(slug)
    if found is None:
        raise Http404("No such category.")
    shown = {"category": found, "products": catalogue.in_category(slug)}
    return render(request, "category.html", shown)


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    words = request.GET.get("q", "").strip()[:80]
    shown = {"words": words, "products": catalogue.search(words)}
    return render(request, "search.html", shown)


@require_GET
def product(request: HttpRequest, sku: str) -> HttpResponse:
    found = _product(sku)
    others = [p for p in catalogue.in_category(found.category) if p != found]
    shown = {"product": found, "others": others, "quantities": range(1, 6)}
    return render(request, "product.html", shown)


@require_GET
def stock(request: HttpRequest, sku: str) -> HttpResponse:
    found = _product(sku)
    time.sleep(STOCK_ANSWER_S)
    return JsonResponse({"sku": found.sku, "in_stock": found.in_stock})


@require_POST
def newsletter(request: HttpRequest) -> HttpResponse:
    ledger.count_press(session_id(request), "newsletter.sign_up")
    messages.success(request, "Thank you. The first letter comes on Sunday.")
    answer = redirect("home")
    answer.set_cookie(NEWSLETTER_COOKIE, "seen", max_age=A_YEAR_S, samesite="Lax")
    return answer


@require_GET
def cart(request: HttpRequest) -> HttpResponse:
    return render(request, "cart.html", {"quantities": range(1, carts.MOST_OF_ONE_KIND + 1)})


@require_POST
def cart_add(request: HttpRequest) -> HttpResponse:
    found = _product(request.POST.get("sku", ""))
    quantity = _quantity(request)
    carts.add(request.session, found, quantity=quantity)
    ledger.count_press(session_id(request), f"add_to_cart.{found.sku}")
    ledger.count_cart_add(session_id(request), found.sku, quantity=quantity)
    _note_cart(request)
    messages.success(request, f"{found.name} is in your cart.")
    return redirect(_next_page(request))


@require_POST
def cart_update(request: HttpRequest) -> HttpResponse:
    found = _line_product(request)
    carts.set_quantity(request.session, found, quantity=_quantity(request))
    ledger.count_press(session_id(request), f"update.{found.sku}")
    _note_cart(request)
    return redirect("cart")


@require_POST
def cart_remove(request: HttpRequest) -> HttpResponse:
    found = _line_product(request)
    carts.remove(request.session, found)
    ledger.count_press(session_id(request), f"remove.{found.sku}")
    _note_cart(request)
    messages.success(request, f"{found.name} was taken out of your cart.")
    return redirect("cart")


@require_POST
def coupon(request: HttpRequest) -> HttpResponse:
    ledger.count_press(session_id(request), "apply.coupon")
    code = request.POST.get("code", "").strip().upper()[:20]
    if code in carts.COUPONS:
        request.session["coupon"] = code
        messages.success(request, f"{code} takes {carts.COUPONS[code]} % off your goods.")
    else:
        messages.error(request, "We do not know that coupon." if code else "Type a coupon first.")
    return redirect("cart")


def gift_card(request: HttpRequest) -> HttpResponse:
    """The widget in the frame; its form answers to the page around it."""
    if request.method != "POST":
        return render(request, "gift_card.html")
    ledger.count_press(session_id(request), "apply.gift_card")
    code = request.POST.get("code", "").strip().upper()[:20]
    if code in carts.GIFT_CARDS:
        worth_pence = carts.GIFT_CARDS[code]
        request.session["gift_pence"] = worth_pence
        messages.success(request, f"Your gift card pays {catalogue.pounds(worth_pence)}.")
    else:
        messages.error(request, "We do not know that gift card." if code else "Type a card first.")
    return redirect("cart")


@require_GET
def checkout(request: HttpRequest) -> HttpResponse:
    if not read_cart(request.session).lines:
        return redirect("cart")
    return _checkout_page(request, CheckoutForm(auto_id="%s"))


@require_POST
def place(request: HttpRequest, placed_from: str) -> HttpResponse:
    """Three buttons end here. The one in the summary sends no form: it uses the saved address."""
    if placed_from not in PLACED_FROM:
        raise Http404("No such button.")
    ledger.count_press(session_id(request), f"place_order.{placed_from}")
    sent = request.session.get("address") if placed_from == "summary" else request.POST
    if not sent:
        messages.error(request, "There is no saved address yet. Please fill in the form first.")
        return redirect("checkout")
    form = CheckoutForm(sent, auto_id="%s")
    chosen = read_cart(request.session, delivery=str(sent.get("delivery", "standard")))
    if not chosen.lines:
        return redirect("cart")
    if not form.is_valid():
        return _checkout_page(request, form, status=422)
    placed = _place(request, form, chosen, placed_from=placed_from)
    return redirect("order", number=placed.number)


def _place(request: HttpRequest, form: CheckoutForm, chosen: Cart, *, placed_from: str) -> Order:
    placed = ledger.place(
        session_id(request),
        placed_from=placed_from,
        lines=tuple(
            OrderLine(line.product.sku, line.product.name, line.quantity, line.product.price_pence)
            for line in chosen.lines
        ),
        total_pence=chosen.total_pence,
        name=form.cleaned_data["name"],
        address=form.address(),
        delivery=form.cleaned_data["delivery"],
    )
    request.session["address"] = form.cleaned_data
    carts.empty(request.session)
    _note_cart(request)
    return placed


@require_GET
def order(request: HttpRequest, number: str) -> HttpResponse:
    return render(request, "order.html", _order(request, number))


def order_cancel(request: HttpRequest, number: str) -> HttpResponse:
    shown = _order(request, number)
    if request.method != "POST":
        return render(request, "order_cancel.html", shown)
    ledger.count_press(session_id(request), "cancel_order")
    ledger.cancel(number, session=session_id(request))
    messages.success(request, f"Order {number} is cancelled. Nothing will be sent.")
    return redirect("order", number=number)


@require_GET
def state(request: HttpRequest) -> HttpResponse:
    """What the server saw, for tests and verifiers. It makes no session for who asks."""
    return JsonResponse(ledger.snapshot(you=request.session.get("shopper")))


@csrf_exempt
@require_POST
def reset(request: HttpRequest) -> HttpResponse:
    ledger.reset()
    return JsonResponse(ledger.snapshot(you=None))


def _checkout_page(request: HttpRequest, form: CheckoutForm, *, status: int = 200) -> HttpResponse:
    shown = {"form": form, "delivery_options": _delivery_options(request, form)}
    return render(request, "checkout.html", shown, status=status)


def _delivery_options(request: HttpRequest, form: CheckoutForm) -> list[dict[str, Any]]:
    """Each way of delivery with its price and the sum it leads to."""
    options = []
    for value, label in DELIVERY_CHOICES:
        with_it = read_cart(request.session, delivery=value)
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


def _order(request: HttpRequest, number: str) -> dict[str, Any]:
    found = ledger.order(number, session=session_id(request))
    if found is None:
        raise Http404("No such order.")
    lines = [(catalogue.product_by_sku(line.sku), line.quantity) for line in found.lines]
    return {"order": found, "lines": lines, "total": catalogue.pounds(found.total_pence)}


def _product(sku: str) -> Product:
    found = catalogue.product_by_sku(sku)
    if found is None:
        raise Http404("No such product.")
    return found


def _line_product(request: HttpRequest) -> Product:
    found = _product(request.POST.get("sku", ""))
    if found.sku not in request.session.get("cart", {}):
        raise Http404("That is not in your cart.")
    return found


def _quantity(request: HttpRequest) -> int:
    given = request.POST.get("quantity", "1")[:3]
    return min(int(given), carts.MOST_OF_ONE_KIND) if given.isdecimal() and int(given) else 1


def _note_cart(request: HttpRequest) -> None:
    ledger.note_cart(session_id(request), request.session.get("cart", {}))


def _next_page(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    own = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    return wanted if wanted and own else "cart"
