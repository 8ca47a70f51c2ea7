"""Mails: only to who asked, only when something waits, never a word of a page."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from core import clock
from proposals.models import Proposal
from tests.pages.seed import Recipe, propose
from webhooks import mails
from webhooks.models import Digest

pytestmark = pytest.mark.django_db
RECIPE = Recipe(
    "bot",
    tool="browser_navigate",
    intent="agent-words",
    url="https://shop.example/pay?session=hidden",
    params={"url": "https://shop.example/next"},
    reasons=("tier",),
)


@pytest.fixture(autouse=True)
def _mail_is_on(settings) -> None:
    settings.EMAIL_HOST = "mail.example"


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="student", teams=["north"])


@pytest.fixture
def rey() -> Person:
    person = create_person("rey", teams=["north"])[0]
    mails.set_digest(person, address="rey@x.example", every_minutes=30, waiting_minutes=10)
    return person


def waiting(bot: AgentRegistry, *, minutes: int) -> Proposal:
    asked = propose(bot, RECIPE, {})
    made = clock.now() - timedelta(minutes=minutes)
    Proposal.objects.filter(pk=asked.pk).update(
        created_at=made, expires_at=made + timedelta(minutes=60)
    )
    return asked


def test_a_mail_says_what_waits_where_and_nothing_of_the_page(bot, rey) -> None:
    asked = waiting(bot, minutes=12)
    assert mails.send_digests() == 1
    sent = mail.outbox[0]
    assert (sent.to, sent.subject) == (["rey@x.example"], "1 proposal waiting for you")
    assert f"/proposals/{asked.pk}" in sent.body
    assert "bot · browser_navigate" in sent.body
    assert "waiting for 12 min" in sent.body
    for word in ("hidden", "shop.example", "agent-words"):
        assert word not in sent.body


def test_the_next_mail_comes_after_the_wished_time(bot, rey) -> None:
    waiting(bot, minutes=12)
    assert [mails.send_digests(), mails.send_digests()] == [1, 0]
    Digest.objects.update(sent_at=clock.now() - timedelta(minutes=31))
    assert mails.send_digests() == 1


def test_nothing_that_waits_too_long_means_no_mail_and_no_time_is_used_up(bot, rey) -> None:
    waiting(bot, minutes=5)
    assert mails.send_digests() == 0
    assert Digest.objects.get().sent_at is None


def test_only_the_persons_own_teams_count(rey) -> None:
    waiting(create_agent("other", tier="student", teams=["south"]), minutes=12)
    assert mails.send_digests() == 0


@pytest.mark.parametrize("change", [{"is_active": False}, {"role": "auditor"}])
def test_who_left_or_may_not_decide_gets_none(change, bot, rey) -> None:
    waiting(bot, minutes=12)
    Person.objects.filter(pk=rey.pk).update(**change)
    assert mails.send_digests() == 0


def test_without_a_mail_server_nothing_is_sent(bot, rey, settings) -> None:
    asked = waiting(bot, minutes=12)
    settings.EMAIL_HOST = ""
    assert (mails.send_digests(), mails.send_escalation(asked.pk)) == (0, 0)
    assert Digest.objects.get().sent_at is None


def test_an_escalation_goes_to_the_people_of_its_team(bot, rey) -> None:
    stranger = create_person("cy", teams=["south"])[0]
    mails.set_digest(stranger, address="cy@x.example", every_minutes=5, waiting_minutes=1)
    asked = waiting(bot, minutes=50)
    assert mails.send_escalation(asked.pk) == 1
    assert mail.outbox[0].to == ["rey@x.example"]
    assert mail.outbox[0].subject == "A proposal expires soon"
    assert f"/proposals/{asked.pk}" in mail.outbox[0].body


def test_a_mail_server_that_fails_is_survived(bot, rey, settings) -> None:
    waiting(bot, minutes=12)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert mails.send_digests() == 0


# --- whose address it is ----------------------------------------------------------------
WISH = {"every_minutes": "60", "waiting_minutes": "10"}


def asks(person: Person, address: str) -> Client:
    cache.clear()
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(person)
    client.post("/settings/mail", {"address": address, **WISH})
    return client


def address_of(person: Person) -> str:
    return Digest.objects.filter(person=person).values_list("address", flat=True).first() or ""


def link_mailed() -> str:
    return re.search(r"/settings/mail/confirm/\S+", mail.outbox[-1].body).group()


def test_mails_go_at_once_to_the_address_somebody_was_invited_by() -> None:
    ivy = create_person("ivy")[0]
    Person.objects.filter(pk=ivy.pk).update(email="Ivy@x.example")
    asks(Person.objects.get(pk=ivy.pk), "ivy@x.example")
    assert (address_of(ivy), mail.outbox) == ("ivy@x.example", [])


def test_another_address_gets_one_mail_and_no_more_until_its_link_is_used() -> None:
    ivy = create_person("ivy")[0]
    client = asks(ivy, "boss@y.example")
    assert (address_of(ivy), mail.outbox[0].to) == ("", ["boss@y.example"])
    assert client.get(link_mailed()).status_code == 200
    assert address_of(ivy) == ""  # a mail program may have opened it
    client.post(link_mailed())
    assert address_of(ivy) == "boss@y.example"


def test_nobody_confirms_for_somebody_else_nor_with_a_made_up_link(rey) -> None:
    ivy = create_person("ivy")[0]
    asks(ivy, "boss@y.example")
    other = Client(HTTP_HOST="127.0.0.1")
    other.force_login(rey)
    other.post(link_mailed())
    other.post(link_mailed()[:-1] + "~")
    assert (address_of(rey), address_of(ivy)) == ("rey@x.example", "")


def test_a_link_does_not_work_for_ever(monkeypatch) -> None:
    ivy = create_person("ivy")[0]
    client = asks(ivy, "boss@y.example")
    monkeypatch.setattr(mails, "CONFIRM_WITHIN", timedelta(seconds=-1))
    client.post(link_mailed())
    assert address_of(ivy) == ""


def test_where_no_mail_is_sent_another_address_is_refused(settings) -> None:
    settings.EMAIL_HOST = ""
    ivy = create_person("ivy")[0]
    asks(ivy, "boss@y.example")
    assert address_of(ivy) == ""


def test_an_address_cannot_be_written_to_again_and_again() -> None:
    client = asks(create_person("ivy")[0], "boss@y.example")
    again = client.post("/settings/mail", {"address": "boss@y.example", **WISH})
    assert (again.status_code, len(mail.outbox)) == (422, 1)
