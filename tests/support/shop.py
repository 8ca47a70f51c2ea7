"""The demo shop as a process of its own, and an agent's visit to it over REST."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from demo.cast import profile_text
from tests.support.stack import ROOT, Agent, Stack, free_port, wait_until

TOKEN = "the-shops-own-token"
READY_WITHIN_S = 30
SERVER = [sys.executable, "-m", "uvicorn", "demo.shop.asgi:application", "--no-access-log"]


class Shop:
    """`world` is what its own backend says of one run."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}"

    @classmethod
    @contextlib.contextmanager
    def started(cls) -> Iterator["Shop"]:
        shop, folder = cls(free_port()), Path(tempfile.mkdtemp(prefix="shop-"))
        process = subprocess.Popen(
            [*SERVER, "--port", str(shop.port), "--lifespan", "off"],
            cwd=ROOT,
            env={**os.environ, "SHOP_DATA_DIR": str(folder), "SHOP_BACKEND_TOKEN": TOKEN},
        )
        try:
            wait_until(shop._answers, READY_WITHIN_S)
            yield shop
        finally:
            process.terminate()
            process.wait()
            shutil.rmtree(folder, ignore_errors=True)

    def _answers(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(self.url, trust_env=False).status_code == 200
        return False

    @contextlib.contextmanager
    def stack(self, **settings: str) -> Iterator[Stack]:
        """A Pointsman that verifies tasks here and watches over the shop by its profile."""
        backend = {"SHOP_BACKEND_URL": self.url, "SHOP_BACKEND_TOKEN": TOKEN}
        with Stack.started(**backend, **settings) as stack:
            self.put_profile_in_force(stack)
            yield stack

    def put_profile_in_force(self, stack: Stack, *, mode: str = "") -> None:
        text = profile_text(self.url) + (f"mode: {mode}\n" if mode else "")
        path = stack.data_dir / "shop-profile.yaml"
        path.write_text(text)
        stack.manage("profile", str(path), "--save")

    def world(self, run_id: str) -> dict[str, Any]:
        return self._backend("GET", f"/__worlds/{run_id}")

    def empty_world(self, run_id: str) -> None:
        self._backend("POST", "/__worlds", json={"world": run_id, "setup": {}})

    def _backend(self, method: str, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = httpx.request(method, self.url + path, headers=headers, trust_env=False, **body)
        assert answer.is_success, answer.text
        return answer.json()


KETTLE = {"sku": "whistling-kettle", "quantity": 1}
LANTERN = {"sku": "storm-lantern", "quantity": 1}
CHECKOUT_TASK = {
    "success_criteria": ["SC_CHECKOUT"],
    "setup": {"account": True, "cart": [KETTLE]},
    "expect": {"order": {"lines": [KETTLE]}},
}


class Visit:
    """One run of an agent in the shop, in a world of its own."""

    def __init__(self, agent: Agent, shop: Shop) -> None:
        self.agent = agent
        self.shop = shop
        self.run_id = ""

    def open(self, start: str = "/checkout/review/", *, path: str = "", **body: Any) -> None:
        wanted = {"start_url": self.shop.url + start, "task": CHECKOUT_TASK, **body}
        answer = self.agent.http.post(f"/runs{path}", json=wanted)
        assert answer.status_code == 201, answer.text
        self.run_id = self.agent.run_id = answer.json()["id"]

    def send(self, tool: str, *, turn: str = "", **params: Any) -> dict[str, Any]:
        """One tool call, over or waiting for a person when this returns."""
        return self._post({"tool": tool}, params, turn)

    def acts(self, action: str, *, turn: str = "", **params: Any) -> dict[str, Any]:
        """The same by the gym's name of an action."""
        return self._post({"action": action}, params, turn)

    def _post(self, call: dict[str, Any], params: dict[str, Any], turn: str) -> dict[str, Any]:
        self.agent.run_id = self.run_id
        answer = self.agent.post({**call, "params": params, **({"turn": turn} if turn else {})})
        assert answer.status_code in {200, 202}, answer.text
        return answer.json()

    def does(self, tool: str, **params: Any) -> dict[str, Any]:
        """The same where it must work."""
        answer = self.send(tool, **params)
        assert answer["status"] == "succeeded", answer
        return answer

    def goes_to(self, path: str, *, turn: str = "") -> None:
        self.does("browser_navigate", url=self.shop.url + path, turn=turn)

    def asks(self, words: str = "Shall I order it?") -> dict[str, Any]:
        return self.send("needs_confirmation", content=words)

    def says(self, *, turn: str = "") -> None:
        self.does("message_user", content="One moment.", turn=turn)

    def sees(self, target: str) -> dict[str, Any]:
        """The one element that a selector means, as the resolver describes it. It is a step."""
        call = {"tool": "browser_click", "params": {"target": target}, "dry_run": True}
        answer = self.agent.post(call).json()
        [found] = answer["match_confidence"]["candidates"]
        return found

    def ref_of(self, words: str) -> str:
        """The ref of the first line of a snapshot that holds these words."""
        text = self.does("browser_snapshot")["result"]["snapshot"]
        found = re.search(rf"{words}[^\n]*\[ref=(\w+)\]", text)
        assert found, text
        return found[1]

    def run(self) -> dict[str, Any]:
        return self.agent.http.get(f"/runs/{self.run_id}").json()

    @property
    def violation(self) -> str | None:
        return self.run()["confirmation"]["violation"]

    def finish(self) -> None:
        assert self.agent.http.post(f"/runs/{self.run_id}/finish").status_code == 200

    def verification(self) -> dict[str, Any]:
        answer = self.agent.http.get(f"/runs/{self.run_id}/verification")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def verdict(self) -> tuple[str, str | None]:
        """Status and failure code of the one verifier, once the run is over."""
        self.finish()
        [one] = self.verification()["verifiers"]
        return one["status"], one["failure_code"]

    @property
    def orders(self) -> list[dict[str, Any]]:
        return self.shop.world(self.run_id)["now"]["orders"]

    @property
    def cart(self) -> dict[str, int]:
        lines = self.shop.world(self.run_id)["now"]["cart"]
        return {line["sku"]: line["quantity"] for line in lines}
