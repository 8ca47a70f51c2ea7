"""The picture of the whole page on a card: asked for, waited for, shown, and refused."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.http import HttpResponse
from playwright.sync_api import Browser, expect

from agents.models import Person
from audit.services import keep_picture
from proposals import services
from proposals.models import FullPicture, Proposal
from proposals.services import full_pictures
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.scenes import WIDTH, photograph_whole
from tests.pages.seed import Crew
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.support.clients import client_of
from tests.support.stack import wait_until


@dataclass(frozen=True)
class Whole:
    """A page of the shop, from head to foot."""

    content: bytes
    height: int

    @property
    def viewport(self) -> dict[str, float]:
        return {"scroll_x": 0, "scroll_y": 0, "width": WIDTH, "height": self.height}


@pytest.fixture(scope="module")
def whole(chromium: Browser) -> Whole:
    return Whole(*photograph_whole(chromium, "reviews"))


@contextmanager
def a_worker_takes(
    rows: Rows, proposal: Proposal, whole: Whole, *, page_height: float = 0, **failed: Any
) -> Iterator[None]:
    """Stands for the worker: answers the next question for this page."""

    def waiting() -> FullPicture | None:
        return FullPicture.objects.filter(proposal=proposal, status="waiting").first()

    def answer() -> None:
        wait_until(lambda: rows.do(waiting), 20)
        asked = rows.do(waiting)
        if failed:
            rows.do(full_pictures.fail, asked, failed)
            return
        size = {"width": WIDTH, "height": whole.height}
        rows.do(
            lambda: full_pictures.answer(
                asked,
                picture=keep_picture(whole.content, media_type="image/jpeg", **size),
                viewport=whole.viewport,
                page_height=page_height or whole.height,
            )
        )

    thread = threading.Thread(target=answer)
    thread.start()
    yield
    thread.join()


def post(rows: Rows, person: Person, proposal: Proposal) -> HttpResponse:
    path = f"/proposals/{proposal.pk}/full-picture"
    return rows.do(lambda: client_of(person).post(path))


def count(rows: Rows, proposal: Proposal) -> int:
    return rows.do(lambda: FullPicture.objects.filter(proposal=proposal).count())


def test_nothing_is_taken_until_somebody_asks(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    card = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(card)
    expect(desk.page.get_by_role("tab", name="viewport")).to_have_attribute("aria-selected", "true")
    expect(desk.page.locator("#scene-full")).to_be_hidden()
    assert count(rows, card) == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_whole_page_comes_by_a_hint_with_the_same_boxes(
    theme: str, rows: Rows, crew: Crew, open_desk: OpenDesk, whole: Whole
) -> None:
    card = rows.do(crew.ask, "outside")
    desk = open_desk(crew.anna, color_scheme=theme)
    desk.open(card)
    desk.is_live()
    full = desk.page.locator("#scene-full")
    with a_worker_takes(rows, card, whole):
        desk.page.get_by_role("tab", name="full").click()
        expect(full.locator("img")).to_be_visible()
    expect(desk.page.locator("#scene-viewport")).to_be_hidden()
    image = full.locator("img").bounding_box()
    for index, candidate in enumerate(card.candidates):
        box = full.locator(f"[data-box='{index}']").bounding_box()
        scale = image["width"] / WIDTH
        assert box["x"] - image["x"] == pytest.approx(candidate["box"]["x"] * scale, abs=2)
        assert box["y"] - image["y"] == pytest.approx(candidate["box"]["y"] * scale, abs=2)
    assert_no_violation(desk.page)
    expect(full.locator("[data-box='1']")).to_have_attribute("aria-pressed", "true")
    full.locator("[data-box='0']").click()
    expect(desk.approve).to_contain_text("Approve #1 instead")


def test_by_keyboard_alone(rows: Rows, crew: Crew, open_desk: OpenDesk, whole: Whole) -> None:
    card = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.is_live()
    full = desk.page.locator("#scene-full")
    with a_worker_takes(rows, card, whole):
        desk.page.keyboard.press("v")
        expect(full.locator("img")).to_be_visible()
    desk.page.keyboard.press("v")
    expect(full).to_be_hidden()
    desk.page.get_by_role("tab", name="viewport").focus()
    desk.page.keyboard.press("ArrowRight")
    expect(full.locator("img")).to_be_visible()
    expect(desk.page.get_by_role("tab", name="full")).to_be_focused()
    assert count(rows, card) == 1  # what is there is shown again
    desk.page.keyboard.press("a")
    expect(desk.card).to_have_attribute("data-status", "approved")
    expect(full.locator("img")).to_be_visible()  # what was looked at stays open


def test_while_it_is_taken_the_card_says_so_and_nothing_typed_is_lost(
    rows: Rows, crew: Crew, open_desk: OpenDesk, whole: Whole
) -> None:
    card = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.is_live()
    desk.page.get_by_role("tab", name="full").click()
    expect(desk.page.get_by_text("Taking a picture of the whole page")).to_be_visible()
    desk.page.keyboard.press("r")
    desk.page.locator("[data-reason]").fill("half a wo")
    with a_worker_takes(rows, card, whole, page_height=12_345):
        expect(desk.page.get_by_text("Cut: its first")).to_be_visible()
    expect(desk.page.locator("[data-reason]")).to_have_value("half a wo")
    expect(desk.page.locator("[data-reason]")).to_be_focused()


def test_a_page_that_is_gone_is_said_with_what_to_do(
    rows: Rows, crew: Crew, open_desk: OpenDesk, whole: Whole
) -> None:
    card = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.is_live()
    gone = {"code": "browser_lost", "message": "This run has no browser any more."}
    with a_worker_takes(rows, card, whole, **gone):
        desk.page.get_by_role("tab", name="full").click()
        expect(desk.page.locator("#scene-full")).to_contain_text("no browser any more")
    expect(desk.page.locator("#scene-full")).to_contain_text("reject")
    assert_no_violation(desk.page)
    with a_worker_takes(rows, card, whole):
        desk.page.get_by_role("button", name="Try again").click()
        expect(desk.page.locator("#scene-full img")).to_be_visible()
    expect(desk.page.locator("#scene-full")).to_be_focused()


def test_a_worker_that_never_answers_is_given_up(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    card = rows.do(crew.ask, "two")
    asked = rows.do(lambda: full_pictures.ask(card.pk, person=crew.ben))
    long_ago = asked.created_at - full_pictures.LATE
    rows.do(lambda: FullPicture.objects.filter(pk=asked.pk).update(created_at=long_ago))
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.page.get_by_role("tab", name="full").click()
    expect(desk.page.locator("#scene-full")).to_contain_text("did not answer in time")
    desk.page.get_by_role("button", name="Try again").click()
    expect(desk.page.get_by_text("Taking a picture of the whole page")).to_be_visible()
    assert count(rows, card) == 2


def test_a_settled_card_keeps_what_was_taken_and_takes_no_more(
    rows: Rows, crew: Crew, open_desk: OpenDesk, whole: Whole
) -> None:
    seen, unseen = rows.do(crew.ask, "two"), rows.do(crew.ask, "two")
    with a_worker_takes(rows, seen, whole):
        rows.do(lambda: full_pictures.ask(seen.pk, person=crew.ben))
    for card in (seen, unseen):
        rows.do(lambda card=card: services.approve(card.pk, person=crew.ben, version=1))
    desk = open_desk(crew.anna)
    desk.open(seen)
    desk.page.get_by_role("tab", name="full").click()
    expect(desk.page.locator("#scene-full img")).to_be_visible()
    expect(desk.page.get_by_role("button", name="Take it again")).to_have_count(0)
    desk.open(unseen)
    expect(desk.page.get_by_role("tab")).to_have_count(0)
    assert post(rows, crew.anna, unseen).status_code == 409
    assert count(rows, unseen) == 0


def test_who_may_not(rows: Rows, crew: Crew, cy: Person, whole: Whole) -> None:
    card = rows.do(crew.ask, "two")
    assert post(rows, cy, card).status_code == 404
    rows.do(lambda: Person.objects.filter(pk=crew.ben.pk).update(role="auditor"))
    auditor = rows.do(lambda: Person.objects.get(pk=crew.ben.pk))
    assert post(rows, auditor, card).status_code == 403
    assert count(rows, card) == 0
    with a_worker_takes(rows, card, whole):
        assert post(rows, crew.anna, card).status_code == 302
    digest = rows.do(lambda: FullPicture.objects.get(proposal=card).picture)
    path = f"/pictures/{digest}"
    seen = rows.do(lambda: client_of(crew.anna).get(path))
    assert (seen.status_code, seen["Cache-Control"]) == (200, "no-store")
    assert rows.do(lambda: client_of(cy).get(path)).status_code == 404


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_is_cut_at(
    width: int, rows: Rows, crew: Crew, open_desk: OpenDesk, whole: Whole
) -> None:
    card = rows.do(crew.ask, "form")
    with a_worker_takes(rows, card, whole, page_height=9_000):
        rows.do(lambda: full_pictures.ask(card.pk, person=crew.ben))
    desk = open_desk(crew.anna, width=width, height=800)
    desk.open(card)
    desk.page.get_by_role("tab", name="full").click()
    expect(desk.page.locator("#scene-full img")).to_be_visible()
    assert_nothing_sticks_out(desk.page)
    bar = desk.page.locator(".scene-bar").bounding_box()
    for control in desk.page.locator(".scene-bar button").all():
        box = control.bounding_box()
        assert bar["x"] <= box["x"] < box["x"] + box["width"] <= bar["x"] + bar["width"] + 1
