"""In which language somebody reads: their own choice, else what their browser asks for."""

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from agents.models import Person

PREFERENCE = "language"
MACHINES = ("/api/", "/metrics", "/healthz", "/readyz")


def language_of(request: HttpRequest) -> str:
    """English for machines; a call without a session's cookie costs no look at who it is."""
    if request.path.startswith(MACHINES):
        return settings.LANGUAGE_CODE
    wanted = translation.get_language_from_request(request)
    return _own_language(request) or wanted


def _own_language(request: HttpRequest) -> str:
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return ""
    person = request.user
    return chosen_by(person) if isinstance(person, Person) else ""


def chosen_by(person: Person) -> str:
    """ "" where they leave it to their browser."""
    chosen = str(person.preferences.get(PREFERENCE, ""))
    return chosen if chosen in dict(settings.LANGUAGES) else ""


def mail_language(person: Person) -> str:
    """A mail has no browser that could say it."""
    return chosen_by(person) or settings.LANGUAGE_CODE
