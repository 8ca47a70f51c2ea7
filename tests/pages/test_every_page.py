"""Every page, in both themes and at three widths: axe finds nothing, and nothing is cut."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.pages.conftest import Desk, OpenDesk, Rows, Web
from tests.pages.seed import (
    RECIPES,
    Crew,
    run_that_asks,
    run_with_a_broken_seal,
    run_with_steps,
    settled_cards,
)
from tests.pages.talks import run_with_talk

THEMES = ["light", "dark"]


def assert_no_violation(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def assert_nothing_sticks_out(page: Page) -> None:
    wide = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1], page.url


def paths_of_runs(crew: Crew) -> list[str]:
    runs = [run_with_steps(crew), run_with_a_broken_seal(crew), run_that_asks(crew)]
    talk = run_with_talk(crew)
    return [*(f"/runs/{run.pk}" for run in runs), f"/runs/{talk.pk}/conversation"]


@pytest.mark.parametrize("theme", THEMES)
def test_every_kind_of_card(theme: str, rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    cards = {name: rows.do(crew.ask, name) for name in RECIPES} | rows.do(settled_cards, crew)
    desk = open_desk(crew.anna, color_scheme=theme)
    for card in cards.values():
        desk.open(card)
        assert_no_violation(desk.page)


@pytest.mark.parametrize("theme", THEMES)
def test_the_desks_open_parts(theme: str, rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, color_scheme=theme)
    desk.open(asked)
    desk.page.keyboard.press("1")
    desk.page.locator("summary").filter(has_text="same in all").first.click()
    assert_no_violation(desk.page)
    desk.page.keyboard.press("r")
    assert_no_violation(desk.page)
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("?")
    assert_no_violation(desk.page)


@pytest.mark.parametrize("theme", THEMES)
def test_the_rows_of_a_form_when_open_and_picked(
    theme: str, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna, color_scheme=theme)
    desk.open(rows.do(crew.ask, "form"))
    folds = desk.page.locator("details.target-fold")
    folds.evaluate_all("each => each.forEach((fold) => { fold.open = true; })")
    desk.page.locator("[data-candidate='F2'] label").click()
    assert_no_violation(desk.page)  # one row still lacks a pick
    desk.page.keyboard.press("1")
    desk.page.locator("[data-box='1']").click()
    assert_no_violation(desk.page)


@pytest.mark.parametrize("theme", THEMES)
def test_the_other_pages(
    theme: str, rows: Rows, crew: Crew, open_desk: OpenDesk, chromium: Browser, web: Web
) -> None:
    desk = open_desk(crew.ben, color_scheme=theme)
    assert_no_violation(desk.page)  # an empty queue
    desk.page.goto("/runs")
    assert_no_violation(desk.page)  # no runs
    for path in ("/runs", *rows.do(paths_of_runs, crew), "/scoreboard"):
        desk.page.goto(path)
        for fold in desk.page.locator("details.fold").all():
            fold.locator("summary").click()
        assert_no_violation(desk.page)
    stranger = chromium.new_page(base_url=web.url, color_scheme=theme)
    for path in ("/sign-in", "/nothing-here", "/sign-in/once/used"):
        stranger.goto(path)
        assert_no_violation(stranger)
    stranger.close()


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_is_cut_at(width: int, rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    cards = [rows.do(crew.ask, name) for name in RECIPES]
    runs = rows.do(paths_of_runs, crew)
    desk = open_desk(crew.anna, width=width, height=800)
    for path in ("/", "/runs", *runs, "/scoreboard", *(f"/proposals/{card.pk}" for card in cards)):
        desk.page.goto(path)
        desk.page.wait_for_load_state("networkidle")
        assert_nothing_sticks_out(desk.page)
        assert_picture_is_whole(desk.page)
    assert_bar_is_whole(desk, width)


def assert_picture_is_whole(page: Page) -> None:
    image = page.locator(".scene-frame img")
    if not image.count() or not image.is_visible():
        return
    picture, frame = image.bounding_box(), page.locator(".scene-frame").bounding_box()
    assert picture["width"] / picture["height"] == pytest.approx(1280 / 720, rel=0.02)
    assert picture["y"] + picture["height"] <= frame["y"] + frame["height"] + 1


def assert_bar_is_whole(desk: Desk, width: int) -> None:
    bar = desk.page.locator("[data-bar]").bounding_box()
    assert bar["x"] >= 0
    assert bar["x"] + bar["width"] <= width
    assert bar["y"] + bar["height"] <= 800
