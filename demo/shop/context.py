"""What every page of the shop shows: the menu, who is signed in, the cart count, the letter."""

from typing import Any

from django.http import HttpRequest

from demo.shop import shoppers
from demo.shop.cart import read_cart
from demo.shop.catalogue import CATEGORIES

NEWSLETTER_COOKIE = "newsletter"


def shop(request: HttpRequest) -> dict[str, Any]:
    shopper = shoppers.find(request)
    return {
        "categories": CATEGORIES,
        "shopper": shopper,
        "cart": read_cart(shopper),
        "offer_newsletter": NEWSLETTER_COOKIE not in request.COOKIES,
    }
