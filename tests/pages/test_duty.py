"""Open desks are people on duty: agents and admins are told when there is none."""

from datetime import timedelta

import httpx
from playwright.sync_api import expect

from agents.models import AgentRegistry, Person, Team
from agents.services import create_key
from core import clock
from proposals.models import Proposal
from tests.pages.conftest import OpenDesk, Rows, Web
from tests.pages.seed import Crew
from tests.pages.test_every_page import assert_no_violation
from tests.pages.test_queue import LISTEN
from tests.support.stack import wait_until
from webhooks import escalations


def test_the_agent_hears_whether_a_desk_is_open(
    rows: Rows, crew: Crew, open_desk: OpenDesk, web: Web
) -> None:
    asked = rows.do(crew.ask, "two")
    key = rows.do(create_key, crew.agents["checkout-bot"])

    def on_duty(path: str = f"/api/v1/actions/{asked.action_id}") -> bool:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.get(web.url + path, headers=headers).json()["on_duty"]

    assert on_duty() is False
    desk = open_desk(crew.anna)
    desk.is_live()
    assert on_duty() is True
    assert on_duty(f"/api/v1/proposals/{asked.pk}") is True
    desk.page.goto("/runs")  # the desk is closed
    wait_until(lambda: on_duty() is False, 10)


def test_an_admin_reads_which_teams_nobody_watches(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    def elsewhere() -> Team:
        team = Team.objects.create(name=f"night shift {crew.anna.username}")
        AgentRegistry.objects.create(name=team.name).teams.add(team)
        Person.objects.filter(pk=crew.ben.pk).update(role="admin")
        crew.anna.teams.add(team)
        return team

    team = rows.do(elsewhere)
    admins = open_desk(crew.ben)
    line = admins.page.locator("[data-unattended-words]")
    expect(line).to_contain_text(team.name)
    expect(line).to_contain_text("Nobody is on duty for")
    assert_no_violation(admins.page)
    admins.page.goto("/settings/teams")
    row = admins.page.get_by_role("row").filter(has_text=team.name)
    expect(row.locator("[data-label='On duty now']")).to_have_text("nobody")
    assert_no_violation(admins.page)
    annas = open_desk(crew.anna)
    annas.is_live()
    expect(annas.page.locator("[data-unattended-words]")).to_be_hidden()  # a reviewer
    admins.page.reload()
    expect(row.locator("[data-label='On duty now']")).to_have_text("1")
    admins.page.goto("/")
    expect(line).not_to_contain_text(team.name)


def test_a_card_that_waits_too_long_calls_once_more(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.page.add_init_script(LISTEN)
    desk.page.goto("/")
    desk.is_live()
    desk.page.locator("summary").filter(has_text="Alerts").click()
    with desk.page.expect_response("**/queue/alerts"):
        desk.page.get_by_label("Play a sound").check()
    rung = desk.page.evaluate("rung")
    now = clock.now()
    old = {"created_at": now - timedelta(minutes=11), "expires_at": now + timedelta(minutes=4)}
    rows.do(lambda: Proposal.objects.filter(pk=asked.pk).update(**old))
    assert asked.pk in rows.do(escalations.escalate_due)
    expect(desk.page.locator("[data-announcer]")).to_contain_text("A card still waits")
    assert desk.page.evaluate("rung") > rung
