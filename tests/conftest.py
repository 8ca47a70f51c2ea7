"""What every test may ask for: a database, and the whole product running for real."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from core import engines
from core.chromium import find_chromium
from tests.environment import DATA
from tests.support.decider import Decider
from tests.support.shop import Shop, Visit
from tests.support.site import Site
from tests.support.stack import Agent, Reviewer, Stack
from tests.support.yard import Yard

HEADLESS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the running product and of pages race clocks: a busy machine may be too slow for
    one. It is run once more, and pytest's summary says that it was."""
    for item in items:
        if item.get_closest_marker("stack") or "tests/pages/" in item.nodeid:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def _engines() -> Iterator[None]:
    engines.start_engines(DATA)
    yield
    engines.stop_engines(DATA)


@pytest.fixture(scope="session")
def django_db_setup(_engines, django_db_setup):
    """The database of tests that need no running product."""


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """Web, worker, beat, PostgreSQL and Valkey, as `manage.py run` starts them, gating in force."""
    with Stack.started(MATCH_CONFIDENCE_FORCE_PROPOSAL="true") as running:
        yield running


@pytest.fixture(scope="session")
def shop() -> Iterator[Shop]:
    """The demo shop, with worlds of their own for runs."""
    with Shop.started() as running:
        yield running


@pytest.fixture(scope="session")
def shop_stack(shop: Shop) -> Iterator[Stack]:
    """The whole product, watching over the shop and verifying tasks in it; nothing is gated."""
    with shop.stack() as running:
        yield running


@pytest.fixture
def visit(shop: Shop, shop_stack: Stack) -> Iterator[Visit]:
    """An autonomous agent that is about to open a run in the shop."""
    with shop_stack.agent(tier="autonomous", hosts=[shop.host]) as agent:
        yield Visit(agent, shop)


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


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    """A web site that counts for itself; the `bot` may reach it."""
    with Yard.started() as running:
        yield running


@pytest.fixture(scope="module")
def bot(stack: Stack, yard: Yard) -> Iterator[Agent]:
    """One autonomous agent for a whole file."""
    with stack.agent(tier="autonomous", hosts=yard.hosts) as made:
        yield made


@pytest.fixture(scope="module")
def decider(stack: Stack) -> Iterator[Decider]:
    """A signed-in reviewer who decides over the REST API."""
    with Decider.made(stack) as made:
        yield made


@pytest.fixture
def shadow(stack: Stack) -> Iterator[None]:
    """The default mode: uncertain actions go on while the test runs, and are only noted."""
    with stack.flag("MATCH_CONFIDENCE_FORCE_PROPOSAL", False):
        yield


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
