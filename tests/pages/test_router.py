"""The router playground: a prompt tried by keyboard, told step by step, sent on as a link."""

from urllib.parse import urlencode

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from agents.models import Person
from routing.views import EXAMPLES
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out
from tests.support.clients import HOME, client_of

HARD = "user: refactor the whole dispatch layer\nagent: I would split it."


def assert_decided(page: Page, target: str, rule: str, inner_rule: str = "") -> None:
    expect(page.locator("[data-target]")).to_have_text(target)
    expect(page.locator("[data-rule]")).to_have_text(rule)
    expect(page.locator("[data-inner-rule]")).to_have_count(1 if inner_rule else 0)
    if inner_rule:
        expect(page.locator("[data-inner-rule]")).to_have_text(inner_rule)


def test_a_prompt_is_tried_by_keyboard_and_every_step_told(crew: Crew, open_desk: OpenDesk) -> None:
    page = open_desk(crew.anna).page
    page.get_by_role("link", name="Router").first.press("Enter")
    page.get_by_label("Prompt").fill("yes, go ahead")
    page.get_by_label("What was said before it").fill(HARD)
    page.get_by_role("button", name="Route it").press("Enter")
    assert_decided(page, "escalate", "confirmation", "hard_threshold")
    expect(page.locator("[data-resolved]")).to_have_text("refactor the whole dispatch layer")
    steps = page.locator(".router-step")
    expect(steps).to_have_count(5)
    expect(page.locator("[data-settles]")).to_contain_text("says “refactor”")
    page.get_by_label("Prompt").fill("yes, but don't")
    page.get_by_role("button", name="Route it").click()
    assert_decided(page, "local", "hard_threshold")
    expect(page.locator(".facts")).to_contain_text("taken back")


def test_a_link_shows_another_person_the_same(crew: Crew, cy: Person, open_desk: OpenDesk) -> None:
    page = open_desk(crew.anna).page
    page.goto("/router")
    page.get_by_label("Prompt").fill("hello")
    page.get_by_label("Pin of the conversation").select_option("escalate")
    page.get_by_role("button", name="Route it").click()
    assert_decided(page, "escalate", "explicit")
    other = open_desk(cy).page
    other.goto(page.url)
    assert_decided(other, "escalate", "explicit")
    expect(other.get_by_label("Pin of the conversation")).to_have_value("escalate")


def test_every_example_decides(crew: Crew, open_desk: OpenDesk) -> None:
    page = open_desk(crew.anna).page
    targets = []
    for example in EXAMPLES:
        page.goto("/router")
        page.get_by_role("link", name=example.prompt, exact=True).click()
        targets.append(page.locator("[data-target]").text_content())
    assert targets == ["escalate", "local", "local", "local", "local"]


def test_what_cannot_be_read_is_marked_where_it_stands(crew: Crew, open_desk: OpenDesk) -> None:
    page = open_desk(crew.anna, quiet=False).page
    page.goto("/router?" + urlencode({"prompt": "yes", "history": "hello"}))
    expect(page.get_by_label("What was said before it")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("alert")).to_contain_text("Begin with who speaks")
    expect(page.locator("[data-target]")).to_have_count(0)
    assert_no_violation(page)


def test_words_that_are_tried_stay_words(crew: Crew, open_desk: OpenDesk) -> None:
    page = open_desk(crew.anna).page
    hostile = "yes, <img src=x onerror=document.title='owned'> \u202e{points} %(name)s"
    page.goto("/router?" + urlencode({"prompt": hostile}))
    expect(page.locator("[data-target]")).to_be_visible()
    expect(page).to_have_title("Router · Pointsman")
    assert page.locator("main img").count() == 0
    expect(page.locator("[data-resolved]")).to_contain_text("{points} %(name)s")


def test_who_is_not_signed_in_is_sent_to_the_door(rows: Rows, crew: Crew) -> None:
    answer = rows.do(lambda: Client(**HOME).get("/router?prompt=yes"))
    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/sign-in")
    assert rows.do(lambda: client_of(crew.anna).post("/router")).status_code == 405


LONG_ONES = {
    "prompt": "yes, " + "compare_the_exports_of_last_week" * 40,
    "history": "user: " + "look at ./x " * 300,
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_it_is_whole_and_accessible(
    width: int, theme: str, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna, color_scheme=theme, width=width, height=800)
    for query in ("", f"?{EXAMPLES[3].query}", f"?{urlencode(LONG_ONES)}"):
        desk.page.goto(f"/router{query}")
        assert_nothing_sticks_out(desk.page)
        assert_no_violation(desk.page)
