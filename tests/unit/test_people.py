"""People, their links and sessions, teams and keys: what the services promise."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from agents import services
from agents.authentication import KeyAuthentication
from agents.models import AgentRegistry, ApiKey, PasswordLink, Person, Team
from agents.services import actor_of
from audit.models import BrowserAudit
from core import clock
from core.actors import SYSTEM
from core.errors import Conflict, Gone, Invalid

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-enough-password"


@pytest.fixture(autouse=True)
def socketless(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Whose sockets were asked to look again."""
    asked: list[int] = []
    monkeypatch.setattr("core.live.look_again", lambda ids: asked.extend(ids))
    return asked


def admin(name: str = "ada") -> Person:
    return services.create_person(name, role="admin")[0]


def invited(name: str = "ivy", **said: object) -> Person:
    wanted = {"email": "", "role": "reviewer", "teams": [], **said}
    return services.invite(name, actor=SYSTEM, **wanted)


def verbs() -> list[str]:
    return list(BrowserAudit.objects.order_by("id").values_list("verb", flat=True))


# --- invitations and links --------------------------------------------------------------
def test_who_is_invited_has_no_password_until_the_link_is_used() -> None:
    ivy = invited()
    assert not ivy.has_usable_password()
    token = services.create_password_link(ivy, actor=SYSTEM)
    services.set_password_by_link(token, PASSWORD)
    ivy.refresh_from_db()
    assert ivy.check_password(PASSWORD)
    assert verbs() == ["person.invite", "person.link_create", "person.set_password"]


def test_a_link_works_once() -> None:
    token = services.create_password_link(invited(), actor=SYSTEM)
    services.set_password_by_link(token, PASSWORD)
    with pytest.raises(Gone):
        services.set_password_by_link(token, "another-long-password")


def test_only_the_hash_of_a_link_is_kept() -> None:
    token = services.create_password_link(invited(), actor=SYSTEM)
    link = PasswordLink.objects.get()
    assert token not in {link.token_hash, str(BrowserAudit.objects.latest("id").payload)}


@pytest.mark.parametrize(("days", "works"), [(2.9, True), (3.1, False)])
def test_an_invitation_lives_three_days(
    days: float, works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = services.create_password_link(invited(), actor=SYSTEM)
    later = clock.now() + timedelta(days=days)
    monkeypatch.setattr(clock, "now", lambda: later)
    if works:
        assert services.live_password_link(token).kind == "invitation"
    else:
        with pytest.raises(Gone):
            services.live_password_link(token)


def test_a_newer_link_replaces_the_former() -> None:
    ivy = invited()
    former = services.create_password_link(ivy, actor=SYSTEM)
    services.create_password_link(ivy, actor=SYSTEM)
    with pytest.raises(Gone):
        services.live_password_link(former)


def test_one_address_opens_one_account() -> None:
    invited(email="ivy@example.com")
    with pytest.raises(Conflict):
        invited("ian", email="IVY@example.com")


def test_two_names_may_not_differ_by_capitals_alone() -> None:
    invited("ivy")
    with pytest.raises(Conflict):
        invited("Ivy")


# --- switching off ----------------------------------------------------------------------
def signed_in(person: Person) -> Client:
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_who_is_switched_off_is_out_at_once(
    socketless: list[int], django_capture_on_commit_callbacks
) -> None:
    ada, ivy = admin(), invited()
    client, token = signed_in(ivy), services.create_password_link(ivy, actor=SYSTEM)
    with django_capture_on_commit_callbacks(execute=True):
        services.deactivate(ivy, actor=actor_of(ada))
    assert client.get("/runs").status_code == 302
    assert not Session.objects.exists()
    assert ivy.pk in socketless
    with pytest.raises(Gone):
        services.live_password_link(token)
    with pytest.raises(Conflict):
        services.create_password_link(Person.objects.get(pk=ivy.pk), actor=SYSTEM)


def test_nobody_switches_themselves_off() -> None:
    ada, _ = admin(), admin("bea")
    with pytest.raises(Conflict):
        services.deactivate(ada, actor=actor_of(ada))


def test_the_last_admin_stays_one() -> None:
    ada = admin()
    with pytest.raises(Conflict):
        services.set_role(ada, "reviewer", actor=SYSTEM)
    with pytest.raises(Conflict):
        services.deactivate(ada, actor=SYSTEM)
    bea = admin("bea")
    assert services.set_role(ada, "reviewer", actor=actor_of(bea)).role == "reviewer"
    assert not Person.objects.get(pk=ada.pk).is_superuser


def test_one_session_ends_and_the_other_goes_on() -> None:
    ivy = invited()
    ended, kept = signed_in(ivy), signed_in(ivy)
    session = ivy.sessions.get(session_id=ended.session.session_key)
    services.end_session(session, actor=actor_of(ivy))
    assert ended.get("/runs").status_code == 302
    assert kept.get("/runs").status_code == 200
    assert ivy.sessions.count() == 1


def test_sessions_that_ran_out_are_forgotten() -> None:
    ivy = invited()
    over, live = signed_in(ivy), signed_in(ivy)
    Session.objects.filter(pk=over.session.session_key).update(
        expire_date=clock.now() - timedelta(seconds=1)
    )
    services.forget_ended()
    assert [one.session_id for one in ivy.sessions.all()] == [live.session.session_key]


# --- teams ------------------------------------------------------------------------------
def test_an_agent_never_loses_its_last_team() -> None:
    agent = services.create_agent("bot", tier="student")
    default = Team.objects.get(name="default")
    with pytest.raises(Invalid, match="bot"):
        services.set_members(default, people=[], agents=[], actor=SYSTEM)
    night = services.create_team("night", actor=SYSTEM)
    services.set_members(night, people=[], agents=[agent], actor=SYSTEM)
    services.set_members(default, people=[], agents=[], actor=SYSTEM)
    assert list(agent.teams.all()) == [night]


def test_who_joins_and_leaves_a_team_is_recorded_and_their_sockets_look_again(
    socketless: list[int], django_capture_on_commit_callbacks
) -> None:
    ivy, ian = invited("ivy"), invited("ian")
    night = services.create_team("night", actor=SYSTEM)
    night.people.add(ian)
    with django_capture_on_commit_callbacks(execute=True):
        services.set_members(night, people=[ivy], agents=[], actor=SYSTEM)
    said = BrowserAudit.objects.latest("id").payload
    assert (said["people_joined"], said["people_left"]) == (["ivy"], ["ian"])
    assert sorted(socketless) == sorted([ivy.pk, ian.pk])


def test_when_agents_join_a_team_everybody_in_it_looks_again(
    socketless: list[int], django_capture_on_commit_callbacks
) -> None:
    ivy = invited("ivy")
    night = services.create_team("night", actor=SYSTEM)
    night.people.add(ivy)
    bot = services.create_agent("bot", tier="student")
    with django_capture_on_commit_callbacks(execute=True):
        services.set_members(night, people=[ivy], agents=[bot], actor=SYSTEM)
    assert socketless == [ivy.pk]


@pytest.mark.parametrize("made_by", ["admin", "command"])
def test_an_auditors_socket_joins_a_new_team(
    socketless: list[int], django_capture_on_commit_callbacks, made_by: str
) -> None:
    olga = invited("olga", role="auditor")
    invited("ivy")
    with django_capture_on_commit_callbacks(execute=True):
        if made_by == "admin":
            services.create_team("night", actor=SYSTEM)
        else:
            services.create_agent("night-bot", tier="student", teams=["night"])
    assert socketless == [olga.pk]


def test_who_becomes_an_auditor_looks_again(
    socketless: list[int], django_capture_on_commit_callbacks
) -> None:
    ivy = invited("ivy")
    with django_capture_on_commit_callbacks(execute=True):
        services.set_role(ivy, "auditor", actor=SYSTEM)
    assert socketless == [ivy.pk]


def test_the_default_team_keeps_its_name() -> None:
    with pytest.raises(Invalid):
        services.rename_team(Team.objects.get(name="default"), "other", actor=SYSTEM)


def test_an_auditor_reads_every_team_and_changes_nothing() -> None:
    night = services.create_team("night", actor=SYSTEM)
    olga = invited("olga", role="auditor", teams=[night])
    services.create_agent("day-bot", tier="student")
    bot = services.create_agent("night-bot", tier="student", teams=["night"])
    page = signed_in(olga).get("/agents").content.decode()
    assert "night-bot" in page
    assert "day-bot" in page
    assert signed_in(olga).post(f"/agents/{bot.pk}/pause").status_code == 403
    assert not olga.may_decide


# --- keys -------------------------------------------------------------------------------
@pytest.fixture
def agent() -> AgentRegistry:
    return services.create_agent("bot", tier="student")


def is_let_in(key: str) -> bool:
    call = Request(APIRequestFactory().get("/", headers={"Authorization": f"Bearer {key}"}))
    try:
        return KeyAuthentication().authenticate(call) is not None
    except AuthenticationFailed:
        return False


def test_an_expired_key_is_refused(agent: AgentRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    key = services.create_key(agent, expires_at=clock.now() + timedelta(days=1))
    assert is_let_in(key)
    later = clock.now() + timedelta(days=1, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert not is_let_in(key)


def test_a_key_cannot_be_born_dead(agent: AgentRegistry) -> None:
    with pytest.raises(Invalid):
        services.create_key(agent, expires_at=clock.now())


def test_after_a_rotation_both_keys_work_until_the_overlap_is_over(
    agent: AgentRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = services.create_key(agent)
    row = ApiKey.objects.get()
    new = services.rotate_key(row, overlap=timedelta(hours=1), actor=SYSTEM)
    assert is_let_in(old)
    assert is_let_in(new)
    later = clock.now() + timedelta(hours=1, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert not is_let_in(old)
    assert is_let_in(new)
    with pytest.raises(Conflict):
        services.rotate_key(row, overlap=timedelta(), actor=SYSTEM)


def test_a_rotation_never_prolongs_the_old_key(agent: AgentRegistry) -> None:
    ends = timezone.now() + timedelta(minutes=5)
    services.create_key(agent, expires_at=ends)
    services.rotate_key(ApiKey.objects.get(), overlap=timedelta(days=7), actor=SYSTEM)
    assert ApiKey.objects.order_by("id").first().expires_at == ends


def test_the_record_names_both_keys_and_holds_neither(agent: AgentRegistry) -> None:
    old = services.create_key(agent)
    new = services.rotate_key(ApiKey.objects.get(), overlap=timedelta(), actor=SYSTEM)
    entry = BrowserAudit.objects.latest("id")
    assert entry.verb == "agent.key_rotate"
    assert (entry.payload["old"], entry.payload["prefix"]) == (old[:10], new[:10])
    assert new not in str(entry.payload)


def test_a_key_form_that_says_nonsense_is_refused_on_the_page(agent: AgentRegistry) -> None:
    client = signed_in(admin())
    answer = client.post(f"/agents/{agent.pk}/keys", {"expires_in_days": "7000"})
    assert (answer.status_code, ApiKey.objects.count()) == (422, 0)
    assert "Select a valid choice" in answer.content.decode()


def test_only_an_admin_rotates_a_key_and_only_this_agents(agent: AgentRegistry) -> None:
    services.create_key(agent)
    path = f"keys/{ApiKey.objects.get().pk}/rotate"
    said = {"overlap_hours": "24"}
    assert signed_in(invited()).post(f"/agents/{agent.pk}/{path}", said).status_code == 403
    other, ada = services.create_agent("other", tier="student"), signed_in(admin())
    assert ada.post(f"/agents/{other.pk}/{path}", said).status_code == 404
    assert ApiKey.objects.count() == 1
    assert ada.post(f"/agents/{agent.pk}/{path}", said).status_code == 200
    assert ApiKey.objects.count() == 2
