"""Notes when a person's session was last used."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from agents import services


class SessionUseMiddleware:
    """An agent's call has no session and costs nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.session.session_key:
            services.note_use(request.session.session_key)
        return self.get_response(request)
