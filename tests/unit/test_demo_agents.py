"""The demo agents as real processes, against a small scripted server in Pointsman's place.

It only tries the agents' own wits: that Pointsman itself answers so is tested elsewhere.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LIMIT_S = 20
UNCLEAR = {"level": "ambiguous", "score": 0.25, "match_count": 3, "chosen_index": -1}
Reply = tuple[int, dict[str, Any]]


class FakePointsman:
    """Answers every action with success, save for what `plan` says about its target."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, dict[str, Any], str]] = []
        self.plan: dict[str, list[dict[str, Any]]] = {}
        self.faults: list[tuple[int, dict[str, str]]] = []
        self.texts = {"#order-number": ["HH-10401"], ".price": ["£39.00", "£9.50"]}
        self.decisions: dict[str, dict[str, Any]] = {}
        self.open_runs = 0
        self.most_open_runs = 0
        self.holds_polls = threading.Event()
        self._numbers = iter(range(1, 10_000))
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    def listen(self, port: int = 0) -> int:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self._reply("POST", body)

            def do_GET(self) -> None:
                self._reply("GET", {})

            def _reply(self, method: str, body: dict[str, Any]) -> None:
                with fake._lock:
                    key = self.headers.get("Idempotency-Key", "")
                    fake.calls.append((method, self.path, body, key))
                    fault = fake.faults.pop(0) if fake.faults else None
                status, headers = fault or (0, {})
                said: dict[str, Any] = {"code": "trouble", "detail": "no"}
                if not fault:
                    status, said = fake.answer(method, self.path, body)
                content = json.dumps(said).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self._server.server_port

    def close(self) -> None:
        self.holds_polls.set()
        if self._server:
            self._server.shutdown()
            self._server.server_close()

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Reply:
        if path == "/api/v1/runs":
            self.open_runs += 1
            self.most_open_runs = max(self.most_open_runs, self.open_runs)
            return 201, {"id": f"run-{next(self._numbers)}", "status": "open"}
        if path.endswith("/finish"):
            self.open_runs -= 1
            return 200, {"status": "finished"}
        if method == "GET":
            self.holds_polls.wait()
            return 200, self.decisions[path.split("/")[4].split("?")[0]]
        return self._act(body)

    def _act(self, body: dict[str, Any]) -> Reply:
        action_id = f"action-{next(self._numbers)}"
        target = body["params"].get("target", "")
        said: dict[str, Any] = {"action_id": action_id, "status": "succeeded"}
        said["result"] = {"texts": self.texts.get(target, [])}
        planned = self.plan.get(target)
        if not planned:
            return 200, said
        step = planned.pop(0)
        if "problem" in step:
            return step["problem"], step
        if "decision" not in step:
            return 200, said | step
        self.decisions[action_id] = said | {"match_confidence": UNCLEAR} | step["decision"]
        return 202, said | {"status": "requires_approval", "match_confidence": UNCLEAR}

    def asked(self, target: str) -> int:
        return sum(body.get("params", {}).get("target") == target for _, _, body, _ in self.calls)


@pytest.fixture
def fake() -> Iterator[FakePointsman]:
    found = FakePointsman()
    found.holds_polls.set()
    yield found
    found.close()


def start(agent: str, port: int, *more: str) -> subprocess.Popen[str]:
    where = ["--api", f"http://127.0.0.1:{port}/api/v1", "--shop", "http://127.0.0.1:9"]
    command = [sys.executable, "-m", "demo.agents", agent, "--key", "pm_test", "--pause", "0"]
    return subprocess.Popen(
        [*command, *where, *more], cwd=PROJECT, stdout=subprocess.PIPE, text=True
    )


def lines_of(agent: str, port: int, *, rounds: int = 1) -> list[str]:
    """Let the agent play its rounds; what it said."""
    process = start(agent, port, "--rounds", str(rounds))
    out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0
    return out.splitlines()


def rejected(reason: str) -> dict[str, Any]:
    error = {"code": "rejected", "message": f"A reviewer rejected this: {reason}"}
    return {"decision": {"status": "rejected", "error": error}}


APPROVED = {"decision": {"status": "succeeded", "acted_index": 1}}
EXPIRED = {"decision": {"status": "failed", "error": {"code": "expired", "message": "too late"}}}


def test_checkout_bot_waits_for_a_person_and_orders(fake: FakePointsman) -> None:
    fake.plan["text=Place order"] = [APPROVED]
    assert lines_of("checkout-bot", fake.listen()) == [
        "checkout-bot: opened a run on the shop",
        "checkout-bot: found the kettle and put it into the cart",
        "checkout-bot: waiting for a person: 3 candidates for 'Place order' (ambiguous 0.25)",
        "checkout-bot: approved: clicked #2",
        "checkout-bot: the shop took the order: HH-10401",
    ]
    typed = [b["params"]["text"] for _, _, b, _ in fake.calls if b.get("tool") == "browser_type"]
    assert typed[:2] == ["kettle", "Robin Fell"]
    assert fake.open_runs == 0


def test_each_round_buys_something_else_and_never_two_runs_are_open(fake: FakePointsman) -> None:
    said = lines_of("checkout-bot", fake.listen(), rounds=3)
    found = [line.split("found the ")[1].split()[0] for line in said if "found the" in line]
    assert found == ["kettle", "lantern", "mug"]
    assert (fake.most_open_runs, fake.open_runs) == (1, 0)


def test_a_rejected_order_is_not_tried_by_another_way(fake: FakePointsman) -> None:
    fake.plan["text=Place order"] = [rejected("not without a coupon")]
    said = lines_of("checkout-bot", fake.listen())
    assert (
        said[-1]
        == "checkout-bot: nothing is ordered. A reviewer rejected this: not without a coupon"
    )
    assert fake.asked("text=Place order") == 1
    assert fake.asked("#order-number") == 0
    assert fake.open_runs == 0


def test_an_order_without_a_number_is_not_tried_again(fake: FakePointsman) -> None:
    fake.texts["#order-number"] = []
    said = lines_of("checkout-bot", fake.listen())
    assert fake.asked("text=Place order") == 1
    assert said[-1] == "checkout-bot: the shop did not take the order; leaving the cart as it is"


def test_price_watch_told_that_it_was_unclear_names_the_very_button(fake: FakePointsman) -> None:
    fake.plan["text=Add to cart"] = [rejected("which one?")]
    said = lines_of("price-watch", fake.listen())
    assert "price-watch: 2 prices in the whole shop, from £9.50 to £39.00" in said
    assert "price-watch: A reviewer rejected this: which one?" in said
    assert "price-watch: asking again by the button's own id" in said
    assert fake.asked("#add-hand-trowel") == 1


def test_what_shadow_mode_would_have_asked_is_told(fake: FakePointsman) -> None:
    unsure = {"level": "partial", "score": 0.55, "match_count": 2, "chosen_index": -1}
    fake.plan["text=Apply"] = [{"match_confidence": unsure, "would_gate": True}]
    said = lines_of("price-watch", fake.listen())
    want = "price-watch: went on alone with 'text=Apply' (partial 0.55); gating would have asked"
    assert want in said


def test_a_cover_is_cleared_and_the_step_done_again(fake: FakePointsman) -> None:
    covered = {"status": "failed", "error": {"code": "covered", "message": "a dialog lies over it"}}
    fake.plan["text=Garden"] = [covered]
    said = lines_of("price-watch", fake.listen())
    assert fake.asked("#newsletter-close") == fake.asked("text=Garden") == 2
    assert "price-watch: something lies over it; closing the newsletter first" in said


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (EXPIRED, "nobody decided in time"),
        ({"problem": 409, "code": "run_ended"}, "its run was ended"),
        ({"problem": 422, "code": "bad", "detail": "no such key"}, "bad: no such key"),
        (
            {"status": "blocked", "error": {"code": "sandbox_blocked", "message": "host"}},
            "placing the order did not work: host",
        ),
    ],
)
def test_a_round_that_cannot_go_on_ends_and_the_next_begins(
    fake: FakePointsman, step: dict[str, Any], line: str
) -> None:
    fake.plan["text=Place order"] = [step]
    said = lines_of("checkout-bot", fake.listen(), rounds=2)
    assert f"checkout-bot: {line}" in said
    assert said[-1] == "checkout-bot: the shop took the order: HH-10401"
    assert fake.open_runs == 0


def test_it_waits_until_pointsman_is_up(fake: FakePointsman) -> None:
    port = fake.listen()
    fake.close()
    process = start("price-watch", port, "--rounds", "1")
    assert process.stdout is not None
    assert "does not answer yet" in process.stdout.readline()
    fake.listen(port)
    out, _ = process.communicate(timeout=LIMIT_S)
    assert out.startswith("price-watch: Pointsman answers again\n")
    assert process.returncode == 0


def test_a_full_or_failing_pointsman_is_asked_again_under_the_same_key(
    fake: FakePointsman,
) -> None:
    fake.faults = [(503, {}), (429, {"Retry-After": "2"})]
    began = time.monotonic()
    said = lines_of("price-watch", fake.listen())
    assert time.monotonic() - began >= 3
    assert said[:3] == [
        "price-watch: Pointsman answered 503; trying again",
        "price-watch: Pointsman is full for the moment; trying again",
        "price-watch: Pointsman answers again",
    ]
    keys = [key for _, path, _, key in fake.calls if path == "/api/v1/runs"]
    assert len(keys) == 3
    assert len(set(keys)) == 1


def test_it_finishes_its_run_when_it_is_stopped_while_a_person_thinks(fake: FakePointsman) -> None:
    fake.plan["text=Place order"] = [APPROVED]
    fake.holds_polls.clear()
    process = start("checkout-bot", fake.listen())
    assert process.stdout is not None
    while "waiting for a person" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=5)
    assert out == "checkout-bot: finished its run and stopped\n"
    assert process.returncode == 0
    assert fake.open_runs == 0


def test_an_unknown_key_ends_it(fake: FakePointsman) -> None:
    fake.faults = [(401, {})]
    process = start("price-watch", fake.listen())
    out, _ = process.communicate(timeout=LIMIT_S)
    assert out == "price-watch: Pointsman does not know this key; stopping\n"
    assert process.returncode == 2
