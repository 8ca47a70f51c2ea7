"""The doors, over Django's client: links, second factors, the company's sign-in, one's account."""

import re
import time
from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.core.cache import cache
from django.test import Client

from agents import services, tasks
from agents.models import PasswordLink, Person
from audit.models import BrowserAudit
from core.actors import SYSTEM
from tests.support.company import Company

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-enough-password"
OTHER = "quite-another-password"


@pytest.fixture(autouse=True)
def no_limits_yet() -> None:
    cache.clear()


def browser(**meta: str) -> Client:
    return Client(HTTP_HOST="127.0.0.1", **meta)


def person(name: str = "ivy", *, email: str = "", role: str = "reviewer") -> Person:
    made = services.invite(name, email=email, role=role, teams=[], actor=SYSTEM)
    made.set_password(PASSWORD)
    made.save()
    return made


def sign_in(client: Client, name: str = "ivy", password: str = PASSWORD) -> str:
    answer = client.post("/sign-in", {"username": name, "password": password})
    return str(answer.get("Location", answer.status_code))


def is_in(client: Client) -> bool:
    return client.get("/account").status_code == 200


def verbs() -> list[str]:
    return list(BrowserAudit.objects.order_by("id").values_list("verb", flat=True))


# --- links ------------------------------------------------------------------------------
def test_a_link_sets_the_password_and_signs_in() -> None:
    ivy = services.invite("ivy", email="", role="reviewer", teams=[], actor=SYSTEM)
    path = f"/sign-in/password/{services.create_password_link(ivy, actor=SYSTEM)}"
    client = browser()
    shown = client.get(path)
    assert "You are invited as <b>ivy</b>" in shown.content.decode()
    assert shown["Referrer-Policy"] == "strict-origin"
    weak = client.post(path, {"new_password1": "short", "new_password2": "short"})
    assert weak.status_code == 422
    done = client.post(path, {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert done["Location"] == "/"
    assert is_in(client)
    assert browser().get(path).status_code == 410


def test_a_reset_ends_every_session() -> None:
    ivy, former = person(), browser()
    sign_in(former)
    path = f"/sign-in/password/{services.create_password_link(ivy, actor=SYSTEM)}"
    browser().post(path, {"new_password1": OTHER, "new_password2": OTHER})
    assert not is_in(former)
    assert sign_in(browser()) == "200"
    assert sign_in(browser(), password=OTHER) == "/"


def test_nobody_learns_by_the_forgotten_page_who_has_an_account(settings, monkeypatch) -> None:
    settings.EMAIL_HOST = "mail.example"
    asked: list[int] = []
    monkeypatch.setattr(tasks.mail_forgotten_password, "delay", asked.append)
    ivy = person(email="ivy@example.com")
    known = browser().post("/sign-in/forgotten", {"who": "IVY@example.com"})
    unknown = browser().post("/sign-in/forgotten", {"who": "nobody"})
    assert known.content == unknown.content
    assert asked == [ivy.pk]


def test_a_forgotten_password_is_mailed_as_a_link_that_works(settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    ivy = person(email="ivy@example.com")
    tasks.mail_forgotten_password(ivy.pk)
    sent = mail.outbox[-1]
    assert sent.to == ["ivy@example.com"]
    path = re.search(r"/sign-in/password/\S+", sent.body).group()
    assert browser().get(path).status_code == 200


def test_asking_for_a_lost_password_by_anybody_leaves_an_invitation_alive(settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    nora = services.invite("nora", email="nora@x.example", role="reviewer", teams=[], actor=SYSTEM)
    token = services.create_password_link(nora, actor=SYSTEM)
    tasks.mail_forgotten_password(nora.pk)
    assert browser().get(f"/sign-in/password/{token}").status_code == 200


def test_once_a_link_is_used_the_others_are_over(settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    ivy = person(email="ivy@example.com")
    former = services.create_password_link(ivy, actor=SYSTEM)
    tasks.mail_forgotten_password(ivy.pk)
    path = re.search(r"/sign-in/password/\S+", mail.outbox[-1].body).group()
    browser().post(path, {"new_password1": OTHER, "new_password2": OTHER})
    ivy.refresh_from_db()
    assert ivy.check_password(OTHER)
    assert browser().get(f"/sign-in/password/{former}").status_code == 410


# --- the admins' pages ------------------------------------------------------------------
def as_admin() -> Client:
    person("ada", role="admin")
    client = browser()
    sign_in(client, "ada")
    return client


def test_an_admin_invites_and_hands_on_the_link() -> None:
    said = {"username": "ivy", "email": "", "role": "auditor"}
    answer = as_admin().post("/settings/people/new", said)
    path = re.search(r"/sign-in/password/[\w-]+", answer.content.decode()).group()
    assert browser().get(path).status_code == 200
    assert Person.objects.get(username="ivy").role == "auditor"


def test_where_mail_is_sent_the_link_is_not_shown(settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    said = {"username": "ivy", "email": "ivy@example.com", "role": "reviewer"}
    answer = as_admin().post("/settings/people/new", said, follow=True)
    assert "/sign-in/password/" not in answer.content.decode()
    assert "/sign-in/password/" in mail.outbox[-1].body


@pytest.mark.parametrize("role", ["reviewer", "auditor"])
def test_only_admins_see_and_change_people_and_teams(role: str) -> None:
    ivy = person(role=role)
    client = browser()
    sign_in(client)
    one = f"/settings/people/{ivy.pk}"
    for path in ("/settings/people", "/settings/people/new", one, "/settings/teams"):
        assert client.get(path).status_code == 403, path
    for verb in ("role", "teams", "link", "off", "on", "sign-out", "second-factor/remove"):
        answer = client.post(f"{one}/{verb}", {"role": "admin"})
        assert answer.status_code == 403, verb
    assert Person.objects.get(pk=ivy.pk).role == role
    assert not PasswordLink.objects.exists()


def test_strangers_are_sent_to_sign_in() -> None:
    for path in ("/settings/people", "/settings/teams", "/account"):
        assert browser().get(path)["Location"] == f"/sign-in?next={path}"


# --- one's own account ------------------------------------------------------------------
def test_changing_the_password_ends_the_other_sessions_and_not_this_one() -> None:
    person()
    here, there = browser(), browser()
    sign_in(here), sign_in(there)
    said = {"old_password": PASSWORD, "new_password1": OTHER, "new_password2": OTHER}
    assert here.post("/account/password", said)["Location"] == "/account"
    assert is_in(here)
    assert not is_in(there)
    assert Person.objects.get().sessions.count() == 1


def test_the_present_password_is_asked_for_and_not_for_long() -> None:
    person()
    client = browser()
    sign_in(client)
    said = {"old_password": "wrong", "new_password1": OTHER, "new_password2": OTHER}
    statuses = [client.post("/account/password", said).status_code for _ in range(6)]
    assert statuses == [422] * 5 + [429]
    assert Person.objects.get().check_password(PASSWORD)


def test_a_session_is_ended_from_another_one() -> None:
    ivy = person()
    here, there = browser(), browser(HTTP_USER_AGENT="Mozilla/5.0 (X11; Linux) Firefox/140.0")
    sign_in(here), sign_in(there)
    assert "Firefox on Linux" in here.get("/account").content.decode()
    session = ivy.sessions.get(session_id=there.session.session_key)
    here.post(f"/account/sessions/{session.pk}/end")
    assert not is_in(there)
    assert is_in(here)


def test_somebody_elses_session_is_not_there() -> None:
    person("ian")
    theirs, client = browser(), browser()
    sign_in(theirs, "ian")
    person()
    sign_in(client)
    session = Person.objects.get(username="ian").sessions.get()
    assert client.post(f"/account/sessions/{session.pk}/end").status_code == 404
    assert is_in(theirs)


def test_a_session_key_is_on_no_page() -> None:
    person()
    client = browser()
    sign_in(client)
    assert client.session.session_key not in client.get("/account").content.decode()


# --- the second factor ------------------------------------------------------------------
def code_now(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def set_up(client: Client) -> str:
    """Through the pages, as a person does; returns the secret."""
    asked = client.get("/account/second-factor")
    assert asked["Location"].startswith("/account/again")
    client.post(asked["Location"], {"password": PASSWORD})
    page = client.get("/account/second-factor").content.decode()
    secret = re.search(r'totp-secret">(\w+)<', page).group(1)
    done = client.post("/account/second-factor", {"code": code_now(secret)})
    assert done["Location"] == "/account/recovery-codes"
    cache.clear()  # a code is good once, and the next sign-in uses the same
    return secret


def test_the_second_factor_is_asked_for_after_the_password() -> None:
    person()
    client = browser()
    sign_in(client)
    secret = set_up(client)
    fresh = browser()
    assert sign_in(fresh) == "/sign-in/code"
    assert not is_in(fresh)
    assert fresh.post("/sign-in/code", {"code": "000000"}).status_code == 200
    assert not is_in(fresh)
    assert fresh.post("/sign-in/code", {"code": code_now(secret)})["Location"] == "/"
    assert is_in(fresh)


def test_the_page_wanted_first_is_reached_after_the_code() -> None:
    person()
    client = browser()
    sign_in(client)
    secret = set_up(client)
    fresh = browser()
    said = {"username": "ivy", "password": PASSWORD, "next": "/runs"}
    fresh.post("/sign-in", said)
    assert fresh.post("/sign-in/code", {"code": code_now(secret)})["Location"] == "/runs"


def test_a_recovery_code_works_once() -> None:
    person()
    client = browser()
    sign_in(client)
    set_up(client)
    page = client.get("/account/recovery-codes").content.decode()
    code = re.findall(r"<li><code>(\w+)</code>", page)[0]
    for expected in ("/", "200"):
        fresh = browser()
        sign_in(fresh)
        answer = fresh.post("/sign-in/code", {"code": code})
        assert str(answer.get("Location", answer.status_code)) == expected


def test_codes_cannot_be_guessed_at_length() -> None:
    person()
    client = browser()
    sign_in(client)
    secret = set_up(client)
    fresh = browser()
    sign_in(fresh)
    for _ in range(6):
        fresh.post("/sign-in/code", {"code": "000000"})
    fresh.post("/sign-in/code", {"code": code_now(secret)})
    assert not is_in(fresh)


def test_a_reset_link_does_not_go_around_the_second_factor() -> None:
    ivy = person()
    client = browser()
    sign_in(client)
    set_up(client)
    path = f"/sign-in/password/{services.create_password_link(ivy, actor=SYSTEM)}"
    fresh = browser()
    done = fresh.post(path, {"new_password1": OTHER, "new_password2": OTHER})
    assert done["Location"] == "/sign-in/code"
    assert not is_in(fresh)


def test_what_makes_the_codes_is_sealed_and_its_set_up_recorded(
    django_capture_on_commit_callbacks,
) -> None:
    person()
    client = browser()
    sign_in(client)
    with django_capture_on_commit_callbacks(execute=True):
        secret = set_up(client)
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    assert verbs().count("person.set_second_factor") == 2  # the app, and the recovery codes


def test_an_admin_removes_a_lost_second_factor() -> None:
    ivy = person()
    client = browser()
    sign_in(client)
    set_up(client)
    as_admin().post(f"/settings/people/{ivy.pk}/second-factor/remove")
    assert not is_in(client)
    assert sign_in(browser()) == "/"


# --- the company's sign-in --------------------------------------------------------------
@pytest.fixture
def company(settings) -> Iterator[Company]:
    with Company.started() as running:
        settings.SOCIALACCOUNT_PROVIDERS = running.settings()
        settings.OIDC_NAME = "Acme"
        running.claims = {"sub": "4711", "email": "ivy@example.com", "email_verified": True}
        yield running


def by_company(company: Company, client: Client) -> tuple[int, str]:
    leave = client.get("/sign-in/company/login/")
    answer = client.get(company.sends_back(leave["Location"]))
    return answer.status_code, answer.get("Location", answer.content.decode())


def test_who_was_invited_by_their_address_gets_in(company: Company) -> None:
    services.invite("ivy", email="Ivy@Example.com", role="reviewer", teams=[], actor=SYSTEM)
    assert "Sign in with Acme" in browser().get("/sign-in").content.decode()
    client = browser()
    assert by_company(company, client) == (302, "/")
    assert is_in(client)
    assert company.asked["code_challenge_method"] == "S256"
    assert Person.objects.count() == 1


def test_who_was_not_invited_does_not(company: Company) -> None:
    client = browser()
    status, page = by_company(company, client)
    assert status == 403
    assert "You are not invited yet" in page
    assert not Person.objects.exists()
    assert not is_in(client)


def test_an_address_nobody_vouches_for_opens_nothing(company: Company, settings) -> None:
    services.invite("ivy", email="ivy@example.com", role="reviewer", teams=[], actor=SYSTEM)
    company.claims["email_verified"] = False
    assert by_company(company, browser())[0] == 403
    settings.OIDC_TRUST_EMAIL = True
    assert by_company(company, browser()) == (302, "/")


def test_who_is_switched_off_stays_out(company: Company) -> None:
    ivy = services.invite("ivy", email="ivy@example.com", role="reviewer", teams=[], actor=SYSTEM)
    assert by_company(company, browser()) == (302, "/")
    services.deactivate(ivy, actor=SYSTEM)
    client = browser()
    status, page = by_company(company, client)
    assert (status, "switched off" in page) == (403, True)
    assert not is_in(client)


def test_a_made_up_answer_of_the_company_is_refused(company: Company) -> None:
    client = browser()
    client.get("/sign-in/company/login/")
    answer = client.get("/sign-in/company/login/callback/?code=one-code&state=made-up")
    assert answer.status_code == 403
    assert not is_in(client)


def test_without_an_issuer_there_is_no_such_door() -> None:
    assert browser().get("/sign-in/company/login/").status_code == 404
    assert "Sign in with" not in browser().get("/sign-in").content.decode()


@pytest.mark.parametrize("process", ["connect", "redirect"])
def test_the_companys_door_is_only_for_signing_in(company: Company, process: str) -> None:
    """Nobody ties the account of another person to the session they have."""
    person("nora", email="nora@example.org")
    company.claims = {"sub": "77", "email": "nora@example.org", "email_verified": True}
    client = browser()
    client.force_login(person("mallory"))
    leave = client.get(f"/sign-in/company/login/?process={process}")
    answer = client.get(company.sends_back(leave["Location"]))
    assert answer.status_code == 403
    assert not SocialAccount.objects.exists()
