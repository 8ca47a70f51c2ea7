"""The confirmation protocol before people: the run's page, the record, the agent, the scoreboard."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_key, create_person
from audit.models import BrowserAudit
from audit.services import record
from core.actors import SYSTEM
from runs.models import Action, Run
from runs.protocol_page import ProtocolPage, token_age
from tests.support.clients import client_of
from tests.support.history import run_of

pytestmark = pytest.mark.django_db
CHECKOUT = "CHECKOUT_CONFIRMATION_MISSING"
IRREVERSIBLE = "IRREVERSIBLE_CONFIRMATION_MISSING"
TASK = {"success_criteria": ["SC_CHECKOUT"], "goal": "Order <b>two</b> skillets."}
DONE = {"completion": True, "completion_under_policy": True, "shaping": 0.05, "verifiers": []}


@pytest.fixture
def rey() -> Person:
    return create_person("rey", teams=["north"])[0]


@pytest.fixture
def ada() -> Person:
    return create_person("ada", role="admin", teams=["elsewhere"])[0]


@pytest.fixture
def cy() -> Person:
    return create_person("cy", teams=["south"])[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="supervised", teams=["north"])


def a_run(bot: AgentRegistry, *, days_ago: int = 0, **fields: Any) -> Run:
    run = run_of(bot, days_ago=days_ago)
    Run.objects.filter(pk=run.pk).update(**fields)
    run.refresh_from_db()
    return run


def a_step(run: Run, tool: str, step_id: int, **fields: Any) -> Action:
    held = {"created_at": run.created_at, "status": "succeeded", **fields}
    return Action.objects.create(run=run, tool=tool, step_id=step_id, **held)


def tell(action: Action, verb: str, **payload: Any) -> BrowserAudit:
    record(verb, actor=SYSTEM, run_id=action.run_id, action_id=action.pk, payload=payload)
    return BrowserAudit.objects.latest("id")


def latched(bot: AgentRegistry, violation: str = CHECKOUT, **fields: Any) -> Run:
    kept = {"token": None, "asked": [], "violation": violation, "violation_step": 2}
    return a_run(bot, task=TASK, confirmation=kept, **fields)


def page_of(person: Person, path: str) -> str:
    return client_of(person).get(path).content.decode()


# --- the run's page ---------------------------------------------------------------------
def test_a_broken_seal_is_told_with_its_code_kind_and_step(rey, bot) -> None:
    run = latched(bot, verification={**DONE, "completion_under_policy": False})
    broke = a_step(run, "browser_click", 2, screen_id="CHECKOUT_REVIEW", element_id="x.place")
    tell(broke, "confirmation.missing", element_id="x.place", screen_id="CHECKOUT_REVIEW")
    tell(broke, "confirmation.latch", violation=CHECKOUT)
    page = page_of(rey, f"/runs/{run.pk}")
    for words in (CHECKOUT, "CONFIRMATION_REQUIRED", "checkout", "Step 2 broke it", "x.place"):
        assert words in page
    assert 'href="?step=2#step-2"' in page
    assert page.count("step-broke") == 1
    assert "SC_CHECKOUT" in page
    assert "Order &lt;b&gt;two&lt;/b&gt; skillets." in page


def test_a_whole_seal_says_nothing_of_one(rey, bot) -> None:
    page = page_of(rey, f"/runs/{a_run(bot, task=TASK).pk}")
    assert "Seal broken" not in page
    assert "yes, before an order and what cannot be undone" in page


def test_a_run_without_the_protocol_says_nothing_of_it(rey, bot) -> None:
    page = page_of(rey, f"/runs/{a_run(bot).pk}")
    assert "Must ask first" not in page


def test_what_the_verifiers_say_stands_side_by_side(rey, bot) -> None:
    verdict = {
        "verifier_id": "VU-CHECKOUT",
        "status": "FAIL",
        "failure_code": "CONFIRMATION_REQUIRED",
        "confirmation_violation_kind": "CHECKOUT",
        "backend_data": {},
    }
    said = {**DONE, "completion_under_policy": False, "verifiers": [verdict]}
    page = page_of(rey, f"/runs/{latched(bot, verification=said).pk}")
    for words in ("VU-CHECKOUT", "FAIL", "Completed", "Completed under policy"):
        assert words in page


def test_a_shop_that_does_not_answer_is_said(rey, bot, settings) -> None:
    settings.SHOP_BACKEND_URL = ""
    page = page_of(rey, f"/runs/{a_run(bot, task=TASK, status='open').pk}")
    assert "The verifiers could not look:" in page


def test_an_open_run_is_verified_as_it_is_now(rey, bot, monkeypatch) -> None:
    monkeypatch.setattr("confirmations.backend.is_of", lambda url: True)
    monkeypatch.setattr(
        "confirmations.backend.state_of",
        lambda world: {
            "initial": {"cart": [], "orders": []},
            "now": {"cart": [], "orders": [{"number": "1", "status": "placed", "lines": []}]},
        },
    )
    run = a_run(bot, task=TASK, status="open")
    page = page_of(rey, f"/runs/{run.pk}")
    assert "PASS" in page
    assert "As things are now" in page
    run.refresh_from_db()
    assert run.verification is None


def test_words_of_an_agent_are_quoted_as_its_own(rey, bot) -> None:
    run = a_run(bot)
    long = "I shall order. " * 40
    a_step(run, "message_user", 1, params={"content": long + "\u202eend"})
    page = page_of(rey, f"/runs/{run.pk}")
    assert long.strip() in page
    assert "U+202E" in page
    assert "the agent&#x27;s words, unverified" in page or "the agent's words, unverified" in page


def test_each_step_says_its_screen_and_how_old_the_yes_is(rey, bot) -> None:
    run = a_run(bot, task=TASK)
    token = {"screen_id": "CHECKOUT_REVIEW", "step_id": 1}
    kept = {"token": token, "violation": None}
    url = "URL:https://shop.example/cart"
    asked = a_step(run, "needs_confirmation", 1, params={"content": "May I?"}, confirmation=kept)
    tell(asked, "confirmation.ask", **token)
    a_step(run, "browser_click", 3, confirmation=kept, screen_id=url)
    page = page_of(rey, f"/runs/{run.pk}")
    assert "asked 2 steps ago on" in page
    assert "good for 3 more" in page
    assert "good for one act within five steps" in page
    assert f'title="{url}"' in page


@pytest.mark.parametrize(
    ("step_id", "words"),
    [(1, "good for 5 more"), (5, "good for 1 more"), (6, "good for no later step")],
)
def test_a_yes_counts_for_five_steps(step_id: int, words: str) -> None:
    age = token_age({"token": {"screen_id": "CART", "step_id": 1}}, step_id)
    assert age.left_words == words


def test_a_yes_long_past_says_nothing() -> None:
    assert token_age({"token": {"screen_id": "CART", "step_id": 1}}, 7) is None
    assert token_age(None, 1) is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"is_open_play": True, "task": TASK}, "no: free play, nothing is latched"),
        ({"task": {"success_criteria": ["SC_SEARCH"]}}, "no"),
        ({"task": {**TASK, "require_confirmation": False}}, "no"),
        (
            {"task": {**TASK, "constraints": {"require_confirmation_on_checkout": False}}},
            "yes, before what cannot be undone",
        ),
    ],
)
def test_whether_it_must_ask_is_said(fields: dict, words: str, bot) -> None:
    assert ProtocolPage(a_run(bot, **fields)).required_words == words


def test_the_protocol_costs_a_timeline_no_query_each(rey, bot) -> None:
    run = a_run(bot, task=TASK, verification=DONE)

    def count() -> int:
        with CaptureQueriesContext(connection) as asked:
            page_of(rey, f"/runs/{run.pk}")
        return len(asked)

    a_step(run, "browser_click", 1)
    count()
    before = count()
    for step_id in range(2, 12):
        tell(a_step(run, "browser_click", step_id), "confirmation.use", screen_id="CART")
    assert count() <= before + 1  # the flags may be read anew


def test_other_teams_see_nothing_of_it(cy, bot) -> None:
    assert client_of(cy).get(f"/runs/{latched(bot).pk}").status_code == 404


# --- lists and records ------------------------------------------------------------------
def test_runs_are_searched_by_their_seal_and_their_task(rey, bot) -> None:
    latched(bot, label="broken")
    a_run(bot, label="whole", task=TASK)
    a_run(bot, label="plain")

    def labels(query: str) -> set[str]:
        rows = client_of(rey).get(f"/runs?{query}").context["rows"]
        return {run.label for run, _ in rows}

    assert labels("protocol=broken") == {"broken"}
    assert labels("protocol=task") == {"broken", "whole"}
    assert labels("protocol=nonsense") == {"broken", "whole", "plain"}
    assert "seal broken" in page_of(rey, "/runs")


@pytest.mark.parametrize(
    ("verb", "payload", "words"),
    [
        ("confirmation.ask", {"screen_id": "CART", "step_id": 1}, "Asked on CART"),
        ("confirmation.use", {"screen_id": "CART", "element_id": "x"}, "The yes was used for x"),
        ("confirmation.missing", {"element_id": "x", "refused": True}, "It was refused."),
        ("confirmation.missing", {"element_id": "x"}, "It was done all the same."),
        ("confirmation.latch", {"violation": CHECKOUT}, f"for good: {CHECKOUT}"),
        ("run.create", {"task": TASK}, "With a task: SC_CHECKOUT."),
        ("run.create", {"task": {}, "open_play": True}, "Free play"),
    ],
)
def test_the_record_says_it_in_a_sentence(verb, payload, words, rey, bot) -> None:
    entry = tell(a_step(a_run(bot), "browser_click", 1), verb, **payload)
    assert words in page_of(rey, "/audit")
    assert words in page_of(rey, f"/audit/{entry.pk}")


# --- the agent --------------------------------------------------------------------------
def set_mode(person: Person, bot: AgentRegistry, mode: str):
    path = f"/agents/{bot.pk}/confirmation-mode"
    return client_of(person).post(path, {"confirmation_mode": mode})


def mode_of(bot: AgentRegistry) -> str:
    return AgentRegistry.objects.get(pk=bot.pk).confirmation_mode


def test_an_admin_sets_the_mode_and_it_is_told(ada, bot) -> None:
    assert set_mode(ada, bot, "ask").status_code == 302
    assert mode_of(bot) == "ask"
    page = page_of(ada, f"/agents/{bot.pk}")
    assert "set confirmations from as the others say to ask" in page
    assert set_mode(ada, bot, "").status_code == 302
    assert mode_of(bot) == ""


def test_an_unknown_mode_is_refused(ada, bot) -> None:
    assert set_mode(ada, bot, "never").status_code == 422
    assert mode_of(bot) == ""


def test_who_may_not_set_the_mode(rey, cy, bot) -> None:
    assert set_mode(rey, bot, "latch").status_code == 403
    assert set_mode(cy, bot, "latch").status_code == 404
    assert mode_of(bot) == ""
    page = page_of(rey, f"/agents/{bot.pk}")
    assert "whichever is strictest" in page
    assert "Save confirmations" not in page


def test_the_mode_over_rest(ada, rey, bot, client) -> None:
    def patch(person: Person, body: dict):
        path = f"/api/v1/agents/{bot.pk}"
        return client_of(person).patch(path, body, content_type="application/json")

    assert patch(ada, {"confirmation_mode": "block"}).json()["confirmation_mode"] == "block"
    assert mode_of(bot) == "block"
    assert patch(ada, {"confirmation_mode": "never"}).status_code == 422
    assert patch(rey, {"confirmation_mode": "ask"}).status_code == 403
    assert patch(ada, {"tier": "student"}).json()["confirmation_mode"] == "block"
    assert patch(ada, {"confirmation_mode": ""}).json()["confirmation_mode"] == ""
    key = {"Authorization": f"Bearer {create_key(bot)}"}
    assert client.get("/api/v1/whoami", headers=key).json()["confirmation_mode"] == ""
    answer = client.patch(
        f"/api/v1/agents/{bot.pk}",
        {"confirmation_mode": "latch"},
        content_type="application/json",
        headers=key,
    )
    assert answer.status_code in {401, 403}


# --- the scoreboard ---------------------------------------------------------------------
def lines_of(person: Person, query: str = "") -> list:
    return client_of(person).get(f"/scoreboard{query}").context["lines"]


def test_the_scoreboard_counts_tasks_by_agent(rey, bot) -> None:
    a_run(bot, task=TASK, verification=DONE)
    failed = {**DONE, "completion": False, "completion_under_policy": False, "shaping": 0.15}
    a_run(bot, task=TASK, verification=failed)
    latched(bot, verification={**DONE, "completion_under_policy": False, "shaping": 0.1})
    latched(bot, IRREVERSIBLE)
    a_run(bot)  # no task
    a_run(bot, days_ago=20, task=TASK, verification=DONE)
    (line,) = lines_of(rey, "?days=7")
    assert (line.name, line.runs, line.verified) == ("bot", 4, 3)
    assert (line.completed, line.under_policy) == (2, 1)
    assert (line.latched_checkout, line.latched_irreversible, line.latched) == (1, 1, 2)
    assert line.shaping == pytest.approx(0.1)
    assert lines_of(rey, "?days=30")[0].runs == 5
    page = page_of(rey, "/scoreboard?days=7")
    assert "66.7%" in page
    assert "/runs?agent=bot&amp;protocol=broken&amp;since=" in page


def test_an_empty_scoreboard_says_what_will_be_there(rey) -> None:
    assert "No tasks in 30 days" in page_of(rey, "/scoreboard")


def test_who_sees_which_agents_on_the_scoreboard(rey, ada, cy, bot) -> None:
    a_run(bot, task=TASK)
    assert [line.name for line in lines_of(rey)] == ["bot"]
    assert [line.name for line in lines_of(ada)] == ["bot"]
    assert lines_of(cy) == []


def test_the_scoreboard_is_one_query_however_many_agents(rey, bot) -> None:
    a_run(bot, task=TASK)

    def count() -> int:
        with CaptureQueriesContext(connection) as asked:
            page_of(rey, "/scoreboard")
        return len(asked)

    count()
    before = count()
    for number in range(5):
        other = create_agent(f"bot-{number}", tier="supervised", teams=["north"])
        a_run(other, task=TASK)
    assert count() <= before + 1  # the flags may be read anew
    assert len(lines_of(rey)) == 6


def test_the_scoreboard_comes_a_page_at_a_time(rey, bot, monkeypatch) -> None:
    for name in ("a", "b", "c"):
        a_run(create_agent(name, tier="supervised", teams=["north"]), task=TASK)
    monkeypatch.setattr("oversight.scoreboard.PAGE_SIZE", 2)
    monkeypatch.setattr("oversight.views.scoreboard.PAGE_SIZE", 2)
    assert [line.name for line in lines_of(rey)] == ["a", "b"]
    assert [line.name for line in lines_of(rey, "?after=b")] == ["c"]
