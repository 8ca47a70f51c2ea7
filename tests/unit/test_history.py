"""History: searching runs, files of what was found, wrong targets, and the record over REST."""

import csv
import io
import json
import re
import uuid
import warnings
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_key, create_person
from audit.models import BrowserAudit
from audit.services import record
from confidence import precedents
from confidence.models import Precedent
from core import clock
from core.actors import SYSTEM
from runs import queries
from runs import record as run_record
from runs.models import Action, Run, WrongTargetReport
from tests.support.clients import HOME, client_of
from tests.support.history import add_acts, run_of
from tests.support.proposals import PAGE, a_proposal, candidate

pytestmark = pytest.mark.django_db


@pytest.fixture
def rey() -> Person:
    return create_person("rey", teams=["north"])[0]


@pytest.fixture
def audrey() -> Person:
    return create_person("audrey", role="auditor", teams=["north"])[0]


@pytest.fixture
def cy() -> Person:
    return create_person("cy", teams=["south"])[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="supervised", teams=["north"])


def get(person: Person, path: str):
    return client_of(person).get(path)


def text_of(answer) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the test's client reads an async stream in one go
        return b"".join(answer).decode()


def lines_of(answer) -> list[dict]:
    return [json.loads(line) for line in text_of(answer).splitlines()]


def table_of(answer) -> list[dict]:
    return list(csv.DictReader(io.StringIO(text_of(answer))))


def a_run(bot: AgentRegistry, label: str, **changes) -> Run:
    run = run_of(bot)
    Run.objects.filter(pk=run.pk).update(label=label, **changes)
    run.refresh_from_db()
    return run


def acted(bot: AgentRegistry, **fields) -> Action:
    """One step that touched its target."""
    judged = {"level": "partial", "score": 0.7, "candidates": [candidate(0).as_dict()]}
    fields = {"match_confidence": judged, "acted_index": 0, **fields}
    params = {"target": "text=Save"}
    return add_acts(bot, partial=1, acting_at=clock.now(), params=params, **fields)[0]


# --- search -----------------------------------------------------------------------------
@pytest.fixture
def found(rey, bot):
    """The labels that a search shows, in order."""
    other = create_agent("other", tier="student", teams=["north"])
    now = clock.now()
    a_run(bot, "Old order", created_at=now - timedelta(days=40), status="failed")
    a_run(other, "Sale", current_url="https://sale.example:8080/x?u=https://shop.example/")
    unsure = a_run(bot, "Order 1042 100%", start_url="https://shop.example/cart")
    Action.objects.create(
        run=unsure,
        step_id=1,
        tool="browser_click",
        fingerprint="f",
        created_at=now,
        match_confidence={"level": "ambiguous"},
    )

    def labels(query: str) -> list[str]:
        rows = get(rey, f"/runs?{query}").context["rows"]
        return [run.label for run, _ in rows]

    return labels


def test_every_filter_narrows(found) -> None:
    everything = ["Order 1042 100%", "Sale", "Old order"]
    assert found("") == everything
    assert found("label=order") == ["Order 1042 100%", "Old order"]
    assert found("label=100%25") == ["Order 1042 100%"]
    assert found("agent=other") == ["Sale"]
    assert found("status=failed") == ["Old order"]
    assert found("host=shop.example") == ["Order 1042 100%"]  # not where a query names it
    assert found("host=sale.example:8080") == ["Sale"]
    assert found("level=ambiguous") == ["Order 1042 100%"]
    today = f"{clock.now():%Y-%m-%d}"
    assert found(f"since={today}") == everything[:2]
    assert found(f"until={clock.now() - timedelta(days=40):%Y-%m-%d}") == ["Old order"]
    assert found("label=order&status=failed") == ["Old order"]


@pytest.mark.parametrize(
    "query",
    ["status=x", "level=x", "since=2026-02-31", "until=9999-12-31", "label=%00", "since=soon"],
)
def test_nonsense_is_left_out(query, found) -> None:
    assert len(found(query)) == 3


def test_a_search_without_a_find_says_so(rey, bot) -> None:
    a_run(bot, "x")
    assert "Nothing fits this search" in get(rey, "/runs?label=nowhere").content.decode()


def test_other_teams_runs_and_agents_are_not_found(cy, found) -> None:
    answer = get(cy, "/runs?label=order")
    assert answer.context["rows"] == []
    assert answer.context["agents"] == []
    assert lines_of(get(cy, "/runs/export?format=jsonl")) == []


# --- files ------------------------------------------------------------------------------
def test_what_was_found_is_exported(rey, found) -> None:
    rows = lines_of(get(rey, "/runs/export?format=jsonl&agent=bot"))
    assert [row["label"] for row in rows] == ["Order 1042 100%", "Old order"]
    answer = get(rey, "/runs/export?format=csv&status=failed")
    assert answer["Content-Disposition"] == 'attachment; filename="runs.csv"'
    (row,) = table_of(answer)
    assert (row["label"], row["agent"], row["steps"]) == ("Old order", "bot", "0")


def test_a_long_export_leaves_nothing_out(rey, bot, monkeypatch) -> None:
    monkeypatch.setattr(queries, "EXPORT_PAGE", 3)
    at = clock.now()
    for number in range(7):
        a_run(bot, f"r{number}", created_at=at)  # all at once: time alone does not order them
    rows = lines_of(get(rey, "/runs/export"))
    assert sorted(row["label"] for row in rows) == [f"r{number}" for number in range(7)]


def test_no_cell_of_a_csv_begins_a_formula(rey, bot) -> None:
    a_run(bot, '=HYPERLINK("http://x")')
    (row,) = table_of(get(rey, "/runs/export?format=csv"))
    assert row["label"] == '\'=HYPERLINK("http://x")'


@pytest.mark.parametrize("between", [";", "\t", "\n", "\r"])
def test_no_cell_begins_a_formula_where_something_else_parts_cells(rey, bot, between: str) -> None:
    a_run(bot, f"x{between}=HYPERLINK(1)")
    text = text_of(get(rey, "/runs/export?format=csv"))
    cells = re.split(f"[{between}\n]", text.replace("\r\n", "\n"))
    assert not [cell for cell in cells if cell.startswith("=")]


@pytest.mark.parametrize("digest", ["%00", "a" * 3000, "A" * 64])
def test_a_picture_has_a_digest_for_its_name(rey, digest: str) -> None:
    assert get(rey, f"/pictures/{digest}").status_code == 404


def test_another_format_is_not_there(rey) -> None:
    assert get(rey, "/runs/export?format=xml").status_code == 404


def test_a_timeline_is_exported_with_its_decisions_and_reports(rey, cy, bot) -> None:
    action = acted(bot)
    client_of(rey).post(f"/runs/{action.run_id}/actions/{action.pk}/wrong-target", {"note": "no"})
    path = f"/runs/{action.run_id}/export"
    (row,) = lines_of(get(rey, path))
    assert (row["level"], row["score"], row["acted_on"]) == ("partial", 0.7, "Save")
    assert (row["wrong_target_by"], row["wrong_target_note"]) == ("rey", "no")
    assert row["params"] == {"target": "text=Save"}
    (cells,) = table_of(get(rey, f"{path}?format=csv"))
    assert json.loads(cells["params"]) == {"target": "text=Save"}
    assert get(cy, path).status_code == 404


# --- one run ----------------------------------------------------------------------------
def test_a_timeline_shows_one_level_alone(rey, bot) -> None:
    run_id = add_acts(bot, high=2, partial=1)[0].run_id
    assert get(rey, f"/runs/{run_id}?level=partial").content.decode().count("step-sheet") == 1
    assert get(rey, f"/runs/{run_id}?level=x").content.decode().count("step-sheet") == 3


def test_reports_cost_a_timeline_no_query_each(rey, bot) -> None:
    run = add_acts(bot, high=3, acting_at=clock.now())[0].run

    def count() -> int:
        with CaptureQueriesContext(connection) as seen:
            get(rey, f"/runs/{run.pk}")
        return sum("runs_" in query["sql"] for query in seen)

    before = count()
    for action in run.actions.all():
        WrongTargetReport.objects.create(action=action, person=rey, created_at=clock.now())
    assert count() == before


# --- wrong targets ----------------------------------------------------------------------
def report(person: Person, action: Action, note: str = "I meant the other one"):
    path = f"/runs/{action.run_id}/actions/{action.pk}/wrong-target"
    return client_of(person).post(path, {"note": note})


def used_precedent(bot: AgentRegistry, action: Action) -> Precedent:
    precedent = precedents.remember(
        actor=SYSTEM,
        agent_id=bot.pk,
        target="text=Save",
        page_url=PAGE,
        candidate=candidate(0).as_dict(),
        proposal_id=a_proposal(bot).id,
    )
    precedents.note_use(precedent, action_id=action.pk)
    return precedent


def test_a_wrong_target_is_shown_from_then_on_and_suspends_its_precedent(rey, bot) -> None:
    action = acted(bot)
    precedent = used_precedent(bot, action)
    assert "Wrong target?" in get(rey, f"/runs/{action.run_id}").content.decode()
    assert report(rey, action).status_code == 302
    said = get(rey, f"/runs/{action.run_id}").content.decode()
    assert "Wrong target?" not in said
    assert "I meant the other one" in said
    assert f"/precedents#precedent-{precedent.pk}" in said
    precedent.refresh_from_db()
    assert precedent.suspended_at
    assert BrowserAudit.objects.filter(verb="action.wrong_target", action_id=action.pk).exists()


def test_a_report_counts_against_the_site_where_the_action_was_judged(rey, bot) -> None:
    action = acted(bot)
    Action.objects.filter(pk=action.pk).update(page_host="shop.example")
    Run.objects.filter(pk=action.run_id).update(current_url="https://bank.example/")  # it went on
    report(rey, action)
    assert WrongTargetReport.objects.get().host == "shop.example"


def test_a_second_report_and_one_of_nothing_are_refused(rey, bot) -> None:
    action = acted(bot)
    report(rey, action)
    again = report(rey, action)
    assert again.status_code == 409
    untouched = add_acts(bot, high=1)[0]
    answer = report(rey, untouched)
    assert answer.status_code == 409
    assert "hit nothing" in answer.content.decode()
    assert WrongTargetReport.objects.count() == 1


def test_who_may_not_report(cy, audrey, bot) -> None:
    action = acted(bot)
    assert report(cy, action).status_code == 404
    assert report(audrey, action).status_code == 403
    assert "Wrong target?" not in get(audrey, f"/runs/{action.run_id}").content.decode()
    assert not WrongTargetReport.objects.exists()


def test_an_action_of_another_run_is_not_there(rey, bot) -> None:
    path = f"/runs/{run_of(bot).pk}/actions/{acted(bot).pk}/wrong-target"
    assert client_of(rey).post(path).status_code == 404


def test_a_wrong_target_is_reported_over_rest_by_people_alone(rey, cy, bot) -> None:
    action = acted(bot)
    precedent = used_precedent(bot, action)
    path = f"/api/v1/actions/{action.pk}/wrong-target"

    def post(client: Client, body: object, **headers: str):
        return client.post(path, body, content_type="application/json", headers=headers)

    key = create_key(bot)
    words = getattr(key, "key", key)
    assert post(Client(**HOME), {}, Authorization=f"Bearer {words}").status_code == 403
    assert post(client_of(cy), {}).status_code == 404
    assert post(client_of(rey), {"why": "x"}).status_code == 422
    answer = post(client_of(rey), {"note": "the other one"})
    assert answer.status_code == 201
    assert answer.json() == {
        "action_id": str(action.pk),
        "level": "partial",
        "note": "the other one",
        "reported_by": "rey",
        "suspended_precedent_id": precedent.pk,
    }
    assert post(client_of(rey), {}).status_code == 409


# --- the record -------------------------------------------------------------------------
@pytest.fixture
def run(bot) -> Run:
    """A run with three entries; making its agent left some in the system's chain."""
    run = run_of(bot)
    record("run.open", actor=SYSTEM, run_id=run.pk, agent_id=bot.pk)
    action_id = uuid.uuid4()
    for verb in ("action.receive", "action.act"):
        record(verb, actor=SYSTEM, run_id=run.pk, action_id=action_id, payload={"x": "=1"})
    record("agent.pause", actor=SYSTEM, agent_id=bot.pk)
    return run


def verbs(person: Person, query: str = "") -> list[str]:
    return [row["verb"] for row in get(person, f"/api/v1/audit?{query}").json()["results"]]


def test_each_role_reads_its_part_of_the_record(rey, audrey, cy, bot, run) -> None:
    mine = ["run.open", "action.receive", "action.act"]
    assert verbs(rey) == mine
    assert verbs(cy) == []
    assert verbs(cy, f"run={run.pk}") == []
    assert [verb for verb in verbs(audrey) if verb in mine] == mine
    assert "agent.pause" in verbs(audrey)
    agent_words = create_key(bot)
    headers = {"Authorization": f"Bearer {getattr(agent_words, 'key', agent_words)}"}
    for path in ("audit", "audit/export", "audit/verify"):
        assert Client(**HOME).get(f"/api/v1/{path}", headers=headers).status_code == 403
        assert Client(**HOME).get(f"/api/v1/{path}").status_code in {401, 403}


def test_the_record_is_searched(rey, audrey, bot, run) -> None:
    action_id = BrowserAudit.objects.get(verb="action.act").action_id
    assert verbs(rey, f"action={action_id}") == ["action.receive", "action.act"]
    assert verbs(rey, "action=action.act") == ["action.act"]
    assert verbs(rey, f"run={uuid.uuid4()}") == []
    assert verbs(rey, f"agent={bot.pk}") == ["run.open", "action.receive", "action.act"]
    assert "agent.pause" in verbs(audrey, f"agent={bot.pk}")
    later = (clock.now() + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert verbs(audrey, f"since={later}") == []
    assert get(rey, "/api/v1/audit?run=x").status_code == 422
    assert get(rey, "/api/v1/audit?cursor=99999999999999999999").status_code == 422


def test_the_record_comes_in_pages(rey, run, monkeypatch) -> None:
    monkeypatch.setattr(run_record, "PAGE_SIZE", 2)
    first = get(rey, "/api/v1/audit").json()
    assert len(first["results"]) == 2
    second = get(rey, f"/api/v1/audit?cursor={first['next_cursor']}").json()
    assert [row["verb"] for row in second["results"]] == ["action.act"]
    assert second["next_cursor"] is None


@pytest.mark.parametrize("page", [1, 2, 3, 500])
def test_the_whole_record_is_exported(page, rey, run, monkeypatch) -> None:
    monkeypatch.setattr(run_record, "EXPORT_PAGE", page)
    rows = lines_of(get(rey, f"/api/v1/audit/export?format=jsonl&run={run.pk}"))
    assert [row["sequence"] for row in rows] == [1, 2, 3]
    assert rows[0]["hash"] == rows[1]["previous_hash"]
    table = table_of(get(rey, "/api/v1/audit/export?format=csv"))
    assert [row["verb"] for row in table] == ["run.open", "action.receive", "action.act"]
    assert json.loads(table[1]["payload"]) == {"x": "=1"}


def test_an_export_in_another_format_is_refused(rey, run) -> None:
    answer = get(rey, "/api/v1/audit/export?format=xml")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


def test_verification_finds_a_forged_entry(rey, cy, audrey, run) -> None:
    path = f"/api/v1/audit/verify?run={run.pk}"
    assert get(rey, path).json() == {"ok": True, "chains": 1, "broken": []}
    assert get(cy, path).status_code == 404
    assert get(rey, "/api/v1/audit/verify").status_code == 403
    assert get(audrey, "/api/v1/audit/verify").json()["ok"] is True
    last = BrowserAudit.objects.filter(chain=str(run.pk)).latest("sequence")
    last.pk, last.sequence, last.verb = None, last.sequence + 1, "run.forged"
    last.save(force_insert=True)
    said = get(rey, path).json()
    assert said["ok"] is False
    assert said["broken"][0]["sequence"] == 4
    assert get(audrey, "/api/v1/audit/verify").json()["broken"] == said["broken"]
