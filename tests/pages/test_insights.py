"""The insights page in a real browser: drawn under the strict policy, readable without drawing."""

import pytest
from playwright.sync_api import expect

from agents.models import AgentRegistry, Person
from core import clock
from proposals import services
from proposals.models import Decision
from runs.models import WrongTargetReport
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import Crew
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.support.history import add_acts, add_tiebreaks, noon

CHARTS = 7
NAMED, SITE = (
    "role=button[name='Add the gift card to this order']",
    "www.sprigandstone.example:8443",
)
OPEN_ALL = "each => each.forEach((fold) => { fold.open = true; })"
# Whether somebody drew anything on the canvas.
IS_DRAWN = """canvas => canvas.getContext('2d')
  .getImageData(0, 0, canvas.width, canvas.height).data.some((part) => part > 0)"""


@pytest.fixture
def bot(rows: Rows, crew: Crew) -> AgentRegistry:
    """An agent of the crew's team with a past of three weeks."""
    return rows.do(_with_a_past, crew)


def _with_a_past(crew: Crew) -> AgentRegistry:
    bot = crew.agents["price-watch"]
    for ago in range(1, 21):
        acts = add_acts(
            bot,
            days_ago=ago,
            high=40 - ago,
            partial=ago,
            ambiguous=3,
            added_ms=ago,
            params={"target": NAMED},
            page_host=SITE,
            acting_at=noon(ago),
        )
        add_tiebreaks(bot, picked=ago, undecided=2, cost_usd="0.0004", days_ago=ago)
        WrongTargetReport.objects.create(
            action=acts[-1],
            person=crew.anna,
            level="ambiguous",
            target=NAMED,
            host=SITE,
            created_at=noon(ago),
        )
    for person, pick in ((crew.anna, 0), (crew.ben, 1), (crew.anna, 0)):
        _decided(crew, person, pick)
    return bot


def _decided(crew: Crew, person: Person, pick: int) -> None:
    asked = crew.ask("undecided")
    for index, candidate in enumerate(asked.match_confidence["candidates"]):
        candidate["fingerprint"] = f"print-{index}"  # photographed pages have none
    asked.save(update_fields=["match_confidence"])
    services.approve(asked.id, person=person, version=1, chosen_index=pick)
    Decision.objects.filter(proposal=asked).update(created_at=clock.now(), elapsed_ms=9000)


def settled(desk: Desk) -> None:
    expect(desk.page.locator("[data-plot] canvas")).to_have_count(CHARTS)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, bot: AgentRegistry, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna, color_scheme=theme)
    desk.page.goto("/insights")
    settled(desk)
    assert_no_violation(desk.page)
    desk.page.locator(".chart details").evaluate_all(OPEN_ALL)
    assert_no_violation(desk.page)


def test_nothing_is_cut_at_any_width(bot: AgentRegistry, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna)
    desk.page.goto("/insights?days=90")
    settled(desk)
    for width in (1440, 768, 360):
        desk.page.set_viewport_size({"width": width, "height": 800})
        plot = desk.page.locator("[data-plot]").first
        expect(plot.locator("canvas")).to_have_css("width", f"{plot.bounding_box()['width']:g}px")
        assert_nothing_sticks_out(desk.page)


def test_every_chart_is_drawn_and_has_its_table(
    bot: AgentRegistry, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    desk.page.goto("/insights?days=7")
    settled(desk)
    for canvas in desk.page.locator("[data-plot] canvas").all():
        assert canvas.evaluate(IS_DRAWN)
    volume = desk.page.locator(".chart").first
    expect(volume.locator("table")).to_be_hidden()
    volume.get_by_text("Table").focus()
    desk.page.keyboard.press("Enter")
    yesterday = volume.locator("tbody tr").nth(1)
    expect(yesterday.locator("td")).to_have_text(["39", "1", "3"])
    volume.locator(".u-over").hover()
    expect(volume.locator("[data-readout]")).to_contain_text("clear 3")


def test_calls_that_come_back_lead_to_their_card(
    bot: AgentRegistry, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    waits = rows.do(crew.ask, "undecided")
    desk = open_desk(crew.anna)
    desk.page.goto("/insights")
    expect(desk.page.get_by_text("all picked the same element")).to_contain_text("0 of 1")
    row = desk.page.get_by_role("row").filter(has_text="text=Submit order").first
    expect(row).to_contain_text("4")
    row.get_by_role("link").click()
    desk.page.wait_for_url(f"**/proposals/{waits.pk}")
