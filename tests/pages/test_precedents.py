"""The precedents page in a real browser; its rules are in tests/unit/test_precedents_page.py."""

import pytest
from playwright.sync_api import expect

from agents.models import Person
from confidence import precedents
from confidence.models import Precedent
from core import clock
from core.actors import SYSTEM
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import SHOP, Crew
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.support.proposals import candidate

OPEN_ALL = "each => each.forEach((fold) => { fold.open = true; })"
LONG = "button:has-text('I have read the terms of use and the privacy notice of 14 March')"


@pytest.fixture
def taught(rows: Rows, crew: Crew) -> list[Precedent]:
    return rows.do(_taught, crew)


def _taught(crew: Crew) -> list[Precedent]:
    proposal_id = crew.ask("two").id
    changes = [{}, {"suspended_at": clock.now()}, {"revoked_at": clock.now()}]
    made = []
    for target, change in zip(("text=Save", LONG, "#old"), changes, strict=True):
        one = precedents.remember(
            actor=SYSTEM,
            agent_id=crew.agents["checkout-bot"].pk if target != LONG else None,
            target=target,
            page_url=f"{SHOP}/a/very/long/path/that/goes/on/and/on/until/it/ends/17",
            candidate=candidate(1, "Keep the draft of this order", "b").as_dict(),
            proposal_id=proposal_id,
        )
        Precedent.objects.filter(pk=one.pk).update(**change)
        made.append(one)
    return made


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_cut(
    theme: str, taught: list[Precedent], rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="admin"))
    desk = open_desk(crew.ben, color_scheme=theme)
    for path in ("/precedents", "/precedents?state=expired"):
        desk.page.goto(path)
        assert_no_violation(desk.page)
    desk.page.goto("/precedents")
    desk.page.locator(".precedent details").evaluate_all(OPEN_ALL)
    assert_no_violation(desk.page)
    for width in (1440, 768, 360):
        desk.page.set_viewport_size({"width": width, "height": 800})
        assert_nothing_sticks_out(desk.page)


def test_one_is_edited_and_revoked_by_keyboard(
    taught: list[Precedent], rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    desk.page.goto("/precedents")
    row = desk.page.locator(f"#precedent-{taught[0].pk}")
    row.locator("summary", has_text="Edit").focus()
    for key in ("Enter", "Tab", "Control+A"):
        desk.page.keyboard.press(key)
    narrower = taught[0].page_pattern.replace("*", "18")
    desk.page.keyboard.type(narrower)
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_role("status").first).to_contain_text("The precedent is changed.")
    expect(row.locator(".pattern")).to_have_text(narrower)
    row.locator("summary", has_text="Revoke").focus()
    for key in ("Enter", "Tab", "Enter"):
        desk.page.keyboard.press(key)
    expect(row.locator(".precedent-head")).to_contain_text("revoked")
    assert rows.do(lambda: Precedent.objects.get(pk=taught[0].pk).revoked_at)


def test_a_refused_edit_says_why_in_its_row(
    taught: list[Precedent], crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna, quiet=False)  # a 422 is in the console
    desk.page.goto("/precedents")
    row = desk.page.locator(f"#precedent-{taught[0].pk}")
    row.locator("summary", has_text="Edit").click()
    row.get_by_label("Pages it holds for").fill("*/orders")
    row.get_by_role("button", name="Save").click()
    expect(row.get_by_role("alert")).to_contain_text("the host in full")
