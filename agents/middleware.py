"""Notes when a person's session was last used, and says pages in their language."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

from agents import languages, services


class LanguageMiddleware(LocaleMiddleware):
    """Pages alone: what machines read is English, whoever asks."""

    def process_request(self, request: HttpRequest) -> None:
        translation.activate(languages.language_of(request))
        request.LANGUAGE_CODE = translation.get_language()


class SessionUseMiddleware:
    """A call that asks for no session, an agent's or a health check, costs nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed and request.session.session_key:
            services.note_use(request.session.session_key)
        return response
