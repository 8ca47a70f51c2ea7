"""Agents as admins change them, by service and over REST: audited, and never by the agent."""

import uuid
from typing import Any

import pytest
from django.test import Client

from agents import services
from agents.models import AgentRegistry, ApiKey, Person
from agents.services import actor_of, create_agent, create_person
from audit.models import BrowserAudit
from core import clock
from core.errors import Forbidden, Invalid, NotFound
from oversight import access, queries
from runs.models import WrongTargetReport
from runs.services.runs import refuse_unless_active
from tests.support.clients import HOME, client_of
from tests.support.history import add_acts

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Person:
    return create_person("ada", role="admin", teams=["elsewhere"])[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="student", allowed_hosts=["a.example"])


def entries(verb: str) -> list[tuple[str, dict[str, Any]]]:
    found = BrowserAudit.objects.filter(verb=verb).order_by("id")
    return [(entry.actor_name, entry.payload) for entry in found]


# --- services ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "field", "before", "after", "verb"),
    [
        (services.set_tier, "tier", "student", "autonomous", "agent.set_tier"),
        (services.set_gating, "match_confidence_gating_enabled", None, True, "agent.set_gating"),
        (services.set_gating, "match_confidence_gating_enabled", None, False, "agent.set_gating"),
        (services.set_hosts, "allowed_hosts", ["a.example"], ["b.example"], "agent.set_hosts"),
    ],
)
def test_a_change_is_written_and_audited_with_who_made_it(
    change, field, before, after, verb, admin, bot
) -> None:
    change(bot, after, actor=actor_of(admin))
    bot.refresh_from_db()
    assert getattr(bot, field) == after
    assert entries(verb) == [("ada", {"from": before, "to": after})]


def test_what_is_so_already_is_not_recorded(admin, bot) -> None:
    services.set_tier(bot, "student", actor=actor_of(admin))
    services.set_gating(bot, None, actor=actor_of(admin))
    services.resume(bot, actor=actor_of(admin))
    assert not BrowserAudit.objects.filter(verb__startswith="agent.set").exists()
    assert not entries("agent.resume")


def test_a_change_leaves_alone_what_somebody_else_changed_meanwhile(admin, bot) -> None:
    stale = AgentRegistry.objects.get(pk=bot.pk)
    services.set_tier(bot, "intern", actor=actor_of(admin))
    services.set_gating(stale, True, actor=actor_of(admin))
    bot.refresh_from_db()
    assert (bot.tier, bot.match_confidence_gating_enabled) == ("intern", True)


def test_bad_values_are_refused_and_nothing_changes(admin, bot) -> None:
    with pytest.raises(Invalid, match="boss"):
        services.set_tier(bot, "boss", actor=actor_of(admin))
    with pytest.raises(Invalid, match="not a host"):
        services.set_hosts(bot, ["fine.example", "no host"], actor=actor_of(admin))
    bot.refresh_from_db()
    assert (bot.tier, bot.allowed_hosts) == ("student", ["a.example"])


def test_a_paused_agent_is_refused_until_it_is_resumed(admin, bot) -> None:
    paused = services.pause(bot, actor=actor_of(admin))
    with pytest.raises(Forbidden, match="paused"):
        refuse_unless_active(paused)
    refuse_unless_active(services.resume(bot, actor=actor_of(admin)))
    assert [name for name, _ in entries("agent.pause") + entries("agent.resume")] == ["ada", "ada"]


def test_one_key_is_revoked_and_the_others_live_on(admin, bot) -> None:
    lost, kept = services.create_key(bot), services.create_key(bot)
    key = ApiKey.objects.get(key_hash=services.hash_of(lost))
    services.revoke_key(key, actor=actor_of(admin))
    services.revoke_key(key, actor=actor_of(admin))

    def status_with(secret: str) -> int:
        client = Client(headers={"Authorization": f"Bearer {secret}"}, **HOME)
        return client.get("/api/v1/whoami").status_code

    assert (status_with(lost), status_with(kept)) == (401, 200)
    assert entries("agent.key_revoke") == [("ada", {"prefix": lost[:10], "count": 1})]


def test_admins_oversee_every_agent_and_reviewers_their_teams(admin, bot) -> None:
    stranger = create_person("cy", teams=["south"])[0]
    assert access.changeable_by(admin, bot.pk) == bot
    with pytest.raises(NotFound):
        access.changeable_by(stranger, bot.pk)


# --- what the list says -----------------------------------------------------------------
def test_the_list_says_what_an_agent_did_and_when_it_was_last_used(admin, bot) -> None:
    key = services.create_key(bot)
    Client(headers={"Authorization": f"Bearer {key}"}, **HOME).get("/api/v1/whoami")
    add_acts(bot, high=3, partial=1)
    row = queries.page_of_agents(admin, days=30)[0]
    assert (row.tally.acts, row.tally.would_gate_share) == (4, 0.25)
    assert row.last_used_at == ApiKey.objects.get().last_used_at is not None
    assert row.approve_share is None


def test_the_list_and_the_page_say_how_often_it_hit_the_wrong_element(admin, bot) -> None:
    acts = add_acts(bot, high=3)
    for action in acts[:2]:
        WrongTargetReport.objects.create(action=action, person=admin, created_at=clock.now())
    assert queries.rows_of([bot], days=7)[0].wrong == 2
    client = Client(**HOME)
    client.force_login(admin)
    for path in ("/agents", f"/agents/{bot.pk}"):
        assert '<b class="failed">2</b>' in client.get(path).content.decode()


def test_the_list_comes_in_pages(admin) -> None:
    for number in range(queries.PAGE_SIZE + 3):
        create_agent(f"agent-{number:03}", tier="intern")
    first = queries.page_of_agents(admin, days=30)
    assert len(first) == queries.PAGE_SIZE + 1
    rest = queries.page_of_agents(admin, days=30, after=first[-2].agent.name)
    assert [row.agent.name for row in rest] == [f"agent-{n:03}" for n in (50, 51, 52)]


# --- REST -------------------------------------------------------------------------------
def patch(client: Client, agent_id: object, body: object) -> Any:
    return client.patch(f"/api/v1/agents/{agent_id}", body, content_type="application/json")


def test_an_admin_lists_and_reads_agents(admin, bot) -> None:
    create_agent("ant", tier="autonomous", gating=False, teams=["north"])
    listed = client_of(admin).get("/api/v1/agents").json()
    assert [one["name"] for one in listed["results"]] == ["ant", "bot"]
    assert listed["next_cursor"] is None
    assert client_of(admin).get("/api/v1/agents?cursor=ant").json()["results"] == [
        listed["results"][1]
    ]
    read = client_of(admin).get(f"/api/v1/agents/{bot.pk}").json()
    assert read == listed["results"][1]
    assert read["tier"] == "student"
    assert read["match_confidence_gating_enabled"] is None
    assert "key" not in str(read)


@pytest.mark.parametrize("gating", [True, False, None])
def test_an_admin_changes_tier_and_gating(gating, admin, bot) -> None:
    said = {"tier": "supervised", "match_confidence_gating_enabled": gating}
    answer = patch(client_of(admin), bot.pk, said)
    assert answer.status_code == 200
    assert {name: answer.json()[name] for name in said} == said
    bot.refresh_from_db()
    assert (bot.tier, bot.match_confidence_gating_enabled) == ("supervised", gating)
    assert entries("agent.set_tier")[0][0] == "ada"


def test_one_change_leaves_the_other_setting_as_it_was(admin, bot) -> None:
    patch(client_of(admin), bot.pk, {"match_confidence_gating_enabled": True})
    answer = patch(client_of(admin), bot.pk, {"tier": "intern"})
    assert answer.json()["match_confidence_gating_enabled"] is True


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"tier": "boss"}, "tier"),
        ({"match_confidence_gating_enabled": "perhaps"}, "match_confidence_gating_enabled"),
        ({"tier": "intern", "status": "active"}, "status"),
        ({"match_confidence_override": True}, "match_confidence_override"),
        ([], ""),
    ],
)
def test_a_bad_change_is_a_problem_by_name_and_changes_nothing(body, field, admin, bot) -> None:
    answer = patch(client_of(admin), bot.pk, body)
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["errors"][0]["field"].startswith(field)
    bot.refresh_from_db()
    assert (bot.tier, bot.match_confidence_gating_enabled) == ("student", None)


def test_an_agent_cannot_see_or_change_agents_itself_least_of_all(bot) -> None:
    key = services.create_key(bot)
    client = Client(headers={"Authorization": f"Bearer {key}"}, **HOME)
    for answer in (
        client.get("/api/v1/agents"),
        client.get(f"/api/v1/agents/{bot.pk}"),
        patch(client, bot.pk, {"match_confidence_gating_enabled": False}),
        patch(client, bot.pk, {"tier": "autonomous"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    bot.refresh_from_db()
    assert (bot.tier, bot.match_confidence_gating_enabled) == ("student", None)


@pytest.mark.parametrize("role", ["reviewer", "auditor"])
def test_other_people_are_refused(role, bot) -> None:
    person = create_person("rey", role=role)[0]
    assert client_of(person).get("/api/v1/agents").status_code == 403
    assert patch(client_of(person), bot.pk, {"tier": "intern"}).status_code == 403
    assert Client(**HOME).get("/api/v1/agents").status_code == 401


def test_an_unknown_agent_is_not_found(admin) -> None:
    answer = patch(client_of(admin), uuid.uuid4(), {"tier": "intern"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert client_of(admin).get("/api/v1/agents/nobody").status_code == 404


def test_a_patch_from_another_site_is_refused(admin, bot) -> None:
    client = Client(enforce_csrf_checks=True, **HOME)
    client.force_login(admin)
    assert patch(client, bot.pk, {"tier": "autonomous"}).status_code == 403
    bot.refresh_from_db()
    assert bot.tier == "student"
