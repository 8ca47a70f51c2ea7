"""People's sessions: noted when they begin, ended by hand. Ending one closes its open sockets."""

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.db import transaction

from agents.models import Person, PersonSession
from audit.services import record
from core import clock, live
from core.actors import Actor

USE_STEP = timedelta(minutes=1)
LONGEST_BROWSER_NAME = 300


def note_session(
    person: Person, session_key: str, *, address: str | None, user_agent: str
) -> PersonSession:
    """This session is that person's, from now on."""
    now = clock.now()
    return PersonSession.objects.update_or_create(
        session_id=session_key,
        defaults={
            "person": person,
            "began_at": now,
            "last_used_at": now,
            "address": address,
            "user_agent": user_agent[:LONGEST_BROWSER_NAME],
        },
    )[0]


def note_use(session_key: str) -> None:
    """Once a minute is enough: no write on every page."""
    now = clock.now()
    PersonSession.objects.filter(session_id=session_key, last_used_at__lt=now - USE_STEP).update(
        last_used_at=now
    )


@transaction.atomic
def end_session(session: PersonSession, *, actor: Actor) -> None:
    """Sign that browser out. Harmless where it is over already."""
    person = session.person
    Session.objects.filter(pk=session.session_id).delete()
    record("person.end_session", actor=actor, payload={"person": person.username, "count": 1})
    transaction.on_commit(lambda: live.look_again([person.pk]))


@transaction.atomic
def end_sessions(person: Person, *, actor: Actor, but: str | None = None) -> int:
    """Sign this person out everywhere, `but` in the session of that key. Says how many ended.

    Sockets are asked to look again even where none was noted: they may be older than notes are."""
    keys = PersonSession.objects.filter(person=person).exclude(session_id=but)
    count = len(ended := list(keys.values_list("session_id", flat=True)))
    Session.objects.filter(pk__in=ended).delete()
    if count:
        payload = {"person": person.username, "count": count}
        record("person.end_session", actor=actor, payload=payload)
    transaction.on_commit(lambda: live.look_again([person.pk]))
    return count


def forget_ended() -> None:
    """Drop sessions that ran out, and what was noted of them."""
    Session.objects.filter(expire_date__lt=clock.now()).delete()
