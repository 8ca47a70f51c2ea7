"""Notes when a person's session was last used."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from agents import services


class SessionUseMiddleware:
    """A call that asks for no session, an agent's or a health check, costs nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed and request.session.session_key:
            services.note_use(request.session.session_key)
        return response
