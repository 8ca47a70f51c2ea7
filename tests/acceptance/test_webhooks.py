"""Webhooks out of the running product: set up by hand, sent by real workers, in nobody's way."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.hook import Hook, Reply
from tests.support.site import Site
from tests.support.stack import Agent, Reviewer, Stack, wait_until

pytestmark = pytest.mark.stack
PAGE = "<title>Shop</title><h1>Shop</h1><button id=buy>Buy</button>"
TIMEOUT_S = 20  # a busy machine is slow too; only a receiver can hold something up so long


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack.started(
        MATCH_CONFIDENCE_FORCE_PROPOSAL="true",
        WEBHOOKS_ALLOW_PRIVATE="true",
        WEBHOOKS_TIMEOUT_S=str(TIMEOUT_S),
    ) as running:
        yield running


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook.started() as running:
        yield running


@pytest.fixture
def admin(stack: Stack, chromium: Browser) -> Iterator[Reviewer]:
    with stack.reviewer(chromium, role="admin") as made:
        yield made


@pytest.fixture
def secret(hook: Hook, admin: Reviewer, stack: Stack) -> Iterator[str]:
    """Of an endpoint that an admin set up on the page."""
    page = admin.page
    page.goto("/settings/webhooks/new")
    page.get_by_label("Address").fill(hook.url)
    for event in ("proposal.created", "proposal.decided", "action.finished"):
        page.get_by_role("checkbox", name=event).check()
    page.get_by_role("button", name="Add it").click()
    yield page.locator("[data-copy-text]").inner_text()
    stack.sql("DELETE FROM webhooks_delivery")
    stack.sql("DELETE FROM webhooks_endpoint")


@pytest.fixture
def opened(agent: Agent, site: Site) -> Agent:
    agent.open_run(site.page(PAGE))
    return agent


def arrived(hook: Hook, secret: str) -> list[dict]:
    return [one.verified(secret) for one in hook.received]


def test_an_action_is_told_to_the_receiver(hook: Hook, secret: str, opened: Agent) -> None:
    acted = opened.send("browser_click", target="#buy").json()
    wait_until(lambda: hook.received, 30)
    said = arrived(hook, secret)[0]
    assert said["type"] == "action.finished"
    assert said["data"]["action_id"] == acted["action_id"]
    assert (said["data"]["status"], said["data"]["agent"]) == ("succeeded", opened.name)


def test_a_dead_receiver_slows_no_action_down(hook: Hook, secret: str, opened: Agent) -> None:
    opened.send("browser_click", target="#buy")
    wait_until(lambda: hook.received, 30)
    hook.will(Reply(wait_s=TIMEOUT_S + 5))
    took = []
    for _ in range(8):
        began = time.monotonic()
        answer = opened.send("browser_click", target="#buy").json()
        assert answer["status"] == "succeeded", answer
        took.append(time.monotonic() - began)
    assert max(took) < TIMEOUT_S / 2, took
    assert sum(took) < TIMEOUT_S * 2, took


def test_what_a_killed_worker_was_sending_is_sent_again(
    hook: Hook, secret: str, opened: Agent, stack: Stack
) -> None:
    hook.will(Reply(wait_s=TIMEOUT_S - 1), Reply())
    opened.send("browser_click", target="#buy")
    wait_until(lambda: hook.received, 30)
    stack.kill_worker()
    wait_until(lambda: len(hook.received) > 1, 120)
    first, second = arrived(hook, secret)[:2]
    assert first == second
    assert hook.received[0].id == hook.received[1].id
    wait_until(lambda: _statuses(stack) == {"delivered"}, 30)


def _statuses(stack: Stack) -> set[str]:
    return {row[0] for row in stack.sql("SELECT status FROM webhooks_delivery")}
