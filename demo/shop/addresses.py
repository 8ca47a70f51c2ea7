"""How the shop's addresses are written: order numbers, and one spelling of every path."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotFound


class OrderNumber:
    """`HH-10401` in an address is 10401 in the code."""

    regex = "HH-[0-9]{1,9}"

    def to_python(self, value: str) -> int:
        return int(value.removeprefix("HH-"))

    def to_url(self, value: int) -> str:
        return f"HH-{value}"


class PlainPathMiddleware:
    """Every page has one address: `/%63art/` is not another way of writing `/cart/`.

    Who watches the shop by its addresses, as a profile does, must not miss a page.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "%" in raw_path(request):
            return HttpResponseNotFound("There is nothing at this address.")
        return self._get_response(request)


def raw_path(request: HttpRequest) -> str:
    scope = getattr(request, "scope", {})
    return str(scope.get("raw_path", b""), "latin-1")
