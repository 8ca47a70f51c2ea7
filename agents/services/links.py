"""Links that open an account once: the demo's door, invitations, lost passwords."""

import secrets
from datetime import timedelta

from django.db import transaction

from agents.models import PasswordLink, Person, SignInLink
from agents.services.names import actor_of, hash_of
from agents.services.sessions import end_sessions
from audit.services import record
from core import clock
from core.actors import Actor
from core.errors import Conflict, Gone

SIGN_IN_LIFE = timedelta(minutes=10)
PASSWORD_LIVES = {
    PasswordLink.Kind.INVITATION: timedelta(days=3),
    PasswordLink.Kind.RESET: timedelta(days=1),
}


# --- the demo's door ----------------------------------------------------------------------
@transaction.atomic
def create_sign_in_link(person: Person) -> str:
    """A token that signs this person in once within ten minutes."""
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        person=person, token_hash=hash_of(token), expires_at=clock.now() + SIGN_IN_LIFE
    )
    return token


def consume_sign_in_link(token: str) -> Person | None:
    """The person behind a live link, which is used up by this call; None for any other."""
    live = SignInLink.objects.filter(
        token_hash=hash_of(token), used_at=None, expires_at__gt=clock.now(), person__is_active=True
    )
    if not live.update(used_at=clock.now()):
        return None
    return SignInLink.objects.select_related("person").get(token_hash=hash_of(token)).person


# --- passwords ----------------------------------------------------------------------------
@transaction.atomic
def create_password_link(person: Person, *, actor: Actor) -> str:
    """A token that sets this person's password once; former ones are over.

    An invitation (3 days) for who has no password yet, else a reset (1 day). Raises Conflict for
    somebody who is switched off."""
    close_links(person)
    return create_further_password_link(person, actor=actor)


@transaction.atomic
def create_further_password_link(person: Person, *, actor: Actor) -> str:
    """The same beside those they have, which are over once one of them is used: anybody may ask
    for it in their name, and its mail may never arrive."""
    if not person.is_active:
        raise Conflict(f"{person.username} is switched off: switch them on first.")
    kind = PasswordLink.Kind.RESET if person.has_usable_password() else PasswordLink.Kind.INVITATION
    token = secrets.token_urlsafe(32)
    PasswordLink.objects.create(
        person=person,
        kind=kind,
        token_hash=hash_of(token),
        expires_at=clock.now() + PASSWORD_LIVES[kind],
    )
    payload = {"person": person.username, "kind": kind}
    record("person.link_create", actor=actor, payload=payload)
    return token


def live_password_link(token: str) -> PasswordLink:
    """Raises Gone for an unknown, used, replaced or old one: the four are not told apart."""
    live = PasswordLink.objects.filter(
        token_hash=hash_of(token), used_at=None, expires_at__gt=clock.now(), person__is_active=True
    )
    found = live.select_related("person").first()
    if found is None:
        raise Gone("This link is used up or too old.")
    return found


@transaction.atomic
def set_password_by_link(token: str, password: str) -> Person:
    """Use the link up, and their others with it. Every session of theirs ends.

    Raises Gone as `live_password_link`."""
    link = live_password_link(token)
    if not PasswordLink.objects.filter(pk=link.pk, used_at=None).update(used_at=clock.now()):
        raise Gone("This link is used up or too old.")
    person = link.person
    person.set_password(password)
    person.save(update_fields=["password"])
    close_links(person)
    payload = {"person": person.username, "kind": link.kind}
    record("person.set_password", actor=actor_of(person), payload=payload)
    end_sessions(person, actor=actor_of(person))
    return person


def close_links(person: Person) -> None:
    """Every unused link of theirs is over."""
    now = clock.now()
    PasswordLink.objects.filter(person=person, used_at=None).update(used_at=now)
    SignInLink.objects.filter(person=person, used_at=None).update(used_at=now)
