"""The only writers of profiles. Every change is a version, a row of its own and an audit entry."""

from typing import Any

from django.db import connection, transaction

from audit.services import record
from confirmations import profiles
from confirmations.domain.profile import Profile as ReadProfile
from confirmations.models import Profile, ProfileVersion
from core import clock
from core.actors import SYSTEM, Actor
from core.errors import Conflict, DomainError, Invalid
from core.placed import Misplaced
from core.words import phrase


class BadProfile(Invalid):
    """The text cannot be read; `details` name the line and the key."""

    code = "bad_profile"


class Stale(Conflict):
    """Somebody changed it since it was seen; `details` say which version it has now."""

    code = "stale"


@transaction.atomic
def create(text: str, *, actor: Actor = SYSTEM) -> Profile:
    """A new profile, not in force yet. Raises BadProfile, and Conflict for a name that is taken."""
    _hold_the_profiles()
    text, read = checked(text)
    if Profile.objects.filter(name=read.name).exists():
        raise Conflict(
            phrase("There is a profile {name} already: change that one.", name=read.name)
        )
    made = Profile.objects.create(
        name=read.name, updated_at=clock.now(), **_columns(text, read), **_by(actor)
    )
    _note(made, "profile.create", actor)
    return made


@transaction.atomic
def save(profile: Profile, text: str, *, seen: int, actor: Actor = SYSTEM) -> Profile:
    """Another text; an active one holds at once. `seen` is the version that was changed.

    Raises BadProfile, Invalid for another's name, Stale, and Conflict as `activate` does."""
    _hold_the_profiles()
    text, read = checked(text)
    if read.name != profile.name:
        raise Invalid(
            phrase("This profile is named {name}: write a new one for another.", name=profile.name)
        )
    return _change(profile, "profile.save", seen=seen, actor=actor, **_columns(text, read))


@transaction.atomic
def activate(profile: Profile, *, seen: int, actor: Actor = SYSTEM) -> Profile:
    """It is in force from now. Raises BadProfile, Stale, and Conflict while another active one has
    one of its sites: nobody could see which of the two holds."""
    _hold_the_profiles()
    checked(profile.text)
    return _change(profile, "profile.activate", seen=seen, actor=actor, is_active=True)


@transaction.atomic
def save_and_activate(profile: Profile, text: str, *, seen: int, actor: Actor = SYSTEM) -> Profile:
    """Both or neither; a text that it has already is no change. Raises as the two do."""
    _hold_the_profiles()
    if plain(text) != profile.text:
        profile = save(profile, text, seen=seen, actor=actor)
        seen = profile.version
    return activate(profile, seen=seen, actor=actor)


@transaction.atomic
def deactivate(profile: Profile, *, seen: int, actor: Actor = SYSTEM) -> Profile:
    """Raises Stale."""
    _hold_the_profiles()
    return _change(profile, "profile.deactivate", seen=seen, actor=actor, is_active=False)


@transaction.atomic
def put_in_force(text: str, *, actor: Actor = SYSTEM) -> Profile:
    """As a file ships it: created or saved, and active; a text that is so already changes nothing.
    Raises as the three do."""
    _hold_the_profiles()
    text, read = checked(text)
    profile = Profile.objects.filter(name=read.name).first() or create(text, actor=actor)
    if profile.is_active and profile.text == text:
        return profile
    if profile.is_active:
        return save(profile, text, seen=profile.version, actor=actor)
    return save_and_activate(profile, text, seen=profile.version, actor=actor)


def checked(text: str) -> tuple[str, ReadProfile]:
    """The text as it is kept, and what it says. Raises BadProfile."""
    try:
        return plain(text), profiles.read(plain(text))
    except Misplaced as error:
        raise BadProfile(error.said, line=error.line, key=error.key) from None


def plain(text: str) -> str:
    """As it is kept: a browser's form sends other line ends. No line is lost or made before
    another, so that an error names the line that was written."""
    return text.replace("\r\n", "\n").rstrip() + "\n"


# --- written ----------------------------------------------------------------------------
def _change(profile: Profile, verb: str, *, seen: int, actor: Actor, **columns: Any) -> Profile:
    changes = {**columns, **_by(actor), "version": seen + 1, "updated_at": clock.now()}
    found = Profile.objects.filter(pk=profile.pk)
    if not found.filter(version=seen).update(**changes):
        raise _stale(found.get())
    changed = found.get()
    if changed.is_active:
        _refuse_shared_sites(changed)
    _note(changed, verb, actor)
    return changed


def _stale(now: Profile) -> DomainError:
    who = now.updated_by.username if now.updated_by else "pointsman"
    said = phrase(
        "{who} changed this profile meanwhile: it has version {version} now.",
        who=who,
        version=now.version,
    )
    return Stale(said, version=now.version)


def _refuse_shared_sites(profile: Profile) -> None:
    for other in Profile.objects.filter(is_active=True).exclude(pk=profile.pk):
        for site in sorted(set(other.sites) & set(profile.sites)):
            said = phrase("{site} has an active profile: {name}.", site=site, name=other.name)
            raise Conflict(said)


def _note(profile: Profile, verb: str, actor: Actor) -> None:
    ProfileVersion.objects.create(
        profile=profile,
        version=profile.version,
        text=profile.text,
        is_active=profile.is_active,
        at=profile.updated_at,
        by=actor.name,
    )
    told = {"profile": profile.name, "version": profile.version, "is_active": profile.is_active}
    record(verb, actor=actor, payload={**told, "text": profile.text})
    transaction.on_commit(profiles.forget)


def _columns(text: str, read: ReadProfile) -> dict[str, Any]:
    return {"text": text, "sites": list(read.sites), "mode": read.mode or ""}


def _by(actor: Actor) -> dict[str, Any]:
    return {"updated_by_id": int(actor.id) if actor.kind == "person" else None}


def _hold_the_profiles() -> None:
    """Active ones are judged together, so one change at a time."""
    with connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {Profile._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
