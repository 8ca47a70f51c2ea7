"""Tells the browser how long the server took, for its own network panel and for benchmarks."""

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

HEADER = "Server-Timing"


class ServerTimingMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        response[HEADER] = f"app;dur={(time.perf_counter() - began) * 1000:.1f}"
        return response
