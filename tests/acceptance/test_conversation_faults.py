"""kill -9 of web and worker around a conversation: no turn and no state is lost, and nothing is
answered twice."""

import contextlib
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.decider import Decider
from tests.support.executors import Executors
from tests.support.faults import kill, of_stack
from tests.support.stack import Stack, wait_until

pytestmark = pytest.mark.stack
SETTLED_WITHIN_S = 60
RUN = """
INSERT INTO runs_run (id, agent_id, status, label, start_url, current_url, title, step_id, turn,
                      browser, refs, chooser, request_digest, created_at, active_at)
VALUES (%s, %s, 'finished', '', '', '', '', 0, '', '{}', '{}', '{}', '', now(), now())"""


@pytest.fixture(scope="module")
def models() -> Iterator[Executors]:
    with Executors.started() as running:
        yield running


@pytest.fixture(scope="module")
def stack(models: Executors) -> Iterator[Stack]:
    """A product of its own, with both models connected."""
    with Stack.started(**models.environment()) as running:
        yield running


@pytest.fixture(scope="module")
def decider(stack: Stack) -> Iterator[Decider]:
    with Decider.made(stack) as made:
        yield made


class Talk:
    """One run's conversation, as a person has it over REST."""

    def __init__(self, stack: Stack, decider: Decider) -> None:
        self.stack, self.decider = stack, decider
        self.run_id = str(uuid.uuid4())
        with stack.agent(tier="autonomous", hosts=[]) as agent:
            stack.sql(RUN, self.run_id, agent.id)

    @property
    def path(self) -> str:
        return f"/runs/{self.run_id}/messages"

    def say(self, text: str, *, wait_s: float = 30, key: str = "") -> dict[str, Any]:
        headers = {"Idempotency-Key": key} if key else {}
        said = self.decider.twin().post(self.path, {"content": text, "wait_s": wait_s}, **headers)
        assert said.status_code in {200, 202}, said.text
        return said.json()

    def whole(self) -> dict[str, Any]:
        return self.decider.twin().get(self.path).json()

    def turns(self) -> list[tuple[int, str, str, str]]:
        """In their order, as the rows have them."""
        return self.stack.sql(
            "SELECT number, who, status, text FROM routing_turn "
            "WHERE conversation_id = %s ORDER BY number",
            self.run_id,
        )

    def wait_for(self, number: int, status: str = "answered") -> None:
        def is_there() -> bool:
            with contextlib.suppress(Exception):
                return any((at, state) == (number, status) for at, _, state, _ in self.turns())
            return False

        wait_until(is_there, SETTLED_WITHIN_S, lambda: str(self.turns()))

    def written(self, number: int) -> str:
        kept = "SELECT written FROM routing_turn WHERE conversation_id = %s AND number = %s"
        found = self.stack.sql(kept, self.run_id, number)
        return str(found[0][0]) if found else ""


@pytest.fixture
def talk(stack: Stack, decider: Decider, models: Executors) -> Talk:
    wait_until(stack._is_ready, 40)
    for model in (models.primary, models.escalation):
        model.asked.clear()
    return Talk(stack, decider)


def kill_web_and_worker(stack: Stack) -> None:
    kill(of_stack(stack, "uvicorn"))
    stack.kill_worker()


def test_state_outlives_web_and_worker_between_two_turns(
    stack: Stack, talk: Talk, models: Executors
) -> None:
    models.primary.will("I would split it in three.", "Here they are.")
    models.escalation.will("Which package first?", "Done.")
    talk.say("refactor the whole dispatch layer")
    kill_web_and_worker(stack)
    wait_until(stack._is_ready, 40)
    yes = talk.say("yes, go ahead")
    assert (yes["target"], yes["decision"]["rule"]) == ("escalate", "confirmation")
    kill_web_and_worker(stack)
    wait_until(stack._is_ready, 40)
    assert {name: talk.whole()[name] for name in ("pin", "sticky", "state")} == {
        "pin": None,
        "sticky": True,
        "state": "ESCALATION_WAITING",
    }
    assert talk.say("the first one")["decision"]["rule"] == "sticky"
    talk.say("/primary")
    kill_web_and_worker(stack)
    wait_until(stack._is_ready, 40)
    back = talk.say("list the files")
    assert (back["target"], back["answer"]["content"]) == ("local", "Here they are.")
    assert [(number, who) for number, who, _, _ in talk.turns()] == [
        *((1, "user"), (2, "agent"), (3, "user"), (4, "agent"), (5, "user"), (6, "agent")),
        *((7, "user"), (9, "user"), (10, "agent")),
    ]
    stack.manage("audit_verify", "--run", talk.run_id)


def test_a_worker_killed_in_a_streamed_answer_leaves_the_turn_to_another(
    stack: Stack, talk: Talk, models: Executors
) -> None:
    models.primary.will("word " * 100, "The whole answer.", drip_s=0.2)
    talk.say("count", wait_s=0)
    wait_until(lambda: talk.written(1).count("word") > 3, 20)
    kill_web_and_worker(stack)
    assert talk.turns() == [(1, "user", "answering", "count")]
    talk.wait_for(1)
    time.sleep(3)
    assert talk.turns() == [
        (1, "user", "answered", "count"),
        (2, "agent", "answered", "The whole answer."),
    ]
    assert len(models.primary.asked) == 2


def test_a_turn_said_while_no_worker_lives_is_answered_by_the_next(
    stack: Stack, talk: Talk, models: Executors
) -> None:
    models.primary.will("One.", "Two.")
    stack.kill_worker()
    talk.say("first", wait_s=0)
    talk.say("second", wait_s=0)
    talk.wait_for(3)
    assert [text for _, _, _, text in talk.turns()] == ["first", "One.", "second", "Two."]


def test_a_message_cut_by_the_death_of_web_counts_once_when_it_is_sent_again(
    stack: Stack, talk: Talk, models: Executors
) -> None:
    models.primary.will("One two three four five.", drip_s=0.5)
    cut: list[Any] = []

    def say() -> None:
        try:
            cut.append(talk.say("count", key=f"cut-{talk.run_id}"))
        except httpx.HTTPError as error:
            cut.append(error)

    saying = threading.Thread(target=say)
    saying.start()
    wait_until(lambda: talk.written(1) != "", 20)
    kill(of_stack(stack, "uvicorn"))
    saying.join()
    assert isinstance(cut[0], httpx.HTTPError)
    wait_until(stack._is_ready, 40)
    again = talk.say("count", key=f"cut-{talk.run_id}")
    assert again["answer"]["content"] == "One two three four five."
    assert len(talk.turns()) == 2
    assert len(models.primary.asked) == 1


def test_a_killed_redis_loses_no_turn(stack: Stack, talk: Talk, models: Executors) -> None:
    models.primary.will("One two three four five.", "Two.", drip_s=0.3)
    talk.say("first", wait_s=0)
    wait_until(lambda: talk.written(1) != "", 20)
    kill(of_stack(stack, "valkey"))
    talk.wait_for(1)
    wait_until(stack._is_ready, 60)
    talk.say("second", wait_s=0)
    talk.wait_for(3)
    assert [who for _, who, _, _ in talk.turns()] == ["user", "agent", "user", "agent"]
