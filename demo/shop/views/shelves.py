"""The goods: front page, categories, search, one product, and the letter that lies over them."""

import time

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST

from demo.shop import catalogue, shoppers
from demo.shop.context import NEWSLETTER_COOKIE
from demo.shop.views.asking import product_or_404

# Asking the warehouse takes a moment; the buy button only appears after the answer.
STOCK_ANSWER_S = 1.2
A_YEAR_S = 365 * 24 * 3600


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
    found = product_or_404(sku)
    others = [p for p in catalogue.in_category(found.category) if p != found]
    shown = {"product": found, "others": others, "quantities": range(1, 6)}
    return render(request, "product.html", shown)


@require_GET
def stock(request: HttpRequest, sku: str) -> HttpResponse:
    found = product_or_404(sku)
    time.sleep(STOCK_ANSWER_S)
    return JsonResponse({"sku": found.sku, "in_stock": found.in_stock})


@require_POST
def newsletter(request: HttpRequest) -> HttpResponse:
    shoppers.count_press(shoppers.find_or_make(request), "newsletter.sign_up")
    messages.success(request, "Thank you. The first letter comes on Sunday.")
    answer = redirect("home")
    answer.set_cookie(NEWSLETTER_COOKIE, "seen", max_age=A_YEAR_S, samesite="Lax")
    return answer
