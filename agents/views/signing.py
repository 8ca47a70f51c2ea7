"""Signing in: by password, by the demo's link, and to the account a password link opens."""

from typing import Any

from allauth.account.utils import perform_login
from allauth.core import ratelimit
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from agents import adapters, mails, services, tasks
from agents.forms import ForgottenForm, NewPasswordForm, SignInForm
from agents.models import Person, SignInLink
from core import clock
from core.errors import Gone

LOOPBACK = frozenset({"127.0.0.1", "::1"})
FORWARDING_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignIn(LoginView):
    template_name = "agents/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        ways = {"mail_is_on": mails.is_on(), "company": settings.OIDC_NAME}
        return super().get_context_data(**kwargs) | ways

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """The second factor, where there is one, is asked for first."""
        return let_in(self.request, form.get_user(), then=self.get_success_url())


def let_in(request: HttpRequest, person: Person, *, then: str | None = None) -> HttpResponse:
    """Whoever proved to be this person; their second factor is asked for on the way."""
    person.backend = PASSWORD_BACKEND
    return perform_login(request, person, email_verification="none", redirect_url=then)


@require_GET
@never_cache
def company_cancelled(request: HttpRequest) -> HttpResponse:
    return adapters.refusal(request, "cancelled")


# --- the demo's door ----------------------------------------------------------------------
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
    login(request, person, backend=PASSWORD_BACKEND)
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


# --- invitations and lost passwords -------------------------------------------------------
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters()
def password_link(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at it uses nothing up: mail programs look at links too."""
    try:
        link = services.live_password_link(token)
        form = NewPasswordForm(link.person, request.POST or None)
        if not form.is_valid():
            context = {"link": link, "form": form}
            status = 422 if form.is_bound else 200
            return _untold(render(request, "agents/password_link.html", context, status=status))
        person = services.set_password_by_link(token, form.cleaned_data["new_password1"])
    except Gone:
        return _unusable(request, "password", status=410)
    return let_in(request, person)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def forgotten(request: HttpRequest) -> HttpResponse:
    """The same answer whether somebody is known or not, and no sooner."""
    form = ForgottenForm(request.POST or None)
    if not form.is_valid():
        context = {"form": form, "is_on": mails.is_on()}
        return render(request, "agents/forgotten.html", context)
    who = form.cleaned_data["who"].casefold()
    if mails.is_on() and ratelimit.consume(request, action="reset_password", key=who):
        _mail_to(who)
    return render(request, "agents/forgotten_sent.html", {"is_on": mails.is_on()})


def _mail_to(who: str) -> None:
    known = Person.objects.filter(is_active=True).exclude(email="")
    person = known.filter(Q(username__iexact=who) | Q(email__iexact=who)).first()
    if person is not None:
        tasks.mail_forgotten_password.delay(person.pk)
