"""The whole product as a test sees it: started for real, spoken to from outside."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
from playwright.sync_api import Browser, Locator, Page

from core import engines
from tests.support import people

ROOT = Path(__file__).resolve().parents[2]
READY_WITHIN_S = 60
FLAGS_FRESH_S = 0.6
SHORT = {"LEASE_SECONDS": "12", "WORKER_CONCURRENCY": "2", "LOG_LEVEL": "WARNING"}


class Stack:
    """One running Pointsman with a DATA_DIR and a port of its own."""

    def __init__(self, data_dir: Path, port: int, **settings: str) -> None:
        self.data_dir = data_dir
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.api_url = f"{self.url}/api/v1"
        kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
        self.environment = {
            **kept,
            **SHORT,
            **settings,
            "DATA_DIR": str(data_dir),
            "PORT": str(port),
        }
        self.process: subprocess.Popen[bytes] | None = None

    @classmethod
    @contextlib.contextmanager
    def started(cls, **settings: str) -> Iterator["Stack"]:
        stack = cls(Path(tempfile.mkdtemp(prefix="pm-")), free_port(), **settings)
        try:
            stack.start()
            yield stack
        finally:
            stack.stop()
            shutil.rmtree(stack.data_dir, ignore_errors=True)

    def start(self) -> None:
        self.log = self.data_dir / "stack.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "run"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_until(self._is_ready, READY_WITHIN_S, lambda: self.log.read_text()[-3000:])

    def _is_ready(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200
        return False

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def manage(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            said = done.stdout + done.stderr
            raise AssertionError(f"{words} ended with {done.returncode}: {said}")
        return done.stdout

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Straight into the database, as the owner of its tables."""
        url = engines.database_url(self.data_dir)
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    @contextlib.contextmanager
    def flag(self, name: str, value: Any) -> Iterator[None]:
        """An admin's override while the test runs; every process has read it when it begins."""
        self.sql(people.FLAG, name, json.dumps(value))
        time.sleep(FLAGS_FRESH_S)
        try:
            yield
        finally:
            self.sql("DELETE FROM confidence_flagoverride WHERE name = %s", name)
            time.sleep(FLAGS_FRESH_S)

    @contextlib.contextmanager
    def agent(
        self, *, tier: str, hosts: list[str], gating: str = "follow", team: str = "default"
    ) -> Iterator["Agent"]:
        name = f"bot-{uuid.uuid4().hex[:8]}"
        agent_id, key = people.add_agent(
            self.sql, name, tier=tier, hosts=hosts, gating=gating, team=team
        )
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=self.api_url, headers=headers, timeout=90) as client:
            agent = Agent(agent_id, name, key, client)
            yield agent
            agent.finish_all()

    @contextlib.contextmanager
    def reviewer(
        self, chromium: Browser, *, role: str = "reviewer", team: str = "default"
    ) -> Iterator["Reviewer"]:
        name = f"reviewer-{uuid.uuid4().hex[:8]}"
        password = people.add_person(self.sql, name, role=role, team=team)
        context = chromium.new_context(base_url=self.url, viewport={"width": 1440, "height": 900})
        page = context.new_page()
        reviewer = Reviewer(name, password, page)
        reviewer.sign_in()
        yield reviewer
        context.close()

    def worker_pids(self) -> list[int]:
        """Every process of the Celery worker, the children that do the work included."""
        found = []
        for process in psutil.Process(self.process.pid if self.process else 0).children(True):
            with contextlib.suppress(psutil.Error):
                words = process.cmdline()
                if "worker" in words and any("celery" in word for word in words):
                    found.append(process.pid)
        return found

    def kill_worker(self) -> None:
        """kill -9, as a crash or the kernel would."""
        for pid in self.worker_pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@dataclass
class Agent:
    """An agent developer's side: nothing but the REST API."""

    id: str
    name: str
    key: str
    http: httpx.Client
    run_id: str = ""

    def open_run(self, start_url: str) -> dict[str, Any]:
        answer = self.http.post("/runs", json={"start_url": start_url})
        assert answer.status_code == 201, answer.text
        self.run_id = answer.json()["id"]
        return answer.json()

    def send(self, tool: str, **params: Any) -> httpx.Response:
        return self.post({"tool": tool, "params": params})

    def post(self, body: Any) -> httpx.Response:
        return self.http.post(f"/runs/{self.run_id}/actions", json=body)

    def poll(self, action_id: str, wait_s: float = 30) -> dict[str, Any]:
        return self.http.get(f"/actions/{action_id}", params={"wait_s": wait_s}).json()

    def put_file(self, name: str, content: bytes) -> httpx.Response:
        return self.http.put(f"/runs/{self.run_id}/files/{name}", content=content)

    def texts(self, target: str) -> list[str]:
        """What the page itself shows there."""
        answer = self.send("browser_extract_text", target=target).json()
        assert answer["status"] == "succeeded", answer
        return answer["result"]["texts"]

    def finish_all(self) -> None:
        if self.run_id:
            self.http.post(f"/runs/{self.run_id}/finish")


@dataclass
class Reviewer:
    """A person in front of the desk, in a browser of their own."""

    name: str
    password: str
    page: Page

    def sign_in(self) -> None:
        self.page.goto("/sign-in")
        self.page.get_by_label("Username").fill(self.name)
        self.page.get_by_label("Password").fill(self.password)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/")

    def card(self, proposal_id: str) -> Locator:
        return self.page.locator(f"[data-card='{proposal_id}']")

    def open_card(self, proposal_id: str) -> Locator:
        self.page.goto(f"/proposals/{proposal_id}")
        card = self.card(proposal_id)
        card.wait_for()
        return card


def wait_until(holds: Any, within_s: float, otherwise: Any = lambda: "") -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"It did not happen within {within_s} s. {otherwise()}")
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
