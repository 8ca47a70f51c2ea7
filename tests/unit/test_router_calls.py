"""The router's doors: POST /route and `manage.py route`."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from agents import services
from agents.services import create_agent, create_person
from tests.support.clients import HOME, client_of

pytestmark = pytest.mark.django_db
HARD = {"role": "user", "content": "refactor the whole dispatch layer"}
LONG = "the export from last week has a blank column in the second sheet and " * 3


@pytest.fixture
def agent() -> Client:
    bot = create_agent("bot", tier="student")
    return Client(headers={"Authorization": f"Bearer {services.create_key(bot)}"}, **HOME)


def route(client: Client, **body: Any) -> Any:
    return client.post("/api/v1/route", body, content_type="application/json")


def scraped(name: str, **labels: str) -> float:
    text = Client().get("/metrics").content.decode()
    samples = [s for family in text_string_to_metric_families(text) for s in family.samples]
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


def test_an_agent_learns_where_its_prompt_goes_and_why(agent):
    answer = route(agent, prompt="yes, go ahead", history=[HARD])
    assert answer.status_code == 200
    told = answer.json()
    assert told.pop("reasons")[-1] == {
        "step": "hard_threshold",
        "text": "What is confirmed says “refactor” in the user's own words.",
    }
    assert told == {
        "target": "escalate",
        "rule": "confirmation",
        "inner_rule": "hard_threshold",
        "score": None,
        "confirmation": {
            "is_confirmation": True,
            "phrases": ["yes", "go ahead"],
            "scope": "",
            "retracted": False,
        },
        "resolved": {"text": HARD["content"], "source": "pending_task", "author": "user"},
    }


def test_a_person_may_ask_whatever_their_role():
    for role in ("reviewer", "auditor", "admin"):
        person = create_person(f"a {role}", role=role)[0]
        assert route(client_of(person), prompt="hello").json()["rule"] == "hard_threshold"


def test_nobody_else_may():
    assert route(Client(**HOME), prompt="hello").status_code == 401
    stranger = Client(headers={"Authorization": "Bearer pm_nobody"}, **HOME)
    assert route(stranger, prompt="hello").status_code == 401


def test_a_conversation_s_state_comes_with_the_call(agent):
    nothing = {"state": None, "pin": None, "override": None, "rules": None}
    assert route(agent, prompt="hi", **nothing).json()["target"] == "local"
    for around, rule in (
        ({"state": "ESCALATION_WAITING"}, "state"),
        ({"pin": "escalate"}, "explicit"),
        ({"override": "escalate"}, "explicit"),
        ({"sticky": True}, "sticky"),
    ):
        told = route(agent, prompt="hi", **around).json()
        assert (told["target"], told["rule"], told["resolved"]) == ("escalate", rule, None)


def test_rules_of_the_call_replace_those_in_force_for_this_call_only(agent):
    rules = {"confirmation_phrases": ["oui"], "local_below_tokens": 0}
    assert route(agent, prompt="oui", history=[HARD], rules=rules).json()["target"] == "escalate"
    assert route(agent, prompt="yes", rules=rules).json()["rule"] == "default"
    assert route(agent, prompt="oui", history=[HARD]).json()["target"] == "local"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "prompt"),
        ({"prompt": 5.5j}, "prompt"),
        ({"prompt": "hi", "speaker": "user"}, "speaker"),
        ({"prompt": "hi", "history": [{"role": "system", "content": "x"}]}, "history.0.role"),
        ({"prompt": "hi", "history": [{**HARD, "name": "x"}]}, "history.0.name"),
        ({"prompt": "hi", "history": "yes"}, "history"),
        ({"prompt": "hi", "state": "ASLEEP"}, "state"),
        ({"prompt": "hi", "pin": "primary"}, "pin"),
        ({"prompt": "hi", "sticky": "perhaps"}, "sticky"),
        ({"prompt": "hi", "rules": {"local_verbs": ["grep", 5]}}, "rules"),
        ({"prompt": "hi", "rules": {"poetry": 5}}, "rules"),
    ],
)
def test_what_does_not_fit_is_a_problem_by_name(body, field, agent):
    answer = agent.post(
        "/api/v1/route", json.dumps(body, default=lambda _: {}), content_type="application/json"
    )
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_every_decision_is_counted_by_target_and_rule(agent):
    decisions = {"target": "local", "rule": "default"}
    before = scraped("pointsman_router_decisions_total", **decisions)
    scores_before = scraped("pointsman_router_score_count")
    route(agent, prompt=LONG)
    route(agent, prompt="short")
    assert scraped("pointsman_router_decisions_total", **decisions) == before + 1
    assert scraped("pointsman_router_score_count") == scores_before + 1


# --- the command ------------------------------------------------------------------------
def told_by_command(*args: str) -> str:
    out = io.StringIO()
    call_command("route", *args, stdout=out)
    return out.getvalue()


def test_the_command_answers_as_the_call_does(agent, tmp_path):
    history = tmp_path / "history.json"
    history.write_text(json.dumps([HARD]))
    said = told_by_command("yes, go ahead", "--history", str(history), "--json")
    assert json.loads(said) == route(agent, prompt="yes, go ahead", history=[HARD]).json()
    shown = told_by_command("yes, go ahead", "--history", str(history)).splitlines()
    assert shown[0] == "escalate (confirmation > hard_threshold)"
    assert "refactor" in shown[-1]
    assert told_by_command("yes", "--pin", "escalate").startswith("escalate (explicit)")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read"),
        ("[", "is not JSON"),
        ('[{"role": "boss", "content": ""}]', "history.0.role: "),
        ("{}", "history: "),
    ],
)
def test_the_command_says_what_is_wrong_with_a_history(content, told, tmp_path):
    history = tmp_path / "history.json"
    if content is not None:
        history.write_text(content)
    with pytest.raises(CommandError, match=told):
        told_by_command("yes", "--history", str(history))
