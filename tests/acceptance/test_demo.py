"""`manage.py demo`: everything starts, the agents ask, a person decides, nothing is left behind."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.support.stack import ROOT, free_port, wait_until

pytestmark = pytest.mark.stack
TOKEN = "the-shops-own"
FIRST_QUESTIONS_S = 40  # about ten on a quiet machine


class Demo:
    """The command in the foreground, its screen in a file."""

    def __init__(self, data_dir: Path, screen: Path) -> None:
        self._screen = screen
        self.port, self.shop_port = free_port(), free_port()
        kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
        where = {
            "DATA_DIR": str(data_dir),
            "PORT": str(self.port),
            "SHOP_PORT": str(self.shop_port),
            "SHOP_BACKEND_TOKEN": TOKEN,
        }
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "demo"],
            cwd=ROOT,
            env={**kept, **where},
            stdout=screen.open("w"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def says(self, words: str, *, times: int = 1, within_s: float = 30) -> None:
        wait_until(lambda: self.said().count(words) >= times, within_s, self.said)

    def said(self) -> str:
        return self._screen.read_text()

    def shop_state(self) -> Any:
        url = f"http://127.0.0.1:{self.shop_port}/__state"
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx.get(url, headers=headers, trust_env=False).json()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(timeout=20)
        finally:
            self.process.kill()


class Visitor:
    """Somebody with the one-time link and nothing else."""

    def __init__(self, demo: Demo) -> None:
        self.base = f"http://127.0.0.1:{demo.port}"
        self.http = httpx.Client(base_url=self.base, trust_env=False)
        found = re.search(r"/sign-in/once/\S+", demo.said())
        assert found
        self.link = found.group()

    def sign_in(self) -> None:
        assert self.http.get(self.link).status_code == 200
        assert self._post(self.link).status_code == 302

    def approve(self, agent: str, *, candidate: str) -> None:
        """Pick the candidate with this id."""
        [one] = self.http.get(
            "/api/v1/proposals", params={"status": "pending", "agent": agent}
        ).json()["results"]
        ids = [c["attributes"].get("id") for c in one["match_confidence"]["candidates"]]
        body = {"version": one["version"], "chosen_index": ids.index(candidate)}
        if one["risk"] == "irreversible":
            body["confirm"] = "approve"
        answer = self._post(f"/api/v1/proposals/{one['id']}/approve", body)
        assert answer.status_code == 200, answer.text

    def _post(self, path: str, body: Any = None) -> httpx.Response:
        token = self.http.cookies["csrftoken"]
        return self.http.post(
            path, json=body or {}, headers={"X-CSRFToken": token, "Origin": self.base}
        )


@pytest.fixture
def demo() -> Iterator[Demo]:
    folder = Path(tempfile.mkdtemp(prefix="pm-"))
    with contextlib.ExitStack() as undo:
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        running = Demo(folder / "data", folder / "screen")
        undo.callback(running.stop)
        yield running


def test_the_demo_asks_within_seconds_obeys_and_leaves_nothing(demo: Demo) -> None:
    demo.says("Sign in", within_s=60)
    began = time.monotonic()
    demo.says("candidates for 'Place order'", within_s=FIRST_QUESTIONS_S)
    demo.says("candidates for 'Add to cart'", within_s=FIRST_QUESTIONS_S)
    print(f"first questions after {time.monotonic() - began:.1f} s")
    assert demo.shop_state()["now"]["orders"] == []

    visitor = Visitor(demo)
    visitor.sign_in()
    assert visitor.http.get(visitor.link).status_code == 410

    visitor.approve("checkout-bot", candidate="place-order")
    demo.says("the shop took the order: HH-10401")
    visitor.approve("price-watch", candidate="add-hand-trowel")
    demo.says("candidates for 'Apply' (partial 0.55)")
    state = demo.shop_state()
    assert [order["placed_from"] for order in state["now"]["orders"]] == ["form"]
    added = {name for name in state["presses"] if name.startswith("add_to_cart")}
    assert added == {"add_to_cart.whistling-kettle", "add_to_cart.hand-trowel"}
    assert state["now"]["cart"] == [{"sku": "hand-trowel", "quantity": 1}]

    descendants = psutil.Process(demo.process.pid).children(recursive=True)
    assert demo.stop() == 0
    assert "price-watch | finished its run and stopped" in demo.said()
    _, alive = psutil.wait_procs(descendants, timeout=5)
    assert alive == []
