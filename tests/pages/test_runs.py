"""The list of runs and one run's timeline."""

from playwright.sync_api import expect

from audit.models import BrowserAudit
from runs.models import Run
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew, open_run, run_with_steps


def test_a_timeline_says_who_decided_what_and_what_came_of_it(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    run = rows.do(run_with_steps, crew)
    desk = open_desk(crew.ben)
    desk.page.goto("/runs")
    row = desk.page.get_by_role("row").filter(has_text="Order 1042")
    expect(row).to_contain_text("waits for a person")
    expect(row).to_contain_text("1 failed")
    row.get_by_role("link", name="Order 1042").click()
    desk.page.wait_for_url(f"**/runs/{run.pk}")

    step = desk.page.locator("#step-5")
    expect(step).to_contain_text(f"{crew.anna.username} modified: #1 instead of #2")
    expect(step).to_contain_text("The small cart is the one with the voucher.")
    expect(step).to_contain_text("verified")
    expect(step.locator("img")).to_have_count(2)
    expect(step.locator(".box-acted")).to_be_visible()
    expect(desk.page.locator("#step-6")).to_contain_text("Name the one you mean.")
    expect(desk.page.locator("#step-7")).to_contain_text("A cookie banner lies over it.")
    expect(desk.page.locator("#step-2")).to_contain_text("unverified")
    expect(desk.page.locator("[data-match-confidence]")).to_have_count(10)
    desk.page.locator("#step-10").get_by_role("link", name="Decide").click()
    expect(desk.card).to_have_attribute("data-status", "pending")


def test_a_step_with_several_targets_tells_each_when_unfolded(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    run = rows.do(run_with_steps, crew)
    desk = open_desk(crew.anna)
    desk.page.goto(f"/runs/{run.pk}")
    form = desk.page.locator("#step-8")
    expect(form).to_contain_text("Fill in 5 fields and press text=Save")
    expect(form).to_contain_text("modified: Email #1; submit #2 instead of #1")
    expect(form.locator(".box-acted")).to_have_count(6)
    rows_told = form.locator(".target")
    expect(rows_told.first).to_be_hidden()
    form.get_by_text("6 targets, each with its certainty").click()
    expect(rows_told.nth(1)).to_contain_text("gets robin@fell.example")
    expect(rows_told.nth(1)).to_contain_text("caution 0.55")
    expect(rows_told.nth(4)).to_contain_text("a secret, not shown")
    expect(rows_told.nth(5)).to_contain_text("#2 button Save address decided")

    drag = desk.page.locator("#step-9")
    expect(drag).to_contain_text("Drag text=Water the ferns to #done")
    expect(drag).to_contain_text("Gating would have sent this to a person.")
    drag.get_by_text("2 targets, each with its certainty").click()
    expect(drag.locator(".target").nth(1)).to_contain_text("region Done")


def test_the_record_is_checked_on_the_page(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    run = rows.do(run_with_steps, crew)
    desk = open_desk(crew.anna)
    desk.page.goto(f"/runs/{run.pk}")
    facts = desk.page.locator(".run-facts")
    facts.get_by_role("link", name="check the chain").click()
    expect(facts).to_contain_text("The chain verifies")
    rows.do(_forge_entry, run)
    desk.page.reload()
    facts.get_by_role("link", name="check the chain").press("Enter")
    expect(facts).to_contain_text("chain is broken:")


def _forge_entry(run: Run) -> None:
    """An entry that nobody sealed."""
    last = BrowserAudit.objects.filter(chain=str(run.pk)).order_by("-sequence")[0]
    last.pk, last.sequence, last.verb = None, last.sequence + 1, "run.forged"
    last.save(force_insert=True)


def test_long_lists_come_in_pages(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    bot = crew.agents["checkout-bot"]
    labels = [f"run number {number}" for number in range(53)]
    for label in labels:
        rows.do(open_run, bot, url="https://shop.example/", label=label)
    desk = open_desk(crew.anna)
    desk.page.goto("/runs")
    expect(desk.page.locator("tbody tr")).to_have_count(50)
    desk.page.get_by_role("link", name="Older runs").click()
    expect(desk.page.locator("tbody tr")).to_have_count(3)
    expect(desk.page.locator("tbody")).to_contain_text("run number 0")
    desk.page.get_by_role("link", name="Newest").click()
    expect(desk.page.locator("tbody tr")).to_have_count(50)
