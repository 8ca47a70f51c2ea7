"""A reviewer who only has a keyboard clears a hundred mixed cards; pytest -s prints the time."""

import time
from itertools import cycle, islice

from django.db.models import QuerySet
from playwright.sync_api import expect

from proposals.models import Decision, Proposal
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import Crew

KINDS = ("two", "five", "student", "navigation", "irreversible", "outside", "typing", "two")
COUNT = 100
EVERY_REJECTED = 9


def test_a_hundred_mixed_cards_are_cleared_by_keys(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    for kind in islice(cycle(KINDS), COUNT):
        rows.do(crew.ask, kind)
    desk = open_desk(crew.anna)
    desk.is_live()
    began = time.monotonic()
    for number in range(COUNT):
        _decide(desk, reject=number % EVERY_REJECTED == 0)
        desk.page.keyboard.press("j")
    took_s = time.monotonic() - began
    print(f"\n{COUNT} cards cleared by keys in {took_s:.1f} s, {took_s / COUNT:.2f} s each")

    expect(desk.page).to_have_title("Pointsman")
    assert rows.do(lambda: _of(crew).filter(status="pending").count()) == 0
    assert rows.do(lambda: _of(crew).filter(status="rejected").count()) == 12
    assert rows.do(lambda: Decision.objects.filter(person=crew.anna).count()) == COUNT


def _of(crew: Crew) -> QuerySet[Proposal]:
    return Proposal.objects.filter(agent__in=crew.agents.values())


def _decide(desk: Desk, *, reject: bool) -> None:
    page = desk.page
    page.locator("[data-card][data-status=pending] [data-approve]").wait_for()
    if reject:
        page.keyboard.press("r")
        page.keyboard.type("Not what was asked.")
        page.keyboard.press("Control+Enter")
    else:
        _approve(desk)
    page.locator("[data-card]:not([data-status=pending])").wait_for()


def _approve(desk: Desk) -> None:
    """Nothing starred: the second. What cannot be undone: the word as well."""
    if desk.approve.get_attribute("data-ready") == "no":
        desk.page.keyboard.press("2")
    desk.page.keyboard.press("a")
    if desk.page.locator("[data-word]").count():
        desk.page.keyboard.type("approve")
        desk.page.keyboard.press("Enter")
