"""The record's page: found from the frame, searched, opened and checked by keyboard, in any width."""

import uuid
from typing import Any

import pytest
from playwright.sync_api import expect

from agents.models import Person
from agents.services import create_person
from audit.models import BrowserAudit
from runs.models import Run
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import PASSWORD, Crew, run_with_steps
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out
from tests.pages.test_runs import _forge_entry
from tests.support.history import add_acts


@pytest.fixture
def run(rows: Rows, crew: Crew) -> Run:
    return rows.do(run_with_steps, crew)


@pytest.fixture
def audrey(rows: Rows) -> Person:
    return rows.do(_auditor)


def _auditor() -> Person:
    audrey = create_person(f"audrey-{uuid.uuid4().hex[:6]}", role="auditor")[0]
    audrey.set_password(PASSWORD)
    audrey.save()
    return audrey


def an_entry(rows: Rows, run: Run) -> Any:
    return rows.do(lambda: BrowserAudit.objects.filter(run_id=run.pk).latest("id"))


def test_an_auditor_searches_opens_and_checks_the_record_by_keyboard(
    rows: Rows, run: Run, audrey: Person, open_desk: OpenDesk
) -> None:
    page = open_desk(audrey).page
    page.get_by_role("link", name="Audit").first.press("Enter")
    page.get_by_label("Run", exact=True).fill(str(run.pk))
    page.get_by_label("What").fill("proposal.")
    page.keyboard.press("Enter")
    expect(page.locator("tbody tr").first).to_contain_text("proposal.")
    page.get_by_role("link", name="Entry ").first.press("Enter")
    page.get_by_role("heading", name="How it is sealed").wait_for()
    page.get_by_role("link", name="check the chain").press("Enter")
    expect(page.locator("[data-check]")).to_have_text("The chain verifies")


def test_every_chain_is_checked_and_a_forged_entry_named(
    rows: Rows, run: Run, audrey: Person, open_desk: OpenDesk
) -> None:
    rows.do(_forge_entry, run)
    page = open_desk(audrey).page
    page.goto("/audit")
    page.get_by_role("link", name="Check every chain").press("Enter")
    broken = page.locator("[data-broken]").filter(has_text=str(run.pk)[:8])
    expect(broken).to_contain_text("A run's chain is broken:")
    broken.get_by_role("link", name="entry").click()
    expect(page.get_by_role("heading", name="run.forged")).to_be_visible()


def test_a_check_that_is_not_answered_can_be_asked_again(
    run: Run, crew: Crew, open_desk: OpenDesk
) -> None:
    page = open_desk(crew.anna, quiet=False).page
    page.goto(f"/runs/{run.pk}")
    page.route("**/audit/check*", lambda route: route.abort())
    page.get_by_role("link", name="check the chain").click()
    expect(page.locator("[data-check]")).to_contain_text("The check was not answered.")
    page.unroute("**/audit/check*")
    page.get_by_role("link", name="Try again").click()
    expect(page.locator("[data-check]")).to_have_text("The chain verifies")


def test_a_link_to_a_step_of_another_page_opens_that_page(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    run = rows.do(long_run, crew)
    page = open_desk(crew.anna).page
    page.goto(f"/runs/{run.pk}#step-3")
    expect(page.locator("#step-3")).to_be_in_viewport()
    page.goto(f"/runs/{run.pk}")
    expect(page.locator("#step-120")).to_be_attached()
    expect(page.locator("#step-3")).to_have_count(0)
    page.get_by_role("link", name="Earlier steps").click()
    expect(page.locator("#step-3")).to_be_attached()


def long_run(crew: Crew) -> Run:
    return add_acts(crew.agents["checkout-bot"], high=120)[0].run


@pytest.mark.parametrize("theme", THEMES)
def test_the_record_looks_well(
    theme: str, rows: Rows, run: Run, audrey: Person, crew: Crew, open_desk: OpenDesk
) -> None:
    rows.do(_forge_entry, run)
    page = open_desk(audrey, color_scheme=theme, quiet=False).page
    long = rows.do(long_run, crew)
    entry = an_entry(rows, run)
    paths = ("/audit", "/audit?run=x", f"/audit/{entry.pk}", f"/audit/check?run={run.pk}")
    for path in (*paths, "/audit?action=nothing", f"/runs/{long.pk}?step=40", "/insights"):
        page.goto(path)
        assert_no_violation(page)
        for width in (360, 768, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert_nothing_sticks_out(page)
