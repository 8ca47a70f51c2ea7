"""Many at the same moment: one decision wins, one execution runs, one action at a time."""

import itertools
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
import psycopg
import pytest

from core import engines
from tests.support.decider import Decider
from tests.support.stack import Agent, Stack, wait_until
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
FINAL = {"succeeded", "failed", "rejected", "blocked", "outcome_unknown"}
TWINS = """<button class="go" id="first">Go</button><button class="go" id="second">Go</button>
<script>counts(first, "first"); counts(second, "second")</script>"""


@pytest.fixture
def agent(bot: Agent, yard: Yard) -> Iterator[Agent]:
    yard.clear()
    bot.open_run(yard.page(TWINS))
    yield bot
    bot.finish_all()


@pytest.fixture(scope="module")
def deciders(stack: Stack) -> Iterator[list[Decider]]:
    with Decider.made(stack) as one, Decider.made(stack) as two, Decider.made(stack) as three:
        yield [one, two, three]


def ask(agent: Agent, **params: Any) -> dict[str, Any]:
    answer = agent.send("browser_click", **{"target": ".go", **params}).json()
    assert answer["status"] == "requires_approval", answer
    return answer


def at_once(jobs: list[Callable[[], Any]]) -> list[Any]:
    """Every job in a thread of its own, let go at the same moment."""
    gate = threading.Barrier(len(jobs))

    def run(job: Callable[[], Any]) -> Any:
        gate.wait(30)
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [done.result() for done in [pool.submit(run, job) for job in jobs]]


def post(stack: Stack, agent: Agent, body: Any, **headers: str) -> httpx.Response:
    """On a connection of its own."""
    return httpx.post(
        f"{stack.api_url}/runs/{agent.run_id}/actions",
        json=body,
        headers={"Authorization": f"Bearer {agent.key}", **headers},
        timeout=90,
    )


def by_action(stack: Stack, run_id: str) -> list[tuple[Any, ...]]:
    return stack.sql(
        "SELECT status, count(*) FROM runs_action WHERE run_id = %s GROUP BY status", run_id
    )


def send_message(stack: Stack, task: str, subject: str, times: int) -> None:
    """Put the same message into the queue again, as a broker that repeats itself would."""
    from celery import Celery

    with Celery(broker=engines.celery_broker_url(stack.data_dir)) as app:
        for _ in range(times):
            app.send_task(task, args=[subject])


def test_of_200_decisions_at_once_one_wins_and_199_are_told_by_whom(
    stack: Stack, agent: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    asked = ask(agent)
    sessions = [deciders[n % 3].twin() for n in range(200)]

    def decide(number: int) -> httpx.Response:
        session, kind = sessions[number], number % 3
        if kind == 0:
            return session.decide(asked["proposal_id"], chosen_index=0)
        if kind == 1:
            return session.decide(asked["proposal_id"], "modify", modifications={"chosen_index": 1})
        return session.decide(asked["proposal_id"], "reject", reason="no")

    answers = at_once([partial(decide, n) for n in range(200)])
    codes = [answer.status_code for answer in answers]
    assert (codes.count(200), codes.count(409)) == (1, 199), sorted(set(codes))
    winner = sessions[codes.index(200)].name
    for answer in answers:
        if answer.status_code == 409:
            assert answer.json()["code"] == "already_decided", answer.text
            assert answer.json()["decided_by"] == winner, answer.text
    assert agent.poll(asked["action_id"])["status"] in {"succeeded", "rejected"}
    time.sleep(0.5)
    assert sum(yard.hits.values()) == (0 if codes.index(200) % 3 == 2 else 1)
    assert stack.sql(
        "SELECT count(*) FROM proposals_decision WHERE proposal_id = %s", asked["proposal_id"]
    ) == [(1,)]


def test_an_approval_against_the_clock_ends_one_way_only(yard: Yard) -> None:
    with (
        Stack.started(PROPOSAL_TTL_SECONDS="3", MATCH_CONFIDENCE_FORCE_PROPOSAL="true") as quick,
        quick.agent(tier="autonomous", hosts=yard.hosts) as agent,
        Decider.made(quick) as decider,
    ):
        for offset_s in (2.7, 2.95, 3.0, 3.3):
            yard.clear()
            agent.open_run(yard.page(TWINS))
            asked = ask(agent)
            due = quick.sql(
                "SELECT extract(epoch FROM expires_at)::float FROM proposals_proposal WHERE id = %s",
                asked["proposal_id"],
            )[0][0]
            time.sleep(max(0, due - 3 + offset_s - time.time()))
            answer = decider.decide(asked["proposal_id"], chosen_index=0)
            ended = agent.poll(asked["action_id"])
            time.sleep(0.3)
            won = answer.status_code == 200
            assert answer.status_code in {200, 409, 410}, answer.text
            assert ended["status"] == ("succeeded" if won else "failed"), ended
            assert yard.hits["first"] == (1 if won else 0)
            agent.finish_all()


def test_an_approval_against_the_end_of_the_run(
    stack: Stack, bot: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    for turn in range(5):
        yard.clear()
        bot.open_run(yard.page(TWINS))
        asked = ask(bot)
        session = deciders[0].twin()

        def finish(run_id: str = bot.run_id) -> httpx.Response:
            return httpx.post(
                f"{stack.api_url}/runs/{run_id}/finish",
                headers={"Authorization": f"Bearer {bot.key}"},
                timeout=60,
            )

        def approve(session: Decider = session, of: str = asked["proposal_id"]) -> httpx.Response:
            return session.decide(of, chosen_index=0)

        finished, decided = at_once([finish, approve])
        assert finished.status_code == 200, finished.text
        assert decided.status_code in {200, 409}, decided.text
        ended = bot.poll(asked["action_id"], 40)
        assert ended["status"] in FINAL, (turn, ended)
        time.sleep(0.5)
        assert yard.hits["first"] <= 1
        if ended["status"] == "failed":
            assert yard.hits["first"] == 0, ended
        rows = stack.sql(
            "SELECT status FROM proposals_proposal WHERE id = %s", asked["proposal_id"]
        )
        assert rows[0][0] not in {"pending", "approved", "executing"}


def test_an_execution_whose_message_comes_many_times_runs_once(
    stack: Stack, agent: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    asked = ask(agent)
    send_message(stack, "runs.execute", asked["proposal_id"], 5)  # nothing is approved yet
    time.sleep(0.5)
    deciders[0].decide(asked["proposal_id"], chosen_index=1)
    send_message(stack, "runs.execute", asked["proposal_id"], 20)
    send_message(stack, "runs.perform", asked["action_id"], 20)
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    time.sleep(1)
    assert dict(yard.hits) == {"second": 1}


def test_an_action_whose_message_comes_many_times_runs_once(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    answer = agent.post({"tool": "browser_click", "params": {"target": "#first"}, "wait_s": 0})
    send_message(stack, "runs.perform", answer.json()["action_id"], 30)
    assert agent.poll(answer.json()["action_id"])["status"] == "succeeded"
    time.sleep(1)
    assert dict(yard.hits) == {"first": 1}


def test_the_same_idempotency_key_20_times_at_once_is_one_action(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    body = {"tool": "browser_click", "params": {"target": "#first"}}
    key = uuid.uuid4().hex
    answers = at_once(
        [lambda: post(stack, agent, body, **{"Idempotency-Key": key}) for _ in range(20)]
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["action_id"] for answer in answers}) == 1
    assert dict(yard.hits) == {"first": 1}


def test_the_same_idempotency_key_20_times_at_once_is_one_run(
    stack: Stack, bot: Agent, yard: Yard
) -> None:
    url, key = yard.page(TWINS), uuid.uuid4().hex

    def open_run() -> httpx.Response:
        return httpx.post(
            f"{stack.api_url}/runs",
            json={"start_url": url},
            headers={"Authorization": f"Bearer {bot.key}", "Idempotency-Key": key},
            timeout=90,
        )

    answers = at_once([open_run for _ in range(20)])
    ids = {answer.json().get("id") for answer in answers}
    bot.run_id = next(iter(ids - {None}))
    bot.finish_all()
    assert {answer.status_code for answer in answers} == {201}
    assert len(ids) == 1


def test_the_same_idempotency_key_20_times_at_once_is_one_decision(
    stack: Stack, agent: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    asked = ask(agent)
    sessions = [deciders[0].twin() for _ in range(20)]
    path, body = f"/proposals/{asked['proposal_id']}/approve", {"version": 1, "chosen_index": 0}
    key = {"Idempotency-Key": asked["action_id"]}
    answers = at_once([partial(session.post, path, body, **key) for session in sessions])
    assert {answer.status_code for answer in answers} == {200}, answers
    assert all(answer.json() == answers[0].json() for answer in answers)
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert sum(yard.hits.values()) == 1


def test_the_same_uncertain_click_20_times_at_once_is_one_proposal(
    stack: Stack, agent: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    body = {"tool": "browser_click", "params": {"target": ".go"}}
    answers = at_once([lambda: post(stack, agent, body) for _ in range(20)])
    assert {answer.status_code for answer in answers} <= {202, 409}
    proposals = stack.sql("SELECT id::text FROM proposals_proposal WHERE run_id = %s", agent.run_id)
    assert len(proposals) == 1, f"{len(proposals)} proposals for one request"
    deciders[0].decide(proposals[0][0], chosen_index=0)
    wait_until(lambda: yard.hits["first"], 20)
    time.sleep(2)
    later = stack.sql("SELECT id::text FROM proposals_proposal WHERE run_id = %s", agent.run_id)
    assert len(later) == 1, f"{len(later)} proposals for one request"
    assert dict(yard.hits) == {"first": 1}


def test_different_actions_at_once_run_one_at_a_time_in_their_order(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.send(
        "browser_navigate",
        url=yard.page(
            "".join(f'<button id="b{n}">{n}</button>' for n in range(12))
            + "<script>for (const b of document.querySelectorAll('button'))"
            " b.addEventListener('click', () => { document.title += '|' + b.id; hit(b.id, .1) })"
            "</script>",
            "/many",
        ),
    )
    bodies = [
        {"tool": "browser_click", "params": {"target": f"#b{n}"}, "wait_s": 60} for n in range(12)
    ]
    answers = at_once([partial(post, stack, agent, body) for body in bodies])
    assert {answer.json()["status"] for answer in answers} == {"succeeded"}
    rows = stack.sql(
        "SELECT params->>'target', acting_at, finished_at FROM runs_action "
        "WHERE run_id = %s AND tool = 'browser_click' ORDER BY created_at",
        agent.run_id,
    )
    for (_, _, ended), (_, began, _) in itertools.pairwise(rows):
        assert ended <= began
    title = agent.send("browser_snapshot").json()["result"]["title"]
    assert title.split("|")[1:] == [target.removeprefix("#") for target, _, _ in rows]
    assert set(yard.hits.values()) == {1}


def test_what_was_sent_beside_an_uncertain_click_waits_for_the_person(
    stack: Stack, agent: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    """Both are accepted before either runs; the second changes the page and must not overtake."""
    uncertain = agent.post({"tool": "browser_click", "params": {"target": ".go"}, "wait_s": 0})
    certain = agent.post({"tool": "browser_click", "params": {"target": "#second"}, "wait_s": 0})
    assert uncertain.status_code == 202, uncertain.text
    first = uncertain.json()["action_id"]
    wait_until(lambda: agent.poll(first, 0)["status"] == "requires_approval", 20)
    time.sleep(2)
    assert dict(yard.hits) == {}, "a click ran while a person had to decide"
    if certain.status_code == 409:
        assert certain.json()["code"] == "waiting_for_review"
    proposal = agent.poll(first, 0)["proposal_id"]
    deciders[0].decide(proposal, chosen_index=0)
    assert agent.poll(first)["status"] == "succeeded"


def test_an_approval_while_the_agent_reads_is_still_executed(
    agent: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    """Reads go on while a proposal waits; one that runs at the moment of approval delays it."""
    asked = ask(agent)
    read = agent.post({"tool": "browser_extract_text", "params": {"target": "#never"}, "wait_s": 0})
    time.sleep(0.8)
    assert deciders[0].decide(asked["proposal_id"], chosen_index=1).status_code == 200
    ended = agent.poll(asked["action_id"], 45)
    assert ended["status"] == "succeeded", ended
    assert agent.poll(read.json()["action_id"])["error"]["code"] == "no_match"
    assert dict(yard.hits) == {"second": 1}


def test_a_finish_that_meets_a_failing_action_is_no_deadlock(stack: Stack, agent: Agent) -> None:
    """The run's row is held for a moment so that both come to it in the unlucky order."""
    sent = agent.post({"tool": "browser_click", "params": {"target": "#never"}, "wait_s": 0})
    time.sleep(2)
    answers: list[httpx.Response] = []
    with psycopg.connect(engines.database_url(stack.data_dir)) as holding:
        holding.execute("SELECT 1 FROM runs_run WHERE id = %s FOR UPDATE", [agent.run_id])
        finish = threading.Thread(
            target=lambda: answers.append(
                httpx.post(
                    f"{stack.api_url}/runs/{agent.run_id}/finish",
                    headers={"Authorization": f"Bearer {agent.key}"},
                    timeout=60,
                )
            )
        )
        finish.start()
        time.sleep(6.5)  # by now the action has failed and wants to say so
        holding.rollback()
    finish.join()
    assert answers[0].status_code == 200, answers[0].text
    assert agent.poll(sent.json()["action_id"], 30)["status"] == "failed"


def test_two_workers_that_both_hold_an_action_do_not_both_speak_for_it(yard: Yard) -> None:
    """The first is slower than its lease; the sweep gives the action to a second one."""
    page = (
        '<button id="target">Go</button><script>counts(target, "target");'
        "setTimeout(() => { const end = Date.now() + 9000; while (Date.now() < end); }, 1500)"
        "</script>"
    )
    with (
        Stack.started(LEASE_SECONDS="4", MATCH_CONFIDENCE_FORCE_PROPOSAL="true") as stack,
        stack.agent(tier="autonomous", hosts=yard.hosts) as agent,
    ):
        yard.clear()
        agent.open_run(yard.page(page))
        time.sleep(1.8)
        answer = agent.post(
            {"tool": "browser_click", "params": {"target": "#target"}, "wait_s": 60}
        ).json()
        time.sleep(3)
        assert yard.hits["target"] <= 1
        if answer["status"] == "failed":
            assert yard.hits["target"] == 0, answer
        assert answer["status"] in FINAL, answer


def test_a_death_between_claim_and_begin_is_settled_by_a_person(
    stack: Stack, agent: Agent, yard: Yard, deciders: list[Decider]
) -> None:
    """The rows as a worker leaves them that dies right after it claimed the approved proposal."""
    asked = ask(agent)
    stack.sql(
        "UPDATE proposals_proposal SET status = 'executing', version = version + 1, "
        "approved_index = 0, lease_until = now() - interval '1 s' WHERE id = %s",
        asked["proposal_id"],
    )
    wait_until(lambda: agent.poll(asked["action_id"], 0)["status"] == "outcome_unknown", 20)
    assert dict(yard.hits) == {}
