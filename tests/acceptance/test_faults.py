"""kill -9 of every part at every moment: nothing is doubled, lost or left hanging."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import psutil
import pytest

from tests.support.decider import Decider
from tests.support.faults import (
    SETTLED_WITHIN_S,
    TWINS,
    browser_of,
    chromium_of,
    ended,
    kill,
    of_stack,
    start,
)
from tests.support.stack import Agent, Stack, wait_until
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
TARGET = '<button id="target">Confirm</button>'
COUNTS = f'{TARGET}<script>counts(target, "target")</script>'
# The site answers three seconds after it has counted: time to kill something in the act.
SLOW_CLICK = f"""{TARGET}<button class="go" id="second">Go</button><script>
target.className = "go"; target.addEventListener("click", () => hit("target", 3));</script>"""
SLOW_AIM = f"""<div style="height:3000px"></div>{COUNTS}<script>
let once = true; addEventListener("scroll", () => {{ if (once) hit("scroll", 3); once = false; }});
</script>"""


@pytest.fixture
def agent(stack: Stack, bot: Agent, yard: Yard) -> Iterator[Agent]:
    """The same agent for every test; each begins with a whole stack."""
    wait_until(stack._is_ready, 40)
    yard.clear()
    yield bot
    with contextlib.suppress(httpx.HTTPError):
        bot.finish_all()


# --- the worker dies ------------------------------------------------------------------------
def test_an_action_sent_while_no_worker_lives_is_done_by_the_next(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(COUNTS))
    stack.kill_worker()
    action = start(agent, target="#target")
    assert ended(stack, action)["status"] == "succeeded"
    assert yard.hits["target"] == 1


def test_a_worker_killed_while_it_resolves_is_followed_by_another(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(
        yard.page(
            "<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', "
            f"'{TARGET}') || counts(target, 'target'), 4000)</script>"
        )
    )
    action = start(agent, target="#target")
    time.sleep(1)
    stack.kill_worker()
    assert ended(stack, action)["status"] == "succeeded"
    assert yard.hits["target"] == 1


def test_a_worker_killed_between_the_record_and_the_press_leaves_it_unknown(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(SLOW_AIM))
    action = start(agent, target="#target")
    assert yard.held.wait(10)
    stack.kill_worker()
    over = ended(stack, action)
    assert over == {"status": "outcome_unknown", "code": "outcome_unknown"}
    time.sleep(3)
    assert yard.hits["target"] <= 1


def test_a_worker_killed_after_the_click_and_before_its_record_never_clicks_twice(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(SLOW_CLICK))
    action = start(agent, target="#target")
    assert yard.held.wait(10)
    stack.kill_worker()
    assert ended(stack, action)["status"] == "outcome_unknown"
    time.sleep(6)
    assert dict(yard.hits) == {"target": 1}
    wait_until(stack._is_ready, 40)
    assert agent.texts("#second") == ["Go"], "the page lives on"


def test_an_approved_click_whose_worker_dies_in_it_waits_for_a_person(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(SLOW_CLICK))
    asked = agent.send("browser_click", target=".go").json()
    assert asked["status"] == "requires_approval", asked
    assert decider.decide(asked["proposal_id"], chosen_index=0).status_code == 200
    assert yard.held.wait(15)
    stack.kill_worker()
    assert ended(stack, asked["action_id"])["status"] == "outcome_unknown"
    time.sleep(6)
    assert dict(yard.hits) == {"target": 1}
    proposal = decider.get(f"/proposals/{asked['proposal_id']}").json()
    assert proposal["status"] == "outcome_unknown"


def test_a_decision_made_while_no_worker_lives_is_carried_out(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(TWINS))
    asked = agent.send("browser_click", target=".go").json()
    stack.kill_worker()
    assert decider.decide(asked["proposal_id"], chosen_index=1).status_code == 200
    assert ended(stack, asked["action_id"])["status"] == "succeeded"
    assert dict(yard.hits) == {"second": 1}


def test_a_run_whose_worker_dies_while_it_opens_is_not_left_starting(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    slow = yard.page(COUNTS, "/slow", delay_s=5)
    answers: list[httpx.Response] = []

    def open_run() -> None:
        answers.append(agent.http.post("/runs", json={"start_url": slow}))

    opening = threading.Thread(target=open_run)
    opening.start()
    wait_until(lambda: "/slow" in yard.seen, 20)
    stack.kill_worker()
    opening.join()
    run = answers[0].json()["id"]
    agent.run_id = run
    wait_until(
        lambda: agent.http.get(f"/runs/{run}").json()["status"] in {"open", "failed"},
        SETTLED_WITHIN_S,
        lambda: agent.http.get(f"/runs/{run}").text,
    )


def test_an_alert_while_nobody_is_attached_does_not_lock_the_browser(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(
        yard.page(f"{COUNTS}<script>setInterval(() => {{ alert(1); confirm(2) }}, 500)</script>")
    )
    stack.kill_worker()
    time.sleep(2)
    action = start(agent, target="#target")
    assert ended(stack, action)["status"] == "succeeded"
    assert yard.hits["target"] == 1


def test_a_new_worker_stays_on_the_page_it_was_on_when_others_are_open(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    yard.page("<h1>Popup</h1>", "/popup")
    agent.open_run(
        yard.page(
            '<h1>Main</h1><a id="target" target="_blank" href="/popup">Open</a>'
            '<a id="more" target="_blank" href="/popup?2">More</a>'
        )
    )
    for target in ("#target", "#more"):
        assert agent.send("browser_click", target=target).json()["status"] == "succeeded"
    wait_until(lambda: "/popup?2" in yard.seen, 10)
    assert agent.texts("h1") == ["Main"]
    stack.kill_worker()
    wait_until(stack._is_ready, 40)
    assert agent.texts("h1") == ["Main"]


# --- the browser dies -----------------------------------------------------------------------
def test_a_killed_browser_ends_its_run_and_what_waits(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(TWINS))
    asked = agent.send("browser_click", target=".go").json()
    folder, _ = browser_of(stack, agent.run_id)
    kill(chromium_of(folder))
    over = ended(stack, asked["action_id"])
    assert over == {"status": "failed", "code": "cancelled"}
    run = agent.http.get(f"/runs/{agent.run_id}").json()
    assert (run["status"], run["error"]["code"]) == ("failed", "browser_lost")
    wait_until(lambda: not folder.exists(), 20)


def test_a_browser_killed_in_a_click_is_unknown(stack: Stack, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(SLOW_CLICK))
    folder, _ = browser_of(stack, agent.run_id)
    action = start(agent, target="#target")
    assert yard.held.wait(10)
    kill(chromium_of(folder))
    assert ended(stack, action)["status"] == "outcome_unknown"
    wait_until(lambda: agent.http.get(f"/runs/{agent.run_id}").json()["status"] == "failed", 60)
    assert dict(yard.hits) == {"target": 1}


def test_a_killed_keeper_leaves_no_browser_behind(stack: Stack, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(COUNTS))
    folder, keeper = browser_of(stack, agent.run_id)
    assert chromium_of(folder)
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: agent.http.get(f"/runs/{agent.run_id}").json()["status"] == "failed", 60)
    left = chromium_of(folder)
    try:
        wait_until(lambda: not chromium_of(folder), 20, lambda: "Chromium lives on, unkept")
    finally:
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def test_a_crashed_page_is_told_as_a_lost_browser(stack: Stack, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(COUNTS))
    folder, _ = browser_of(stack, agent.run_id)
    kill(chromium_of(folder, "renderer"))
    time.sleep(0.5)
    began = time.monotonic()
    over = ended(stack, start(agent, target="#target"))
    assert over["status"] == "failed"
    assert over["code"] in {"browser_lost", "timeout", "detached"}, over
    assert time.monotonic() - began < 30
    assert dict(yard.hits) == {}


# --- web, queue and database die --------------------------------------------------------------
def test_a_poll_cut_by_the_death_of_web_is_taken_up_again(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(TWINS))
    asked = agent.send("browser_click", target=".go").json()
    cut: list[Any] = []

    def poll() -> None:
        try:
            cut.append(agent.poll(asked["action_id"], 50))
        except httpx.HTTPError as error:
            cut.append(error)

    polling = threading.Thread(target=poll)
    polling.start()
    time.sleep(1)
    kill(of_stack(stack, "uvicorn"))
    polling.join()
    assert isinstance(cut[0], httpx.HTTPError)
    wait_until(stack._is_ready, 40)
    assert agent.poll(asked["action_id"], 0)["status"] == "requires_approval"
    assert decider.twin().decide(asked["proposal_id"], chosen_index=0).status_code == 200
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert dict(yard.hits) == {"first": 1}


def answer_or_cut(call: Any) -> httpx.Response | None:
    with contextlib.suppress(httpx.TransportError):
        return call()
    return None


def is_told_well(answer: httpx.Response | None) -> bool:
    """JSON either way; a 5xx only as a problem that may be tried again."""
    if answer is None:
        return True
    if not answer.headers["content-type"].startswith("application/"):
        return False
    return answer.status_code < 500 or answer.json().get("retryable") is True


@pytest.mark.parametrize("engine", ["valkey", "postgres"])
def test_an_engine_killed_under_polls_and_actions_loses_nothing(
    engine: str, stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    """A poll for a person, an action in its slow click, and one that is sent while it is down."""
    agent.open_run(yard.page(TWINS))
    asked = agent.send("browser_click", target=".go").json()
    with stack.agent(tier="autonomous", hosts=yard.hosts) as other:
        other.open_run(yard.page(SLOW_CLICK, "/slow-click"))
        answers: list[httpx.Response | None] = []

        def poll() -> None:
            address = f"/actions/{asked['action_id']}?wait_s=25"
            answers.append(answer_or_cut(lambda: agent.http.get(address)))

        polling = threading.Thread(target=poll)
        polling.start()
        slow = start(other, target="#target")
        assert yard.held.wait(15)
        kill(of_stack(stack, engine))
        body = {"tool": "browser_click", "params": {"target": "#second"}, "wait_s": 20}
        key = {"Idempotency-Key": f"sent-while-{engine}-was-down"}
        sent = answer_or_cut(
            lambda: other.http.post(f"/runs/{other.run_id}/actions", json=body, headers=key)
        )
        polling.join()
        wait_until(stack._is_ready, 60)
        over = ended(stack, slow)
        assert over["status"] in {"succeeded", "outcome_unknown"}, over
        assert yard.hits["target"] == 1
        again = other.http.post(f"/runs/{other.run_id}/actions", json=body, headers=key)
        assert ended(stack, again.json()["action_id"])["status"] == "succeeded"
        if sent is not None and sent.status_code in {200, 202}:
            assert sent.json()["action_id"] == again.json()["action_id"]
        assert decider.twin().decide(asked["proposal_id"], chosen_index=0).status_code == 200
        assert ended(stack, asked["action_id"])["status"] == "succeeded"
        assert yard.hits["first"] == 1
        for run in (agent.run_id, other.run_id):
            stack.manage("audit_verify", "--run", run)
        for answer in (*answers, sent):
            assert is_told_well(answer), (
                answer and answer.status_code,
                answer and answer.text[:300],
            )
