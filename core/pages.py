"""What pages say about an address that takes only forms."""

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url

ASKING = frozenset({"GET", "HEAD"})


class FormAddressMiddleware:
    """An address that takes only POST shows nothing: who asks for it gets a page that says so, and
    nobody is led there after signing in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and _is_blank(response):
            return _with_page(request, response)
        if request.method not in ASKING and _leads_to_sign_in(response):
            response["Location"] = resolve_url(settings.LOGIN_URL)
        return response


def _is_blank(response: HttpResponse) -> bool:
    return not response.streaming and not response.content


def _with_page(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    page = render(request, "405.html", status=response.status_code)
    page["Allow"] = response["Allow"]
    return page


def _leads_to_sign_in(response: HttpResponse) -> bool:
    path = urlsplit(response.headers.get("Location", "")).path
    return path == resolve_url(settings.LOGIN_URL)
