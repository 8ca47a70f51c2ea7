"""Real input: task pages of the `miniwob` package, served locally and solved through the API.

Each page says by itself how well the task was done. Unsure clicks go to a reviewer, who approves.
"""

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.stack import Agent, Reviewer, Stack

pytestmark = pytest.mark.stack


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def pages() -> Iterator[str]:
    """host:port of the package's own pages."""
    found = find_spec("miniwob")  # its code is never imported: only the pages are wanted
    assert found
    assert found.origin
    folder = Path(found.origin).parent / "html"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()


class Solver:
    """An agent at one task page, with a reviewer who approves what it is unsure of."""

    def __init__(self, agent: Agent, reviewer: Reviewer, url: str) -> None:
        self.agent, self.reviewer = agent, reviewer
        self.asked = 0
        agent.open_run(url)
        self.do("browser_click", target="#sync-task-cover")
        self.query = agent.texts("#query")[0]

    def do(self, tool: str, **params: Any) -> dict[str, Any]:
        answer = self.agent.send(tool, **params).json()
        if answer["status"] == "requires_approval":
            self.asked += 1
            self._approve(answer)
            answer = self.agent.poll(answer["action_id"])
        assert answer["status"] == "succeeded", answer
        return answer

    def _approve(self, answer: dict[str, Any]) -> None:
        """The task's own sentence often holds the button's word too: a person takes the button."""
        cookies = self.reviewer.page.context.cookies()
        token = next(cookie["value"] for cookie in cookies if cookie["name"] == "csrftoken")
        candidates = answer["match_confidence"]["candidates"]
        body: dict[str, Any] = {"version": 1}
        if answer["match_confidence"]["chosen_index"] < 0:
            controls = [one["index"] for one in candidates if one["role"] in {"button", "checkbox"}]
            body["chosen_index"] = (controls or [0])[0]
        decided = self.reviewer.page.request.post(
            f"/api/v1/proposals/{answer['proposal_id']}/approve",
            data=body,
            headers={"X-CSRFToken": token},
        )
        assert decided.status == 200, decided.text()

    @property
    def reward(self) -> float:
        return float(self.agent.texts("#reward-last")[0])


@pytest.fixture
def solve(stack: Stack, reviewer: Reviewer, pages: str) -> Iterator[Any]:
    with stack.agent(tier="autonomous", hosts=[pages]) as agent:
        yield lambda task: Solver(agent, reviewer, f"http://{pages}/miniwob/{task}.html")


def test_click_test_2(solve: Any) -> None:
    task = solve("click-test-2")
    task.do("browser_click", target="text=ONE", element="button ONE")
    assert task.reward > 0


def test_click_button_with_twins(solve: Any) -> None:
    task = solve("click-button")
    wanted = re.search(r'"(.+)"', task.query)[1]
    task.do("browser_click", target=f'button:text-is("{wanted}")')
    assert task.reward > 0


def test_enter_text(solve: Any) -> None:
    task = solve("enter-text")
    wanted = re.search(r'"(.+)"', task.query)[1]
    task.do("browser_type", target="#tt", text=wanted)
    task.do("browser_click", target="#subbtn")
    assert task.reward > 0


def test_click_dialog(solve: Any) -> None:
    task = solve("click-dialog")
    task.do("browser_click", target="button.ui-dialog-titlebar-close")
    assert task.reward > 0


def test_login_user(solve: Any, stack: Stack) -> None:
    task = solve("login-user")
    user, password = re.findall(r'"(.+?)"', task.query)
    task.do("browser_type", target="#username", text=user)
    task.do("browser_type", target="#password", text=password)
    task.do("browser_click", target="text=Login")
    assert task.reward > 0
    stored = stack.sql("SELECT params::text FROM runs_action WHERE tool = 'browser_type'")
    assert not [row for row in stored if f'"{password}"' in row[0]]


def test_click_checkboxes(solve: Any) -> None:
    task = solve("click-checkboxes")
    names = re.search(r"Select (.*) and click Submit", task.query)[1]
    for name in [] if names == "nothing" else names.split(", "):
        task.do("browser_click", target=f'label:text-is("{name}")')
    task.do("browser_click", target="#subbtn")
    assert task.reward > 0
