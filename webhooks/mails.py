"""Mails to people who asked for them: what waits, for how long, and the card's address.

Never a word of a page or of an agent's call. Off until EMAIL_HOST is set.
"""

import logging
import smtplib
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, ngettext

from agents import languages
from agents.models import Person
from core import clock
from core.errors import Gone
from core.words import phrase
from proposals import access
from proposals.domain import Status
from proposals.models import Proposal
from webhooks.events import card_url
from webhooks.models import Digest

log = logging.getLogger(__name__)
LISTED = 20
CONFIRMING = "webhooks.mail"
CONFIRM_WITHIN = timedelta(days=1)
DECIDERS = (Person.Role.REVIEWER, Person.Role.ADMIN)


def is_on() -> bool:
    return bool(settings.EMAIL_HOST)


def set_digest(person: Person, *, address: str, every_minutes: int, waiting_minutes: int) -> Digest:
    wish = {
        "address": address,
        "every_minutes": every_minutes,
        "waiting_minutes": waiting_minutes,
    }
    return Digest.objects.update_or_create(person=person, defaults=wish)[0]


# --- whose address it is ----------------------------------------------------------------
def is_theirs(person: Person, address: str) -> bool:
    """The address they were invited by, or one that they confirmed before."""
    confirmed = Digest.objects.filter(person=person).values_list("address", flat=True)
    known = {one.casefold() for one in (person.email, *confirmed) if one}
    return address.casefold() in known


def ask_to_confirm(person: Person, **wish: Any) -> bool:
    """Mail a link that starts these mails, and changes nothing before. Whether it was sent."""
    token = signing.dumps({"person": person.pk, **wish}, salt=CONFIRMING)
    link = settings.PUBLIC_URL + reverse("mail_confirm", args=[token])
    context = {"person": person, "link": link}
    text = render_to_string("webhooks/mail_confirm.txt", context)
    return _hand_over(person, gettext("Confirm where Pointsman writes to"), text, wish["address"])


def confirmed_wish(person: Person, token: str) -> dict[str, Any]:
    """Raises Gone for a link that is too old, made up, or somebody else's."""
    try:
        wish = signing.loads(token, salt=CONFIRMING, max_age=CONFIRM_WITHIN)
    except signing.BadSignature:
        wish = {}
    if wish.pop("person", None) != person.pk:
        raise Gone(phrase("This link is too old, or it was mailed to somebody else."))
    return wish


def stop_digest(person: Person) -> None:
    Digest.objects.filter(person=person).delete()


def send_digests() -> int:
    """Mail everybody whose time has come and for whom something waits. Returns how many mails."""
    if not is_on():
        return 0
    return sum(_send_digest(digest) for digest in _wishes() if _is_due(digest))


def _wishes() -> list[Digest]:
    """Of people who still work here and may decide."""
    wishes = Digest.objects.filter(person__is_active=True, person__role__in=DECIDERS)
    return list(wishes.select_related("person"))


def _is_due(digest: Digest) -> bool:
    every = timedelta(minutes=digest.every_minutes)
    return digest.sent_at is None or digest.sent_at + every <= clock.now()


def _send_digest(digest: Digest) -> bool:
    waiting = waiting_too_long(digest)
    if not waiting or not _claim(digest):
        return False
    with translation.override(languages.mail_language(digest.person)):
        words = ngettext(
            "{count} proposal waiting for you", "{count} proposals waiting for you", len(waiting)
        )
        return _send(digest, words.format(count=len(waiting)), waiting)


def waiting_too_long(digest: Digest) -> list[Proposal]:
    now = clock.now()
    since = now - timedelta(minutes=digest.waiting_minutes)
    waiting = access.visible_to(digest.person).filter(
        status=Status.PENDING, created_at__lte=since, expires_at__gt=now
    )
    return list(waiting.select_related("agent").order_by("created_at"))


def _claim(digest: Digest) -> bool:
    """Before the mail is sent: one too few is better than one every minute."""
    same = Digest.objects.filter(pk=digest.pk, sent_at=digest.sent_at)
    return bool(same.update(sent_at=clock.now()))


def send_escalation(proposal_id: UUID) -> int:
    """Mail the people of its teams who asked for mails. Returns how many."""
    if not is_on():
        return 0
    proposal = Proposal.objects.select_related("agent").get(pk=proposal_id)
    sees = [one for one in _wishes() if access.visible_to(one.person).filter(pk=proposal_id)]
    return sum(_send_warning(digest, proposal) for digest in sees)


def _send_warning(digest: Digest, proposal: Proposal) -> bool:
    with translation.override(languages.mail_language(digest.person)):
        return _send(digest, gettext("A proposal expires soon"), [proposal])


def _send(digest: Digest, subject: str, waiting: list[Proposal]) -> bool:
    now = clock.now()
    lines = [
        {
            "proposal": proposal,
            "waited_minutes": int((now - proposal.created_at).total_seconds() // 60),
            "url": card_url(proposal.id),
        }
        for proposal in waiting[:LISTED]
    ]
    context = {"lines": lines, "more": len(waiting) - len(lines), "home": settings.PUBLIC_URL}
    text = render_to_string("webhooks/mail.txt", context)
    return _hand_over(digest.person, subject, text, digest.address)


def _hand_over(person: Person, subject: str, text: str, address: str) -> bool:
    try:
        send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [address])
    except (smtplib.SMTPException, OSError) as error:
        log.warning("a mail to %s was not sent: %s", person, type(error).__name__)
        return False
    return True
