"""Who holds a socket: asked anew before anything is said on it, as the database says now."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils.crypto import constant_time_compare

from agents.models import Person
from core import clock

NOT_SIGNED_IN = 4401


def signed_in(scope: Mapping[str, Any]) -> Person | None:
    """The socket's person, if active and still signed in with the password of that time."""
    user, session = scope.get("user"), scope["session"]
    if user is None or not user.is_authenticated:
        return None
    person = Person.objects.filter(pk=user.pk, is_active=True).first()
    live_sessions = Session.objects.filter(expire_date__gt=clock.now())
    if person is None or not live_sessions.filter(pk=session.session_key).exists():
        return None
    is_same = constant_time_compare(session[HASH_SESSION_KEY], person.get_session_auth_hash())
    return person if is_same else None
