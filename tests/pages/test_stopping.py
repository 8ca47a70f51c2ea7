"""From a card and from a run's page: pause the agent, kill the run."""

from typing import Any

import httpx
import pytest
from django.http import HttpResponse
from django.test import Client
from playwright.sync_api import Page, expect

from agents.models import AgentRegistry, Person
from agents.services import create_key
from audit.models import BrowserAudit
from runs.models import Action, Run
from tests.pages.conftest import Desk, OpenDesk, Rows, Web
from tests.pages.seed import Crew, run_with_steps
from tests.pages.test_every_page import (
    THEMES,
    assert_no_violation,
    assert_nothing_sticks_out,
)
from tests.support.clients import HOME, client_of


def open_menu(desk: Desk) -> None:
    desk.page.get_by_label("More to do with this card").press("Enter")


def tab_to(page: Page, words: str) -> None:
    """By keyboard alone."""
    for _ in range(12):
        page.keyboard.press("Tab")
        if words in (page.evaluate("document.activeElement.innerText") or ""):
            return
    raise AssertionError(f"{words!r} was not reached by Tab")


def run_of(rows: Rows, run_id: Any) -> Run:
    return rows.do(lambda: Run.objects.get(pk=run_id))


def post(rows: Rows, person: Person | None, path: str) -> HttpResponse:
    client = lambda: client_of(person) if person else Client(**HOME)  # noqa: E731
    return rows.do(lambda: client().post(path, {"why": "no"}))


def test_a_run_is_killed_by_keyboard_and_others_read_so_on_their_open_card(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    bens = open_desk(crew.ben)
    bens.open(asked)
    bens.is_live()
    annas = open_desk(crew.anna)
    annas.open(asked)
    open_menu(annas)
    tab_to(annas.page, "Kill the run…")
    expect(annas.page.get_by_role("button", name="Kill this run")).to_be_hidden()
    annas.page.keyboard.press("Enter")
    assert run_of(rows, asked.run_id).status == "open"  # the first act does nothing yet
    annas.page.keyboard.press("Tab")
    annas.page.keyboard.type("it left the shop <b>\u202e")
    annas.page.keyboard.press("Enter")
    annas.page.wait_for_url(f"**/runs/{asked.run_id}")
    words = f"{crew.anna.username} killed this run: it left the shop <b>⟦U+202E⟧."
    expect(annas.page.locator(".run-head")).to_contain_text(words)
    expect(annas.page.locator(".run-head")).to_contain_text("killed")
    expect(annas.page.get_by_text("Kill the run…")).to_have_count(0)
    expect(bens.card).to_have_attribute("data-status", "cancelled")
    expect(bens.card).to_contain_text(words)
    killed = run_of(rows, asked.run_id)
    assert (killed.status, killed.error["by"]) == ("killed", crew.anna.username)
    assert rows.do(lambda: Action.objects.get(pk=asked.action_id).error["code"]) == "cancelled"


def test_a_paused_agent_is_seen_on_open_cards_and_its_calls_are_refused(
    rows: Rows, crew: Crew, open_desk: OpenDesk, web: Web
) -> None:
    asked = rows.do(crew.ask, "two")
    bot = crew.agents["checkout-bot"]
    bens = open_desk(crew.ben)
    bens.open(asked)
    bens.is_live()
    bens.page.keyboard.press("r")
    bens.page.keyboard.type("half a reas")
    annas = open_desk(crew.anna)
    annas.open(asked)
    open_menu(annas)
    tab_to(annas.page, "Pause the agent")
    annas.page.keyboard.press("Enter")
    annas.page.wait_for_url(f"**/proposals/{asked.pk}")
    expect(annas.card.locator(".card-meta")).to_contain_text("paused")
    expect(bens.card.locator(".card-meta")).to_contain_text("paused")
    bens.page.keyboard.type("on")
    expect(bens.page.locator("[data-reason]")).to_have_value("half a reason")
    with httpx.Client(base_url=web.url, headers=bearer(rows, bot)) as agent:
        path = f"/api/v1/runs/{asked.run_id}/actions"
        body = {"tool": "browser_snapshot"}
        refused = agent.post(path, json=body)
        assert (refused.status_code, refused.json()["code"]) == (403, "agent_paused")
        assert refused.json()["retryable"] is True
        assert agent.get("/api/v1/whoami").json()["status"] == "paused"
        annas.page.goto(f"/runs/{asked.run_id}")
        expect(annas.page.locator(".run-facts")).to_contain_text("paused")
        annas.page.get_by_role("button", name="Resume the agent").click()
        expect(annas.page.get_by_role("button", name="Pause the agent")).to_be_visible()
        assert agent.post(path, json={**body, "wait_s": 0}).status_code == 202
    by = rows.do(
        lambda: list(
            BrowserAudit.objects.filter(agent_id=bot.pk, verb__in=["agent.pause", "agent.resume"])
            .order_by("id")
            .values_list("verb", "actor_name")
        )
    )
    anna = crew.anna.username
    assert by == [("agent.pause", anna), ("agent.resume", anna)]


def bearer(rows: Rows, agent: AgentRegistry) -> dict[str, str]:
    return {"Authorization": f"Bearer {rows.do(create_key, agent)}"}


def test_who_may_neither_pause_nor_kill(rows: Rows, crew: Crew, cy: Person) -> None:
    asked = rows.do(crew.ask, "two")
    agent = f"/agents/{asked.agent_id}"
    paths = (f"{agent}/pause", f"{agent}/resume", f"/runs/{asked.run_id}/kill")
    for path in paths:
        assert post(rows, cy, path).status_code == 404, path
        assert post(rows, None, path).status_code == 302, path
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="auditor"))
    for path in paths:
        assert post(rows, crew.ben, path).status_code == 403, path
    page = rows.do(lambda: client_of(crew.ben).get(f"/proposals/{asked.pk}")).content.decode()
    assert "/kill" not in page
    assert "/pause" not in page
    assert run_of(rows, asked.run_id).status == "open"


def test_what_an_admin_stopped_a_reviewer_does_not_resume(rows: Rows, crew: Crew) -> None:
    bot = crew.agents["checkout-bot"]
    rows.do(lambda: AgentRegistry.objects.filter(pk=bot.pk).update(status="stopped"))
    assert post(rows, crew.anna, f"/agents/{bot.pk}/resume").status_code == 403
    assert rows.do(lambda: AgentRegistry.objects.get(pk=bot.pk).status) == "stopped"


def test_nobody_is_sent_to_another_site(rows: Rows, crew: Crew) -> None:
    bot = crew.agents["checkout-bot"]
    for place in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        answer = rows.do(
            lambda place=place: client_of(crew.anna).post(
                f"/agents/{bot.pk}/pause", {"next": place}
            )
        )
        assert answer["Location"] == f"/agents/{bot.pk}"


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_the_open_menus(
    theme: str, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    run = rows.do(run_with_steps, crew)
    for width in (360, 1440):
        desk = open_desk(crew.anna, color_scheme=theme, width=width)
        desk.open(rows.do(crew.ask, "irreversible"))
        open_menu(desk)
        for fold in desk.page.locator(".card-acts details > summary").all():
            fold.click()
            assert_no_violation(desk.page)
            assert_nothing_sticks_out(desk.page)
        desk.page.goto(f"/runs/{run.pk}")
        desk.page.get_by_text("Kill the run…").click()
        assert_no_violation(desk.page)
        assert_nothing_sticks_out(desk.page)
