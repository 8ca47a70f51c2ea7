"""The router's rules on their page: written by keyboard, tried, refused by line, rolled back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from agents.models import Person
from core.actors import SYSTEM
from routing import services
from routing.models import RulesVersion
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out
from tests.pages.test_profiles import press

HOME = "/settings/rules"
TEXT = "local_below_tokens: 5\n"


@pytest.fixture(autouse=True)
def _no_rules(rows: Rows) -> Iterator[None]:
    """They are everybody's: none are there that another test left."""
    rows.do(lambda: RulesVersion.objects.all().delete())
    yield
    rows.do(lambda: RulesVersion.objects.all().delete())


@pytest.fixture
def ada(rows: Rows, crew: Crew) -> Person:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    return rows.do(lambda: Person.objects.get(pk=crew.ben.pk))


def texts(rows: Rows) -> list[str]:
    return rows.do(lambda: list(RulesVersion.objects.values_list("text", flat=True)))


def write(page: Page, text: str) -> None:
    page.get_by_label("Rules, in YAML").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def test_rules_are_written_tried_and_rolled_back_by_keyboard(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(ada).page
    page.goto("/settings")
    page.get_by_role("link", name="Rules", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The product's own rules are in force.")).to_be_visible()
    write(page, "escalate_keywords: [kettle]\n")
    page.get_by_label("Prompt").focus()
    page.keyboard.insert_text("put the kettle on")
    press(page, "Try it")
    expect(page.locator("[data-target]")).to_have_text("escalate")
    expect(page.get_by_label("Rules, in YAML")).to_have_value("escalate_keywords: [kettle]\n")
    assert texts(rows) == []
    write(page, TEXT)
    press(page, "Save")
    expect(page.locator(".notice-clear")).to_contain_text("Version 1 is saved")
    write(page, "local_below_tokens: 6\n")
    press(page, "Save")
    page.get_by_role("link", name="Version 1").focus()
    page.keyboard.press("Enter")
    press(page, "Roll back to this")
    expect(page.locator(".notice-clear")).to_contain_text("Version 3 is saved")
    assert texts(rows) == [TEXT, "local_below_tokens: 6\n", TEXT]


def test_what_is_wrong_is_named_and_the_line_is_gone_to(
    rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(ada, quiet=False).page  # a 422 is in the console
    page.goto(HOME)
    spoilt = "escalate_threshold: 6\n\nlocal_verbs: grep\n"
    write(page, spoilt)
    press(page, "Save")
    expect(page.get_by_role("alert")).to_contain_text("line 3: local_verbs")
    expect(page.get_by_label("Rules, in YAML")).to_have_value(spoilt)
    expect(page.locator(".line-wrong")).to_have_text("3")
    assert_no_violation(page)
    assert texts(rows) == []


@pytest.mark.parametrize("theme", THEMES)
def test_the_pages_are_clean_and_fit(
    theme: str, rows: Rows, ada: Person, open_desk: OpenDesk
) -> None:
    rows.do(services.save_rules, TEXT, seen=0, actor=SYSTEM)
    rows.do(services.save_rules, "escalate_threshold: 8\n", seen=1, actor=SYSTEM)
    page = open_desk(ada, color_scheme=theme).page
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for path in (HOME, f"{HOME}?version=1", f"{HOME}/versions/1"):
            page.goto(path)
            assert_no_violation(page)
            assert_nothing_sticks_out(page)
        page.goto(HOME)
        page.get_by_label("Prompt").fill("yes")
        press(page, "Try it")
        assert_no_violation(page)
        assert_nothing_sticks_out(page)
