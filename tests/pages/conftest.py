"""The pages over a real server, database and queue, without workers: nothing acts on an approval.

Every test has a team of its own, so nothing has to be wiped between tests.
"""

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from agents.models import Person
from core import engines
from proposals.models import Proposal
from tests.pages.scenes import Scene, photograph
from tests.pages.seed import PASSWORD, Crew, hire
from tests.support.stack import ROOT, free_port, wait_until

DATABASE = "pages"
expect.set_options(timeout=15_000)  # generous: a busy machine is no failure
Result = TypeVar("Result")


class Rows:
    """Does database work in a thread of its own: Playwright keeps a loop running in the tests'."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)

    def do(self, work: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
        return self.begin(work, *args, **kwargs).result()

    def begin(self, work: Callable[..., Result], *args: Any, **kwargs: Any) -> Future[Result]:
        """The same without waiting for it."""
        return self._thread.submit(work, *args, **kwargs)

    def fresh(self, proposal: Proposal) -> Proposal:
        return self.do(lambda: Proposal.objects.get(pk=proposal.pk))

    def decisions(self, proposal: Proposal) -> list[tuple[str, str, str, dict[str, Any]]]:
        fields = ("person__username", "verb", "reason", "modifications")
        return self.do(lambda: list(proposal.decisions.values_list(*fields)))


@pytest.fixture(scope="package")
def rows(_engines: None, django_db_blocker: Any) -> Iterator[Rows]:
    """Rows in a database of the pages' own."""
    rows = Rows()
    former = connection.settings_dict["NAME"]
    with django_db_blocker.unblock():
        _create_database()
        rows.do(_move_to, DATABASE)
        rows.do(call_command, "migrate", verbosity=0)
        yield rows
        rows.do(_move_to, former)


def _create_database() -> None:
    url = engines.database_url(settings.DATA_DIR, name="postgres")
    with psycopg.connect(url, autocommit=True) as administration:
        administration.execute(f'CREATE DATABASE "{DATABASE}"')


def _move_to(name: str) -> None:
    connection.close()
    connection.close_pool()
    connection.settings_dict["NAME"] = name


@dataclass(frozen=True)
class Web:
    url: str
    log: Path


@pytest.fixture(scope="package")
def web(rows: Rows, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The web process alone."""
    port = free_port()
    log = tmp_path_factory.mktemp("web") / "web.log"
    manner = ["--no-access-log", "--no-proxy-headers", "--lifespan", "off"]
    database = engines.database_url(settings.DATA_DIR, name=DATABASE)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                *[sys.executable, "-m", "uvicorn", "config.asgi:application"],
                *["--port", str(port), "--ws", "websockets-sansio", *manner],
            ],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": database, "PORT": str(port)},
            stdout=output,
            stderr=output,
        )
    web = Web(f"http://127.0.0.1:{port}", log)
    try:
        wait_until(lambda: _answers(web.url), 30, log.read_text)
        yield web
    finally:
        process.terminate()
        process.wait(10)


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/sign-in", trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.fixture(scope="session")
def scenes(chromium: Browser) -> dict[str, Scene]:
    return photograph(chromium)


@pytest.fixture
def crew(rows: Rows, scenes: dict[str, Scene]) -> Crew:
    """Two reviewers and four agents, in a team that nobody else is in."""
    mark = uuid.uuid4().hex[:6]
    return rows.do(hire, scenes, team=f"team-{mark}", suffix=f"-{mark}")


@pytest.fixture
def cy(rows: Rows, scenes: dict[str, Scene]) -> Person:
    """A reviewer of another team."""
    mark = uuid.uuid4().hex[:6]
    return rows.do(hire, scenes, team=f"team-{mark}", suffix=f"-{mark}").anna


@dataclass
class Desk:
    """A signed-in person's browser, and everything it complained about."""

    page: Page
    complaints: list[str]

    def open(self, proposal: Proposal) -> None:
        self.page.goto(f"/proposals/{proposal.pk}")
        self.page.locator("[data-card]").wait_for()

    def is_live(self) -> None:
        """Wait until hints can arrive."""
        self.page.locator("[data-line][data-state=live]").wait_for(state="attached")

    def row(self, proposal: Proposal) -> Any:
        return self.page.locator(f"[data-row='{proposal.pk}']")

    @property
    def card(self) -> Any:
        return self.page.locator("[data-card]")

    @property
    def approve(self) -> Any:
        return self.page.locator("[data-approve]")


OpenDesk = Callable[..., Desk]


@pytest.fixture
def open_desk(web: Web, chromium: Browser) -> Iterator[OpenDesk]:
    """Signs somebody in, in a browser of their own; nothing may be in its console at the end."""
    opened: list[tuple[BrowserContext, list[str]]] = []

    def sign_in(
        person: Person, *, width: int = 1440, height: int = 900, quiet: bool = True, **options: Any
    ) -> Desk:
        context = chromium.new_context(
            base_url=web.url, viewport={"width": width, "height": height}, **options
        )
        page = context.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.extend(_complaint(message)))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.extend(_stranger(request.url, web.url)))
        opened.append((context, complaints if quiet else []))
        page.goto("/sign-in")
        page.get_by_label("Username").fill(person.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{web.url}/")
        return Desk(page, complaints)

    yield sign_in
    for context, complaints in opened:
        context.close()
        assert not complaints, complaints


def _complaint(message: ConsoleMessage) -> list[str]:
    return [message.text] if message.type in {"error", "warning"} else []


def _stranger(url: str, home: str) -> list[str]:
    host = re.sub(r"^http", "(http|ws)", re.escape(home))
    return [] if re.match(f"{host}|data:|blob:", url) else [f"asked somebody else: {url}"]
