"""A question of an agent on the desk and on its run's page, by keyboard and in words."""

import pytest
from playwright.sync_api import Page, expect

from agents.models import AgentRegistry, Person
from proposals import services
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.screens import admin_of
from tests.pages.seed import Crew, run_that_asks, run_with_a_broken_seal
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out

NOT_TAKEN = "This was not taken as a yes: nothing was confirmed."


@pytest.fixture
def ada(rows: Rows, crew: Crew) -> Person:
    return rows.do(admin_of, crew)


def reply_box(page: Page):
    return page.get_by_label("Answer in your own words")


def send(page: Page, words: str) -> None:
    reply_box(page).fill(words)
    page.get_by_role("button", name="Send the answer").press("Enter")


def test_a_yes_by_keyboard_takes_a_deliberate_second_act(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "question")
    desk = open_desk(crew.anna)
    desk.open(asked)
    expect(desk.approve).to_have_text("Yes, it may a")
    expect(desk.approve).to_be_disabled()
    desk.page.keyboard.press("a")
    assert rows.fresh(asked).status == "pending"
    desk.page.keyboard.type("approve")
    desk.page.keyboard.press("Enter")
    expect(desk.card.locator("[data-verdict]")).to_contain_text("You said yes")
    assert rows.decisions(asked) == [(crew.anna.username, "approve", "", {})]


def test_a_no_by_keyboard_has_reasons_of_its_own(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "question")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.page.keyboard.press("r")
    expect(desk.page.get_by_role("button", name="Wrong element")).to_have_count(0)
    desk.page.get_by_role("button", name="Not now").press("Enter")
    desk.page.get_by_role("button", name="Say no with this reason").press("Enter")
    expect(desk.card.locator("[data-verdict]")).to_contain_text("You said no")
    assert rows.decisions(asked)[0][1:3] == ("reject", "Not now")


def test_words_that_are_no_yes_stay_and_are_said_in_place(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked, newer = rows.do(crew.ask, "question"), rows.do(crew.ask, "question")
    desk = open_desk(crew.anna, quiet=False)  # the refusal is a 422
    desk.open(asked)
    send(desk.page, "yes, but not the towels")
    notice = desk.page.locator(".reply [data-notice]")
    expect(notice).to_contain_text("nothing was confirmed")
    expect(notice).to_be_in_viewport()
    expect(reply_box(desk.page)).to_have_value("yes, but not the towels")
    assert rows.fresh(asked).status == "pending"
    assert_no_violation(desk.page)
    send(desk.page, "Yes, go ahead")
    expect(desk.card.locator("[data-verdict]")).to_contain_text("You said yes")
    assert rows.decisions(asked)[0][1:3] == ("approve", "Yes, go ahead")
    assert rows.fresh(newer).status == "pending"


def test_half_an_answer_outlives_what_others_do_to_the_card(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "question")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.is_live()
    reply_box(desk.page).fill("Yes, if")
    rows.do(lambda: services.say(asked.pk, person=crew.ben, text="Which towels?"))
    expect(desk.card.locator("[data-part=messages]")).to_contain_text("Which towels?")
    expect(reply_box(desk.page)).to_have_value("Yes, if")


def test_a_question_that_somebody_else_answered_says_so(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "question")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.is_live()
    rows.do(lambda: services.approve(asked.pk, person=crew.ben, version=1))
    said = desk.card.locator("[data-verdict]")
    expect(said).to_contain_text(f"{crew.ben.username} said yes")
    expect(reply_box(desk.page)).to_have_count(0)


def test_rows_are_tagged_as_questions(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "question")
    desk = open_desk(crew.anna)
    desk.page.goto("/")
    expect(desk.row(asked)).to_contain_text("question")
    expect(desk.row(asked)).to_contain_text("Asks")


def test_an_answer_on_the_runs_page(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    run = rows.do(run_that_asks, crew)
    desk = open_desk(crew.anna, quiet=False)  # the refusal is a 422
    desk.page.goto(f"/runs/{run.pk}")
    send(desk.page, "not yet")
    expect(desk.page.locator(".question .notice")).to_contain_text("nothing was confirmed")
    expect(reply_box(desk.page)).to_have_value("not yet")
    assert_no_violation(desk.page)
    send(desk.page, "yes")
    expect(desk.page.get_by_role("status")).to_contain_text(["The agent may go on.", ""])
    expect(reply_box(desk.page)).to_have_count(0)
    expect(desk.page.locator(".step-review")).to_contain_text("said yes")


def test_the_seal_leads_to_the_step_that_broke_it(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    run = rows.do(run_with_a_broken_seal, crew)
    desk = open_desk(crew.anna)
    desk.page.goto(f"/runs/{run.pk}")
    desk.page.get_by_role("link", name="Step 5 broke it").press("Enter")
    broken = desk.page.locator("#step-5")
    expect(broken).to_be_in_viewport()
    expect(broken).to_contain_text("This broke the seal for good")
    expect(desk.page.locator(".step-broke")).to_have_count(1)
    expect(desk.page.locator("#step-3")).to_contain_text("asked 2 steps ago on")


def test_an_agents_mode_is_set_by_keyboard(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    bot = crew.agents["checkout-bot"]
    desk = open_desk(ada)
    desk.page.goto(f"/agents/{bot.pk}")
    desk.page.get_by_role("radio", name="block").focus()
    desk.page.keyboard.press("Space")
    desk.page.get_by_role("button", name="Save confirmations").press("Enter")
    expect(
        desk.page.get_by_text("set confirmations from as the others say to block")
    ).to_be_visible()
    held = rows.do(lambda: AgentRegistry.objects.get(pk=bot.pk))
    assert held.confirmation_mode == "block"


def test_the_scoreboard_leads_to_the_runs(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    run = rows.do(run_with_a_broken_seal, crew)
    desk = open_desk(crew.anna)
    desk.page.goto("/agents")
    desk.page.get_by_role("link", name="Scoreboard").press("Enter")
    line = desk.page.get_by_role("row").filter(has_text=crew.agents["checkout-bot"].name)
    expect(line).to_contain_text("100.0%")
    line.get_by_role("link", name="1").last.press("Enter")
    expect(desk.page.get_by_role("link", name=run.label)).to_be_visible()


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_on_the_agent_and_the_flags(
    theme: str, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    desk: Desk = open_desk(ada, color_scheme=theme, width=360)
    desk.page.goto(f"/agents/{crew.agents['checkout-bot'].pk}")
    assert_no_violation(desk.page)
    desk.page.goto("/settings/flags")
    desk.page.locator("#CONFIRMATION_MODE summary").click()
    expect(desk.page.locator("#CONFIRMATION_MODE").get_by_label("latch")).to_be_checked()
    assert_no_violation(desk.page)
    assert_nothing_sticks_out(desk.page)
    desk.page.locator("#CONFIRMATION_MODE").screenshot(path=f"/tmp/seal/flag-{theme}.png")
