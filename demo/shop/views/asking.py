"""What the pages read from a request."""

from django.http import Http404, HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

from demo.shop.cart import MOST_OF_ONE_KIND
from demo.shop.catalogue import Product, product_by_sku

LONGEST_NOTE = 140


def product_or_404(sku: str) -> Product:
    found = product_by_sku(sku)
    if found is None:
        raise Http404("No such product.")
    return found


def quantity(request: HttpRequest) -> int:
    given = request.POST.get("quantity", "1")[:3]
    return min(int(given), MOST_OF_ONE_KIND) if given.isdecimal() and int(given) else 1


def code(request: HttpRequest) -> str:
    return request.POST.get("code", "").strip().upper()[:20]


def note(request: HttpRequest) -> str:
    return request.POST.get("note", "").replace("\0", "").strip()[:LONGEST_NOTE]


def own_path(request: HttpRequest, wanted: str, *, otherwise: str) -> str:
    """`wanted` if it is an address of this shop."""
    is_own = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    return wanted if wanted.startswith("/") and is_own else otherwise
