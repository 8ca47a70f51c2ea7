"""People: invited, given a role and teams, switched off and on again."""

import secrets
from collections.abc import Iterable
from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import make_password
from django.db import transaction

from agents.models import Person, Team
from agents.services.links import close_links
from agents.services.names import actor_of
from agents.services.sessions import end_sessions
from agents.services.teams import teams_named
from audit.services import record
from core import live
from core.actors import SYSTEM, Actor
from core.errors import Conflict, Invalid
from core.words import phrase


@transaction.atomic
def create_person(
    username: str,
    *,
    role: str = Person.Role.REVIEWER,
    teams: list[str] | None = None,
    actor: Actor = SYSTEM,
) -> tuple[Person, str]:
    """A person and their first password, returned this once."""
    password = secrets.token_urlsafe(12)
    person = _new_person(username, email="", role=role, password=password)
    person.teams.set(teams_named(teams))
    record("person.create", actor=actor, payload={"username": username, "role": role})
    return person, password


@transaction.atomic
def invite(username: str, *, email: str, role: str, teams: Iterable[Team], actor: Actor) -> Person:
    """An account without a password: a link or the company's sign-in opens it.

    Raises Conflict for a taken name or address, Invalid for an unknown role."""
    if email and Person.objects.filter(email__iexact=email).exists():
        raise Conflict(phrase("Somebody with this address is here already."), field="email")
    person = _new_person(username, email=email, role=role, password=None)
    person.teams.set(list(teams) or teams_named(None))
    payload = {"person": username, "role": role, "teams": _team_names(person)}
    record("person.invite", actor=actor, payload=payload)
    return person


def _new_person(username: str, *, email: str, role: str, password: str | None) -> Person:
    _known_role(role)
    if Person.objects.filter(username__iexact=username).exists():
        said = phrase("A person named {name} exists already.", name=repr(username))
        raise Conflict(said, field="username")
    is_admin = role == Person.Role.ADMIN
    return Person.objects.create(
        username=username,
        email=email,
        role=role,
        password=make_password(password),  # None: no password fits
        is_staff=is_admin,
        is_superuser=is_admin,
    )


@transaction.atomic
def set_role(person: Person, role: str, *, actor: Actor) -> Person:
    """From their next click on. Raises Conflict where nobody would be left to admin."""
    admins = _admins_held()
    held = _held(person)
    former = held.role
    if former == _known_role(role):
        return held
    _refuse_last(held, admins)
    held.role = role
    held.is_staff = held.is_superuser = role == Person.Role.ADMIN
    held.save(update_fields=["role", "is_staff", "is_superuser"])
    payload = {"person": held.username, "from": former, "to": role}
    record("person.set_role", actor=actor, payload=payload)
    transaction.on_commit(lambda: live.look_again([held.pk]))  # other teams, other buttons
    return held


@transaction.atomic
def set_teams(person: Person, teams: Iterable[Team], *, actor: Actor) -> Person:
    """Exactly these teams; none is allowed: they then see no agent's work."""
    held = _held(person)
    former = _team_names(held)
    held.teams.set(list(teams))
    if (present := _team_names(held)) != former:
        payload = {"person": held.username, "from": former, "to": present}
        record("person.set_teams", actor=actor, payload=payload)
        transaction.on_commit(lambda: live.look_again([held.pk]))
    return held


@transaction.atomic
def deactivate(person: Person, *, actor: Actor) -> Person:
    """Shut somebody out at once: links, sessions and open sockets end with it.

    Raises Conflict for oneself and for the last admin."""
    admins = _admins_held()
    held = _held(person)
    if actor == actor_of(held):
        raise Conflict(phrase("You cannot switch yourself off: ask another admin."))
    if not held.is_active:
        return held
    _refuse_last(held, admins)
    held.is_active = False
    held.save(update_fields=["is_active"])
    close_links(held)
    record("person.deactivate", actor=actor, payload={"person": held.username})
    end_sessions(held, actor=actor)
    return held


@transaction.atomic
def reactivate(person: Person, *, actor: Actor) -> Person:
    """Their password and second factor are what they were."""
    held = _held(person)
    if not held.is_active:
        held.is_active = True
        held.save(update_fields=["is_active"])
        record("person.reactivate", actor=actor, payload={"person": held.username})
    return held


@transaction.atomic
def change_password(person: Person, password: str, *, keep_session: str | None = None) -> None:
    """One's own, which was checked already. Ends every other session, and unused links."""
    person.set_password(password)
    person.save(update_fields=["password"])
    close_links(person)
    record("person.set_password", actor=actor_of(person), payload={"person": person.username})
    end_sessions(person, actor=actor_of(person), but=keep_session)


@transaction.atomic
def set_preference(person: Person, name: str, value: Any) -> None:
    """How this person likes one page. Nobody else's business, so it is not in the record."""
    held = _held(person)
    held.preferences = {**held.preferences, name: value}
    held.save(update_fields=["preferences"])
    person.preferences = held.preferences


@transaction.atomic
def remove_second_factor(person: Person, *, actor: Actor) -> None:
    """For somebody who lost their device: their password alone opens the account again."""
    count, _ = Authenticator.objects.filter(user=person).delete()
    if count:
        record("person.remove_second_factor", actor=actor, payload={"person": person.username})
        end_sessions(person, actor=actor)


def _held(person: Person) -> Person:
    return Person.objects.select_for_update().get(pk=person.pk)


def _admins_held() -> list[int]:
    """The ids of those who admin, locked in one order, before anybody else's row is: so two admins
    cannot switch each other off at once."""
    admins = Person.objects.select_for_update().filter(role=Person.Role.ADMIN, is_active=True)
    return [admin.pk for admin in admins.order_by("pk")]


def _refuse_last(person: Person, admins: list[int]) -> None:
    if admins == [person.pk]:
        raise Conflict(phrase("This is the last admin: make somebody else an admin first."))


def _known_role(role: str) -> str:
    if role not in Person.Role.values:
        raise Invalid(f"Unknown role {role!r}: use one of {', '.join(Person.Role.values)}.")
    return role


def _team_names(person: Person) -> list[str]:
    return list(person.teams.order_by("name").values_list("name", flat=True))
