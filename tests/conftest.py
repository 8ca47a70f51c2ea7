"""What every test may ask for: a database, and the whole product running for real."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Before Django reads its settings. Not below pytest's own folders: those are closed to the
# account that the embedded PostgreSQL runs under when the tests run as root.
_DATA = Path(tempfile.mkdtemp(prefix="pm-"))
os.environ["DATA_DIR"] = str(_DATA)
os.environ.pop("DATABASE_URL", None)
os.environ.pop("REDIS_URL", None)
# Playwright's sync API keeps a loop running in the tests' own thread.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

import pytest  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from core import engines  # noqa: E402
from core.chromium import find_chromium  # noqa: E402
from tests.support.site import Site  # noqa: E402
from tests.support.stack import Agent, Reviewer, Stack  # noqa: E402

HEADLESS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_unconfigure() -> None:
    shutil.rmtree(_DATA, ignore_errors=True)


@pytest.fixture(scope="session")
def _engines() -> Iterator[None]:
    engines.start_engines(_DATA)
    yield
    engines.stop_engines(_DATA)


@pytest.fixture(scope="session")
def django_db_setup(_engines, django_db_setup):
    """The database of tests that need no running product."""


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """Web, worker, beat, PostgreSQL and Valkey, as `manage.py run` starts them."""
    with Stack.started() as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The reviewers' own browser, apart from the runs' browsers."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=HEADLESS)
        yield browser
        browser.close()


@pytest.fixture
def site() -> Iterator[Site]:
    """A web site on a port of its own, made of the pages that a test gives it."""
    with Site.started() as running:
        yield running


@pytest.fixture
def gating(stack: Stack) -> Iterator[None]:
    """Uncertain actions go to a person while the test runs."""
    stack.manage("flags", "MATCH_CONFIDENCE_FORCE_PROPOSAL", "true")
    yield
    stack.manage("flags", "MATCH_CONFIDENCE_FORCE_PROPOSAL", "false")


@pytest.fixture
def agent(stack: Stack, site: Site) -> Iterator[Agent]:
    """An autonomous agent that may reach the test's site."""
    with stack.agent(tier="autonomous", hosts=[site.host]) as made:
        yield made


@pytest.fixture
def reviewer(stack: Stack, chromium: Browser) -> Iterator[Reviewer]:
    """A signed-in reviewer in front of the queue."""
    with stack.reviewer(chromium) as made:
        yield made


@pytest.fixture
def page(reviewer: Reviewer) -> Page:
    return reviewer.page
