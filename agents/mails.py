"""Links by mail, where a mail server is set."""

import logging
import smtplib

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from agents import languages
from agents.models import Person

log = logging.getLogger(__name__)


def is_on() -> bool:
    return bool(settings.EMAIL_HOST)


def address_of(token: str) -> str:
    """Where a password link leads."""
    return settings.PUBLIC_URL + reverse("password_link", args=[token])


def send_link(person: Person, token: str) -> bool:
    """Whether it was handed to the mail server. Never raises: the link can be shown instead."""
    if not is_on() or not person.email:
        return False
    context = {"person": person, "address": address_of(token)}
    with translation.override(languages.mail_language(person)):
        subject = gettext("Your way into Pointsman")
        text = render_to_string("agents/mail_link.txt", context)
    try:
        return bool(send_mail(subject, text, None, [person.email]))
    except (smtplib.SMTPException, OSError) as error:
        log.warning("a link was not mailed: %s", error)
        return False
