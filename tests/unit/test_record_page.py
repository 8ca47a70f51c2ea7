"""The record on its page: who sees what of it, its search, its pages and its check."""

import uuid

import pytest
from django.test import Client

from agents.services import create_agent, create_person
from audit.models import BrowserAudit, Chain
from audit.services import record
from core.actors import SYSTEM, Actor
from tests.support.history import run_of
from tests.unit.test_history import text_of

pytestmark = pytest.mark.django_db
MINE = Actor(kind="person", id="7", name="<b>rey</b>")


def client_of(name: str, *, role: str = "reviewer", team: str = "north") -> Client:
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(create_person(name, role=role, teams=[team])[0])
    return client


@pytest.fixture
def rey() -> Client:
    return client_of("rey")


@pytest.fixture
def audrey() -> Client:
    return client_of("audrey", role="auditor")


@pytest.fixture
def bot():
    return create_agent("bot", tier="supervised", teams=["north"])


@pytest.fixture
def run(bot):
    """A run with three entries."""
    run = run_of(bot)
    for verb in ("run.create", "proposal.create", "proposal.approve"):
        payload = {"reason": "the order form", "empty": ""}
        record(verb, actor=MINE, run_id=run.pk, agent_id=bot.pk, payload=payload)
    return run


def verbs(client: Client, query: str = "") -> list[str]:
    return [entry.row.verb for entry in client.get(f"/audit{query}").context["entries"]]


def forge(run, **changes) -> BrowserAudit:
    """What somebody with the database's password might add."""
    last = BrowserAudit.objects.filter(chain=str(run.pk)).latest("sequence")
    last.pk, last.sequence = None, last.sequence + 1
    last.verb = "run.forged"
    last.save(force_insert=True)
    return last


# --- who sees what ----------------------------------------------------------------------
def test_a_reviewer_reads_the_entries_of_their_teams_newest_first(rey, run):
    assert verbs(rey) == ["proposal.approve", "proposal.create", "run.create"]


def test_another_team_sees_none_of_it_and_no_entry_by_its_address(run):
    cy = client_of("cy", team="south")
    assert verbs(cy) == []
    entry = BrowserAudit.objects.filter(run_id=run.pk).first()
    assert cy.get(f"/audit/{entry.pk}").status_code == 404
    assert cy.get(f"/audit/check?run={run.pk}").status_code == 404


@pytest.mark.parametrize("role", ["auditor", "admin"])
def test_those_who_read_the_system_see_what_was_changed_of_it(run, role):
    assert "person.create" in verbs(client_of("ada", role=role), "?action=person.")


def test_a_reviewer_sees_nothing_of_the_system_and_checks_no_chain_but_a_runs(rey, run):
    assert verbs(rey, "?action=person.") == []
    system = BrowserAudit.objects.filter(chain="system").first()
    assert rey.get(f"/audit/{system.pk}").status_code == 404
    assert rey.get("/audit/check").status_code == 403
    assert "Check every chain" not in rey.get("/audit").content.decode()


def test_strangers_are_sent_to_sign_in(run):
    for path in ("/audit", "/audit/check", "/audit/1"):
        answer = Client(HTTP_HOST="127.0.0.1").get(path)
        assert answer["Location"].startswith("/sign-in?next=/audit")


# --- search -----------------------------------------------------------------------------
def test_the_record_is_searched_by_run_agent_verb_kind_and_day(rey, run, bot):
    other = run_of(bot)
    record("run.create", actor=SYSTEM, run_id=other.pk, agent_id=bot.pk)
    day = BrowserAudit.objects.latest("id").at.date()
    assert len(verbs(rey, f"?run={run.pk}")) == 3
    assert len(verbs(rey, f"?agent={bot.pk}")) == 4
    assert verbs(rey, "?action=proposal.approve") == ["proposal.approve"]
    assert verbs(rey, "?action=proposal.") == ["proposal.approve", "proposal.create"]
    assert len(verbs(rey, f"?since={day}&until={day}")) == 4
    assert verbs(rey, "?until=2001-01-01") == []


def test_an_action_is_found_by_its_id(rey, run):
    action_id = uuid.uuid4()
    record("action.act", actor=SYSTEM, run_id=run.pk, action_id=action_id)
    assert verbs(rey, f"?action={action_id}") == ["action.act"]


@pytest.mark.parametrize(
    "query",
    ["?run=x", "?agent=x", "?since=soon", "?until=%00", "?agent=%00", "?action=%00"],
)
def test_what_cannot_be_searched_is_said_and_finds_nothing(rey, run, query):
    answer = rey.get(f"/audit{query}")
    assert answer.status_code == 422
    assert answer.context["entries"] == []


@pytest.mark.parametrize(
    "query", ["?before=99999999999999999999", "?before=-1", "?before=%C2%B2", "?until=9999-12-31"]
)
def test_a_made_up_place_is_no_failure(rey, run, query):
    assert rey.get(f"/audit{query}").status_code == 200


def test_pages_hold_every_entry_once(rey, run, monkeypatch):
    monkeypatch.setattr("runs.record.SCREEN_PAGE", 2)
    first = rey.get("/audit?action=").context
    second = rey.get(f"/audit?before={first['next_before']}").context
    seen = [entry.row.verb for page in (first, second) for entry in page["entries"]]
    assert seen == ["proposal.approve", "proposal.create", "run.create"]
    assert second["next_before"] is None


def test_what_was_found_is_exported(rey, run):
    page = rey.get(f"/audit?action=proposal.&run={run.pk}&until=2099-01-01").content.decode()
    path = page.split('href="/api/v1/audit/export?')[1].split('"')[0].replace("&amp;", "&")
    lines = text_of(rey.get(f"/api/v1/audit/export?{path}")).splitlines()
    assert "until=2099-01-02" in path
    verbs_column = [line.split(",")[4] for line in lines[1:]]
    assert verbs_column == ["proposal.create", "proposal.approve"]


# --- one entry --------------------------------------------------------------------------
def test_an_entry_says_who_what_and_how_it_is_sealed_and_leads_to_its_neighbours(rey, run):
    before, entry, after = BrowserAudit.objects.filter(run_id=run.pk).order_by("id")
    page = rey.get(f"/audit/{entry.pk}").content.decode()
    assert "&lt;b&gt;rey&lt;/b&gt;" in page
    assert entry.hash in page
    assert entry.previous_hash in page
    assert "the order form" in page
    assert f"/audit/{before.pk}" in page
    assert f"/audit/{after.pk}" in page


# --- the check --------------------------------------------------------------------------
def fragment(client: Client, path: str) -> str:
    return client.get(path, headers={"X-Fragment": "1"}).content.decode()


def test_a_whole_chain_verifies(rey, run):
    assert "The chain verifies" in fragment(rey, f"/audit/check?run={run.pk}")


def test_a_forged_entry_is_named_and_led_to(rey, audrey, run):
    forged = forge(run)
    said = fragment(rey, f"/audit/check?run={run.pk}")
    assert "chain is broken:" in said
    assert f"/audit/{forged.pk}" in said
    assert f"/audit/{forged.pk}" in fragment(audrey, "/audit/check")


def test_an_entry_whose_chain_lost_its_head_is_found_too(audrey, run):
    Chain.objects.filter(name=str(run.pk)).delete()
    assert "its head is missing" in fragment(audrey, "/audit/check")


def test_every_chain_is_checked_a_moment_at_a_time(audrey, bot, monkeypatch):
    monkeypatch.setattr("runs.record_views.CHECK_S", 0)
    for _ in range(3):
        record("run.create", actor=SYSTEM, run_id=run_of(bot).pk)
    path, rounds = "/audit/check", 0
    while path:
        said = fragment(audrey, path)
        rounds += 1
        go_on = said.split('data-go-on="')
        path = go_on[1].split('"')[0].replace("&amp;", "&") if len(go_on) > 1 else ""
    assert rounds == Chain.objects.count() == 4
    assert "The last of 4 chains verify" in said


def test_without_scripts_the_check_is_said_on_the_page(audrey, rey, run):
    assert "chains verify" in audrey.get("/audit/check").content.decode()
    assert "The chain verifies" in rey.get(f"/audit/check?run={run.pk}").content.decode()
