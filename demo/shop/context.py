"""What every page of the shop shows: the menu, the cart count, whether to offer the letter."""

from typing import Any

from django.http import HttpRequest

from demo.shop.cart import read_cart
from demo.shop.catalogue import CATEGORIES

NEWSLETTER_COOKIE = "newsletter"


def shop(request: HttpRequest) -> dict[str, Any]:
    return {
        "categories": CATEGORIES,
        "cart": read_cart(request.session),
        "offer_newsletter": NEWSLETTER_COOKIE not in request.COOKIES,
    }
