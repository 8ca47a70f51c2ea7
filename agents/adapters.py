"""How django-allauth fits in here: who may come in, how second factors are kept.

Accounts are made by invitation only; allauth checks the second factor and the company's sign-in."""

from typing import Any, NoReturn

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base import AuthProcess
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from agents.models import Person
from core import sealing


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def respond_user_inactive(self, request: HttpRequest, user: Person) -> HttpResponse:
        return refusal(request, "switched_off")

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Our pages say what happened; allauth's words would come on top."""


class CompanyAdapter(DefaultSocialAccountAdapter):
    """OIDC: only who was invited by the address the company vouches for."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        if sociallogin.state.get("process") != AuthProcess.LOGIN:  # nobody connects by themselves
            raise ImmediateHttpResponse(refusal(request, "failed"))
        if sociallogin.is_existing:
            return
        person = _invited(sociallogin)
        if person is None:
            raise ImmediateHttpResponse(refusal(request, "not_invited"))
        sociallogin.connect(request, person)

    def on_authentication_error(self, request: HttpRequest, *args: Any, **kwargs: Any) -> NoReturn:
        raise ImmediateHttpResponse(refusal(request, "failed"))


def _invited(sociallogin: SocialLogin) -> Person | None:
    vouched = [
        address.email
        for address in sociallogin.email_addresses
        if address.email and (address.verified or settings.OIDC_TRUST_EMAIL)
    ]
    if not vouched:
        return None
    return Person.objects.filter(email__iexact=vouched[0], is_active=True).first()


def refusal(request: HttpRequest, why: str) -> HttpResponse:
    return render(request, "agents/not_let_in.html", {"why": why}, status=403)


class SecondFactorAdapter(DefaultMFAAdapter):
    """What makes codes is sealed in the database, as typed text is."""

    def encrypt(self, text: str) -> str:
        return sealing.seal({"secret": text})

    def decrypt(self, encrypted_text: str) -> str:
        return str(sealing.unseal(encrypted_text)["secret"])

    def get_totp_label(self, user: Person) -> str:
        return user.username
