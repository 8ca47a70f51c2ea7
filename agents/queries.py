"""What the pages of people, teams and one's own account show."""

from collections.abc import Iterable
from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from agents.models import PasswordLink, Person, PersonSession, Team
from audit.models import BrowserAudit
from core import clock

CHANGES_SHOWN = 12
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


def people() -> QuerySet[Person]:
    """By name, who is switched off last; each with `has_second_factor` and `is_invited`."""
    factor = Authenticator.objects.filter(user=OuterRef("pk"), type=Authenticator.Type.TOTP)
    link = live_links().filter(person=OuterRef("pk"), kind=PasswordLink.Kind.INVITATION)
    return (
        Person.objects.annotate(has_second_factor=Exists(factor), is_invited=Exists(link))
        .prefetch_related("teams")
        .order_by("-is_active", "username")
    )


def live_links() -> QuerySet[PasswordLink]:
    return PasswordLink.objects.filter(used_at=None, expires_at__gt=clock.now())


def has_second_factor(person: Person) -> bool:
    return Authenticator.objects.filter(user=person, type=Authenticator.Type.TOTP).exists()


def codes_left(person: Person) -> int:
    """Recovery codes that were not used yet."""
    kept = Authenticator.objects.filter(user=person, type=Authenticator.Type.RECOVERY_CODES).first()
    return len(kept.wrap().get_unused_codes()) if kept else 0


def teams() -> QuerySet[Team]:
    """By name, with how many people and agents are in each."""
    active = Count("people", filter=Q(people__is_active=True), distinct=True)
    counted = Team.objects.annotate(people_count=active)
    return counted.annotate(agent_count=Count("agents", distinct=True)).order_by("name")


def changes_of(person: Person) -> Iterable[BrowserAudit]:
    """Latest first: what was done to this account, by whoever."""
    entries = BrowserAudit.objects.filter(
        chain="system", verb__startswith="person.", payload__person=person.username
    )
    return entries.order_by("-id")[:CHANGES_SHOWN]


@dataclass(frozen=True)
class SessionLine:
    """One of a person's sessions, in words."""

    session: PersonSession
    browser: str
    is_this: bool


def session_lines(person: Person, *, this_key: str | None = None) -> list[SessionLine]:
    """Those that can still be used, the latest first."""
    live = person.sessions.filter(session__expire_date__gt=clock.now())
    return [
        SessionLine(one, browser_words(one.user_agent), one.session_id == this_key) for one in live
    ]


def browser_words(user_agent: str) -> str:
    """`Firefox on Linux`: enough to know one's own again."""
    browser = _first(BROWSERS, user_agent) or gettext("A browser")
    system = _first(SYSTEMS, user_agent)
    words = gettext("{browser} on {system}")
    return words.format(browser=browser, system=system) if system else browser


def _first(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for mark, name in names if mark in user_agent), "")
