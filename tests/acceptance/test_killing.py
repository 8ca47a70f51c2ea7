"""A run that is killed: nothing of it acts any more, and its rows say what had been done."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import psutil
import pytest

from tests.acceptance.test_races import TWINS, ask, at_once, post
from tests.support.decider import Decider
from tests.support.stack import Agent, Stack, wait_until
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
FINAL = {"succeeded", "failed", "rejected", "blocked", "outcome_unknown"}
HELD = """<button id="go">Go</button><button id="next">Next</button>
<script>go.addEventListener("click", () => hit("go", 4)); counts(next, "next")</script>"""
GOAL_S = 2.0
BOUND_S = 6.0  # what a busy machine may take


@pytest.fixture
def agent(bot: Agent, yard: Yard) -> Iterator[Agent]:
    yard.clear()
    bot.open_run(yard.page(TWINS))
    yield bot
    bot.finish_all()


@pytest.fixture(scope="module")
def colleague(stack: Stack) -> Iterator[Decider]:
    with Decider.made(stack) as made:
        yield made


def killed(client: Agent | Decider, run_id: str, why: str = "") -> dict[str, Any]:
    began = time.monotonic()
    path, body = f"/runs/{run_id}/kill", {"why": why}
    is_agent = isinstance(client, Agent)
    answer = client.http.post(path, json=body) if is_agent else client.post(path, body)
    took_s = time.monotonic() - began
    print(f"the kill answered after {took_s:.2f} s (goal {GOAL_S:g} s)")
    assert answer.status_code == 200, answer.text
    assert took_s < BOUND_S
    return answer.json()


def browser_of(stack: Stack, run_id: str) -> list[psutil.Process]:
    """The keeper and every process of its Chromium."""
    keeper = stack.sql("SELECT (browser->>'pid')::int FROM runs_run WHERE id = %s", run_id)
    process = psutil.Process(keeper[0][0])
    return [process, *process.children(recursive=True)]


def live(processes: list[psutil.Process]) -> list[int]:
    return [
        one.pid for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE
    ]


def lives(pid: int | None) -> bool:
    try:
        return bool(pid) and bool(live([psutil.Process(pid)]))
    except psutil.NoSuchProcess:
        return False


def statuses(stack: Stack, run_id: str) -> dict[str, tuple[str, str]]:
    """By what was clicked: status and error code."""
    rows = stack.sql(
        "SELECT params->>'target', status, error->>'code' FROM runs_action WHERE run_id = %s",
        run_id,
    )
    return {target: (status, code) for target, status, code in rows}


def test_a_click_under_way_is_cut_off_and_called_unknown(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(HELD, "/held"))
    family = browser_of(stack, agent.run_id)
    assert len(family) > 3
    sent = agent.post({"tool": "browser_click", "params": {"target": "#go"}, "wait_s": 0}).json()
    assert yard.held.wait(10)
    answer = killed(decider, agent.run_id, "the wrong shop")
    assert live(family) == []
    assert answer["status"] == "killed"
    assert answer["error"]["by"] == decider.name
    assert [one["id"] for one in answer["not_stopped"]] == [sent["action_id"]]
    ended = agent.poll(sent["action_id"], 0)
    assert ended["status"] == "outcome_unknown", ended
    refused = agent.send("browser_click", target="#next")
    assert (refused.status_code, refused.json()["code"]) == (409, "run_ended")
    time.sleep(1)
    assert dict(yard.hits) == {"go": 1}


def test_three_queued_calls_are_refused_and_nothing_is_clicked(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    slow = agent.post({"tool": "browser_wait_for", "params": {"time": 15}, "wait_s": 0}).json()
    wait_until(lambda: _status(stack, slow["action_id"]) == "running", 10)
    for target in ("#first", "#second", "text=Go >> nth=1"):
        agent.post({"tool": "browser_click", "params": {"target": target}, "wait_s": 0})
    answer = killed(decider, agent.run_id)
    assert (len(answer["stopped"]), answer["not_stopped"]) == (4, [])
    assert set(statuses(stack, agent.run_id).values()) == {("failed", "run_ended")}
    time.sleep(1.5)
    assert dict(yard.hits) == {}


def _status(stack: Stack, action_id: str) -> str:
    return stack.sql("SELECT status FROM runs_action WHERE id = %s", action_id)[0][0]


def test_what_waits_for_a_person_is_cancelled_and_says_who_killed_it(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    asked = ask(agent)
    answer = killed(decider, agent.run_id, "it went astray")
    assert answer["stopped"] == [asked["action_id"]]
    ended = agent.poll(asked["action_id"], 5)
    assert (ended["status"], ended["error"]["code"]) == ("failed", "cancelled")
    words = f"{decider.name} killed this run: it went astray"
    assert words in ended["error"]["message"]
    late = decider.decide(asked["proposal_id"], chosen_index=0)
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    verbs = [
        verb
        for (verb,) in stack.sql(
            "SELECT verb FROM audit_browseraudit WHERE run_id = %s ORDER BY id", agent.run_id
        )
    ]
    assert "run.killed" in verbs
    assert dict(yard.hits) == {}


def test_a_kill_sent_again_changes_nothing(stack: Stack, agent: Agent, decider: Decider) -> None:
    first = killed(decider, agent.run_id, "once")
    second = killed(agent, agent.run_id, "twice")
    assert second["error"] == first["error"]
    assert second["finished_at"] == first["finished_at"]
    entries = stack.sql(
        "SELECT count(*) FROM audit_browseraudit WHERE run_id = %s AND verb = 'run.killed'",
        agent.run_id,
    )
    assert entries == [(1,)]
    assert agent.http.get(f"/runs/{agent.run_id}").json()["status"] == "killed"


def test_a_kill_does_not_wait_for_busy_workers(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    """Both workers are held up by runs of another agent."""
    waiting = {"tool": "browser_wait_for", "params": {"time": 8}, "wait_s": 0}
    with (
        stack.agent(tier="autonomous", hosts=yard.hosts) as one,
        stack.agent(tier="autonomous", hosts=yard.hosts) as two,
    ):
        for other in (one, two):
            other.open_run(yard.page(TWINS))
        family = browser_of(stack, agent.run_id)
        for other in (one, two):
            sent = other.post(waiting).json()["action_id"]
            wait_until(lambda sent=sent: _status(stack, sent) == "running", 10)
        agent.post({"tool": "browser_click", "params": {"target": "#first"}, "wait_s": 0})
        answer = killed(decider, agent.run_id)
        assert (len(answer["stopped"]), answer["not_stopped"]) == (1, [])
        assert live(family) == []
        for other in (one, two):
            killed(other, other.run_id)
    assert dict(yard.hits) == {}


def test_an_approval_against_a_kill(
    stack: Stack, bot: Agent, yard: Yard, decider: Decider, colleague: Decider
) -> None:
    """Either it was done before the kill, or it was never clicked, and the row tells which."""
    seen: list[tuple[str, str, int]] = []
    for turn in range(10):
        yard.clear()
        bot.open_run(yard.page(TWINS))
        asked = ask(bot)
        family = browser_of(stack, bot.run_id)
        approver, killer = decider.twin(), colleague.twin()

        def kill(run_id: str = bot.run_id, by: Decider = killer, turn: int = turn) -> Any:
            time.sleep(0.02 * turn)
            return killed(by, run_id)

        def approve(by: Decider = approver, of: str = asked["proposal_id"]) -> httpx.Response:
            return by.decide(of, chosen_index=0)

        answer, decided = at_once([kill, approve])
        clicks = yard.hits["first"]
        assert live(family) == []
        assert decided.status_code in {200, 409}, decided.text
        ended = bot.poll(asked["action_id"], 5)
        time.sleep(0.4)
        assert yard.hits["first"] == clicks, "it was clicked after the kill had answered"
        proposal = stack.sql(
            "SELECT status FROM proposals_proposal WHERE id = %s", asked["proposal_id"]
        )[0][0]
        seen.append((ended["status"], proposal, clicks))
        print(seen[-1], ended["error"])
        match ended["status"]:
            case "succeeded":
                assert (proposal, clicks) == ("executed", 1)
            case "failed":
                assert (proposal in {"cancelled", "execution_failed"}, clicks) == (True, 0)
            case status:
                assert (status, proposal) == ("outcome_unknown", "outcome_unknown")
                assert clicks <= 1
        assert answer["status"] == "killed"
    print("approve against kill:", seen)


def test_a_kill_against_running_clicks(
    stack: Stack, bot: Agent, yard: Yard, decider: Decider
) -> None:
    seen: list[tuple[str, int]] = []
    for turn in range(8):
        yard.clear()
        bot.open_run(yard.page(TWINS))
        session = decider.twin()
        body = {"tool": "browser_click", "params": {"target": "#first"}, "wait_s": 10}

        def kill(run_id: str = bot.run_id, by: Decider = session, turn: int = turn) -> Any:
            time.sleep(0.03 * turn)
            return killed(by, run_id)

        _, answer = at_once([kill, lambda body=body: post(stack, bot, body)])
        clicks = yard.hits["first"]
        time.sleep(0.4)
        assert yard.hits["first"] == clicks, "it was clicked after the kill had answered"
        said = answer.json()
        status = said["status"] if answer.status_code < 300 else said["code"]
        seen.append((status, clicks))
        assert status in {"run_ended", *FINAL}, said
        if status in {"run_ended", "failed"}:
            assert clicks == 0, said
        if status == "succeeded":
            assert clicks == 1, said
    print("kill against click:", seen)


def test_a_run_that_is_only_starting_can_be_killed(
    stack: Stack, bot: Agent, yard: Yard, decider: Decider
) -> None:
    url = yard.page(TWINS, "/slow", delay_s=4)
    label = f"slow start {time.time_ns()}"
    began = time.monotonic()

    def row() -> list[tuple[Any, ...]]:
        return stack.sql(
            "SELECT id::text, (browser->>'pid')::int FROM runs_run WHERE label = %s", label
        )

    def open_run() -> httpx.Response:
        return httpx.post(
            f"{stack.api_url}/runs",
            json={"start_url": url, "label": label},
            headers={"Authorization": f"Bearer {bot.key}"},
            timeout=60,
        )

    def kill() -> dict[str, Any]:
        wait_until(row, 10)
        time.sleep(1)
        return killed(decider.twin(), row()[0][0])

    opened, answer = at_once([open_run, kill])
    assert answer["status"] == "killed"
    assert opened.json()["status"] == "killed"
    assert time.monotonic() - began < 10
    # Dead at once; who started it may take a moment to hear of it and to empty the row.
    wait_until(lambda: not lives(row()[0][1]), 5)


def test_who_may_not_kill_a_run(stack: Stack, agent: Agent, yard: Yard) -> None:
    stack.sql("INSERT INTO agents_team (name) VALUES ('elsewhere') ON CONFLICT DO NOTHING")
    path = f"/runs/{agent.run_id}/kill"
    with (
        stack.agent(tier="autonomous", hosts=yard.hosts) as other,
        Decider.made(stack, team="elsewhere") as cy,
        Decider.made(stack, role="auditor") as auditor,
        Decider.made(stack, role="admin", team="elsewhere") as admin,
    ):
        assert other.http.post(path, json={}).status_code == 404
        assert cy.post(path, {}).status_code == 404
        assert auditor.post(path, {}).status_code == 403
        assert httpx.post(stack.api_url + path, json={}).status_code == 401
        assert agent.http.post(path, json={"why": "x" * 501}).status_code == 422
        assert agent.http.post(path, json={"force": True}).status_code == 422
        assert agent.http.get(f"/runs/{agent.run_id}").json()["status"] == "open"
        answer = killed(admin, agent.run_id)
        assert "current_url" not in answer  # another team's page is not an admin's to see
