"""Searching runs and reporting a step in a real browser; the rules are in
tests/unit/test_history.py."""

import json

import pytest
from playwright.sync_api import expect

from core import clock
from runs.models import Action, Run
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew, run_with_steps
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out

OPEN_ALL = "each => each.forEach((fold) => { fold.open = true; })"


@pytest.fixture
def run(rows: Rows, crew: Crew) -> Run:
    return rows.do(_acted, crew)


def _acted(crew: Crew) -> Run:
    run = run_with_steps(crew)
    Action.objects.filter(run=run, status="succeeded").update(acting_at=clock.now())
    return run


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_cut(
    theme: str, run: Run, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna, color_scheme=theme)
    for path in ("/runs", "/runs?label=nowhere&since=2026-01-01", f"/runs/{run.pk}?level=partial"):
        desk.page.goto(path)
        assert_no_violation(desk.page)
    desk.page.goto(f"/runs/{run.pk}")
    desk.page.locator(".step-story > details").evaluate_all(OPEN_ALL)
    assert_no_violation(desk.page)
    for path in ("/runs?label=Order", f"/runs/{run.pk}"):
        desk.page.goto(path)
        for width in (1440, 768, 360):
            desk.page.set_viewport_size({"width": width, "height": 800})
            assert_nothing_sticks_out(desk.page)


def test_a_search_is_an_address_and_its_finds_a_file(
    run: Run, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    desk.page.goto("/runs")
    desk.page.get_by_label("Label").fill("order 10")
    desk.page.get_by_label("With a step of").select_option("caution")
    desk.page.keyboard.press("Enter")
    desk.page.get_by_role("button", name="Search").click()
    desk.page.wait_for_url("**/runs?label=order+10&**level=partial**")
    expect(desk.page.locator("tbody tr")).to_have_count(1)
    with desk.page.expect_download() as download:
        desk.page.get_by_role("link", name="JSON Lines").click()
    (line,) = download.value.path().read_text().splitlines()
    assert json.loads(line)["label"] == "Order 1042"


def test_a_wrong_target_is_reported_by_keyboard(run: Run, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna)
    desk.page.goto(f"/runs/{run.pk}")
    step = desk.page.locator("#step-3")
    step.locator("summary", has_text="Wrong target?").focus()
    for key in ("Enter", "Tab"):
        desk.page.keyboard.press(key)
    desk.page.keyboard.type("The one in the header")
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_url(f"**/runs/{run.pk}?step=3#step-3")
    expect(step).to_contain_text(f"Wrong target, says {crew.anna.username}")
    expect(step).to_contain_text("The one in the header")
    expect(step.locator("summary", has_text="Wrong target?")).to_have_count(0)


def test_a_timeline_is_a_file(run: Run, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna)
    desk.page.goto(f"/runs/{run.pk}")
    with desk.page.expect_download() as download:
        desk.page.get_by_role("link", name="JSON Lines").click()
    lines = [json.loads(line) for line in download.value.path().read_text().splitlines()]
    assert [line["step_id"] for line in lines] == list(range(1, 11))
    assert lines[4]["decided_by"] == crew.anna.username
