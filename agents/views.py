"""Signing in and out."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from agents import services
from agents.models import SignInLink
from core import clock

LOOPBACK = frozenset({"127.0.0.1", "::1"})
FORWARDING_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": (
            "This username and password do not go together. Both tell capital from small "
            "letters. If it stays like this, ask an admin for a new password."
        ),
        "inactive": "This account is switched off. Ask an admin.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["username"].widget.attrs["autofocus"] = True


class SignIn(LoginView):
    template_name = "agents/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def sign_in_once(request: HttpRequest, token: str) -> HttpResponse:
    """The demo's door: a page with one button, which uses the link up. This machine only."""
    if not _comes_from_this_machine(request):
        return _unusable(request, "elsewhere", status=403)
    link = _live_link(token)
    if link is None:
        return _unusable(request, "over", status=410)
    if request.method != "POST":
        return _untold(render(request, "agents/sign_in_once.html", {"person": link.person}))
    person = services.consume_sign_in_link(token)
    if person is None:
        return _unusable(request, "over", status=410)
    login(request, person, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("queue")


def _comes_from_this_machine(request: HttpRequest) -> bool:
    """A proxy on this machine would make the whole world look local: then nobody is."""
    if any(header in request.headers for header in FORWARDING_HEADERS):
        return False
    return request.META.get("REMOTE_ADDR") in LOOPBACK


def _live_link(token: str) -> SignInLink | None:
    live = SignInLink.objects.filter(
        token_hash=services.hash_of(token),
        used_at=None,
        expires_at__gt=clock.now(),
        person__is_active=True,
    )
    return live.select_related("person").first()


def _unusable(request: HttpRequest, why: str, *, status: int) -> HttpResponse:
    return _untold(
        render(request, "agents/sign_in_link_unusable.html", {"why": why}, status=status)
    )


def _untold(response: HttpResponse) -> HttpResponse:
    """Keep the address, which holds the token, out of the log and out of referrers.

    Not `no-referrer`: the form would then be sent with `Origin: null`, which CSRF refuses."""
    response._has_been_logged = True  # type: ignore[attr-defined]  # what log_response() asks
    response["Referrer-Policy"] = "strict-origin"
    return response
