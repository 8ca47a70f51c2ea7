"""Signing in and out and second factors, as Django and allauth tell of them: noted, recorded.
And new teams, which the sockets of those who see every team have to join."""

import ipaddress
from typing import Any

from allauth.mfa import signals
from allauth.mfa.models import Authenticator
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from agents import services
from agents.models import Person, Team
from agents.services import actor_of
from audit.services import record
from core import live


@receiver(user_logged_in)
def note_sign_in(request: HttpRequest, user: Person, **kwargs: Any) -> None:
    note_session(request, user)
    record("person.sign_in", actor=actor_of(user), payload={"person": user.username})


def note_session(request: HttpRequest, person: Person) -> None:
    """Once more after the session got a new key."""
    if not request.session.session_key:
        request.session.create()
    services.note_session(
        person,
        str(request.session.session_key),
        address=_address_of(request),
        user_agent=request.META.get("HTTP_USER_AGENT", ""),
    )


def _address_of(request: HttpRequest) -> str | None:
    try:
        return str(ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return None  # a socket file, or no request at all


@receiver(user_logged_out)
def record_sign_out(user: Person | None, **kwargs: Any) -> None:
    if user is not None:
        record("person.sign_out", actor=actor_of(user), payload={"person": user.username})


@receiver(signals.authenticator_added)
@receiver(signals.authenticator_reset)
@receiver(signals.authenticator_removed)
def record_second_factor(
    signal: Any, user: Person, authenticator: Authenticator, **kwargs: Any
) -> None:
    words = {
        signals.authenticator_added: "add",
        signals.authenticator_reset: "renew",
        signals.authenticator_removed: "remove",
    }
    payload = {"person": user.username, "change": words[signal], "what": authenticator.type}
    record("person.set_second_factor", actor=actor_of(user), payload=payload)


@receiver(post_save, sender=Team)
def join_new_team(created: bool, **kwargs: Any) -> None:
    if created:
        auditors = Person.objects.filter(role=Person.Role.AUDITOR, is_active=True)
        ids = list(auditors.values_list("pk", flat=True))
        transaction.on_commit(lambda: live.look_again(ids))
