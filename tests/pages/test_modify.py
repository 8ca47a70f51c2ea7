"""Modifying a card by mouse and keyboard: another element, a point, another value; two people."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect

from confidence import flags
from confidence.models import Precedent
from proposals import services
from proposals.models import Preview, Proposal
from proposals.services import previews
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.support.stack import wait_until

THEMES = ["light", "dark"]


def found_for(proposal: Proposal, count: int) -> dict[str, Any]:
    said = {"name": "Submit the quote", "text": "Submit the quote", "attributes": {}}
    one = {**proposal.candidates[0], **said, "fingerprint": "other"}
    one["box"] = {"x": 40, "y": 40, "width": 160, "height": 40}
    return {
        "level": "high" if count == 1 else "ambiguous",
        "score": 1.0 if count == 1 else 0.4,
        "match_count": count,
        "total_count": count,
        "candidates": [{**one, "index": index} for index in range(count)],
    }


@contextmanager
def a_worker_finds(rows: Rows, proposal: Proposal, count: int = 1, **failed: Any) -> Iterator[None]:
    """Stands for the worker: answers the next look at this card."""

    def waiting() -> Preview | None:
        return Preview.objects.filter(proposal=proposal, status="waiting").first()

    def answer() -> None:
        wait_until(lambda: rows.do(waiting), 20)
        preview = rows.do(waiting)
        if failed:
            rows.do(previews.fail, preview, failed)
        else:
            confidence = found_for(proposal, count)
            rows.do(
                lambda: previews.answer(preview, match_confidence=confidence, anchors=[{}] * count)
            )

    thread = threading.Thread(target=answer)
    thread.start()
    yield
    thread.join()


@pytest.fixture
def asked(rows: Rows, crew: Crew) -> Callable[[str], Proposal]:
    """A card whose candidates can be found again, as the pipeline leaves it."""

    def ask(name: str) -> Proposal:
        proposal = rows.do(crew.ask, name)
        anchors = [[{}] * target.count for target in proposal.targets]
        held = proposal.match_confidence
        for index, candidate in enumerate(held["candidates"]):
            candidate["fingerprint"] = f"print-{index}"
        columns = {"anchors": anchors, "match_confidence": held}
        rows.do(lambda: Proposal.objects.filter(pk=proposal.pk).update(**columns))
        return rows.fresh(proposal)

    return ask


Ask = Callable[[str], Proposal]


def test_another_selector_is_found_shown_and_approved_by_keyboard_alone(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("two")
    desk = open_desk(crew.anna)
    desk.open(card)
    page = desk.page
    page.get_by_label("Another selector").fill("#quote")
    with a_worker_finds(rows, card):
        page.keyboard.press("Enter")
        expect(page.locator("[data-look]")).to_contain_text("It means exactly one element.")
    expect(page.locator("[data-look]")).to_contain_text("Submit the quote")
    expect(page.locator("[data-look]")).to_contain_text("clear")
    expect(page.get_by_role("radio", name="3 button Submit the quote")).to_be_checked()
    expect(page.locator("[data-box='2']")).to_be_visible()
    picture = page.locator("[data-picture] img").bounding_box()
    box = page.locator("[data-box='2']").bounding_box()
    scale = picture["width"] / card.viewport["width"]
    assert box["width"] == pytest.approx(160 * scale, abs=1.5)
    expect(desk.approve).to_contain_text("Approve #3 instead")
    assert_no_violation(page)
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(desk.card).to_have_attribute("data-status", "approved")
    expect(desk.card.locator("[data-changes]")).to_contain_text("#quote")
    assert rows.decisions(card) == [(crew.anna.username, "modify", "", {"selector": "#quote"})]


def test_modify_goes_to_where_another_element_is_named_and_sends_nothing(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.page.keyboard.press("1")
    desk.page.get_by_role("button", name="Modify").click()
    expect(desk.page.locator("[data-lookup-selector]")).to_be_focused()
    assert rows.fresh(asked).status == "pending"


def test_what_matches_several_is_said_and_leaves_nothing_to_approve(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("undecided")
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.page.get_by_label("Another selector").fill("button")
    with a_worker_finds(rows, card, count=3):
        desk.page.get_by_role("button", name="Look it up").click()
        expect(desk.page.locator("[data-look]")).to_contain_text("It matches three: not one.")
    assert_no_violation(desk.page)
    expect(desk.page.locator("[data-pick]")).to_have_count(2)
    expect(desk.approve).to_be_disabled()


def test_looking_takes_time_and_may_fail_in_words(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("two")
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.page.get_by_label("Another selector").fill("#quote")
    desk.page.keyboard.press("Enter")
    expect(desk.page.get_by_text("Looking on the page…")).to_be_visible()
    with a_worker_finds(rows, card, code="no_match", message="Nothing on the page matches."):
        expect(desk.page.locator("[data-look]")).to_contain_text("Nothing on the page matches.")
    expect(desk.page.get_by_text("Looking on the page…")).to_be_hidden()
    expect(desk.approve).to_contain_text("Approve #2")


def test_a_point_is_picked_by_arrow_keys(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("two")
    desk = open_desk(crew.anna)
    desk.open(card)
    page = desk.page
    page.keyboard.press("p")
    expect(page.locator("[data-aim]")).to_be_focused()
    assert_no_violation(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    with a_worker_finds(rows, card):
        page.keyboard.press("Enter")
        expect(page.locator("[data-look]")).to_contain_text("exactly one element")
    preview = rows.do(lambda: Preview.objects.get(proposal=card))
    scroll = card.viewport
    expected = (scroll["width"] / 2 - 20, scroll["height"] / 2 + 2)
    assert preview.point["x"] - scroll["scroll_x"] == pytest.approx(expected[0], abs=0.5)
    assert preview.point["y"] - scroll["scroll_y"] == pytest.approx(expected[1], abs=0.5)
    expect(page.locator("[data-aim]")).to_be_hidden()
    page.keyboard.press("a")
    expect(desk.card).to_have_attribute("data-status", "approved")
    assert rows.decisions(card)[0][3] == {"preview": str(preview.pk)}


@pytest.mark.parametrize("width", [360, 1440])
def test_a_click_on_the_picture_is_the_point_of_the_page(
    width: int, rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("outside")  # a page that was scrolled
    desk = open_desk(crew.anna, width=width)
    desk.open(card)
    desk.page.get_by_role("button", name="Pick on the picture").click()
    size = desk.page.locator("[data-aim]").bounding_box()
    with a_worker_finds(rows, card):
        at = {"x": size["width"] / 4, "y": size["height"] / 2}
        desk.page.locator("[data-aim]").click(position=at)
        expect(desk.page.locator("[data-look]")).to_contain_text("exactly one element")
    point = rows.do(lambda: Preview.objects.get(proposal=card).point)
    seen = card.viewport
    assert point["x"] == pytest.approx(seen["scroll_x"] + seen["width"] / 4, abs=3)
    assert point["y"] == pytest.approx(seen["scroll_y"] + seen["height"] / 2, abs=3)
    assert_nothing_sticks_out(desk.page)


def test_another_text_is_shown_as_a_diff_before_and_after(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("typing")
    desk = open_desk(crew.anna)
    desk.open(card)
    field = desk.page.get_by_label("Write instead into text")
    expect(field).to_have_value("iron skillet 26 cm")
    field.fill("iron skillet 28 cm")
    change = desk.page.locator("[data-change]")
    expect(change.locator("del")).to_have_text("iron skillet 26 cm")
    expect(change.locator("ins")).to_have_text("iron skillet 28 cm")
    expect(desk.approve).to_contain_text("Approve with your change")
    assert_no_violation(desk.page)
    desk.page.get_by_role("button", name="Undo").click()
    expect(field).to_have_value("iron skillet 26 cm")
    expect(change).to_be_hidden()
    field.fill("iron skillet 28 cm")
    desk.approve.click()
    expect(desk.card).to_have_attribute("data-status", "approved")
    expect(desk.card.locator("[data-changes] ins")).to_have_text("iron skillet 28 cm")
    assert rows.decisions(card)[0][3] == {"text": "iron skillet 28 cm"}


def test_a_diff_before_the_decision_names_every_unseen_character(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("typing")
    params = {**card.params, "text": "pay \u202e001\u202c to\u200b Robin"}
    rows.do(lambda: Proposal.objects.filter(pk=card.pk).update(params=params))
    desk = open_desk(crew.anna)
    desk.open(card)
    desk.page.get_by_label("Write instead into text").fill("pay \u2066100 to <b>Robin</b>")
    change = desk.page.locator("[data-edits]")
    expect(change.locator("del > bdi")).to_have_text("pay ⟦U+202E⟧001⟦U+202C⟧ to⟦U+200B⟧ Robin")
    expect(change.locator("ins > bdi")).to_have_text("pay ⟦U+2066⟧100 to <b>Robin</b>")
    expect(change.locator(".unseen")).to_have_count(4)


@pytest.mark.parametrize("theme", THEMES)
def test_values_of_a_form_are_changed_in_their_rows(
    theme: str, rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("form")
    desk = open_desk(crew.anna, color_scheme=theme)
    desk.open(card)
    folds = desk.page.locator("details.target-fold")
    folds.evaluate_all("each => each.forEach((fold) => { fold.open = true; })")
    desk.page.get_by_label("Write instead into Full name").fill("Ada Fell")
    desk.page.get_by_label("Set Gift").select_option("no")
    desk.page.get_by_label("Replace the secret in PIN").fill("4711")
    desk.page.locator("[data-candidate='0'] label").click()
    expect(desk.page.locator("[data-change]")).to_contain_text("Ada Fell")
    expect(desk.page.locator("[data-change]")).not_to_contain_text("4711")
    expect(desk.approve).to_contain_text("Approve with 3 changes")
    assert_no_violation(desk.page)
    desk.approve.click()
    expect(desk.card).to_have_attribute("data-status", "approved")
    assert rows.decisions(card)[0][3] == {
        "fields": [
            {"index": 0, "value": "Ada Fell"},
            {"index": 1, "chosen_index": 0},
            {"index": 3, "value": False},
            {"index": 4, "value": "•••"},
        ]
    }
    assert_no_violation(desk.page)


def test_the_pick_is_remembered_where_it_was_asked_for(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("outside")
    desk = open_desk(crew.anna)
    desk.open(card)
    chooser = desk.page.get_by_label("The same pick next time")
    expect(chooser).to_have_value("")
    chooser.select_option("agent")
    desk.approve.click()
    expect(desk.card.get_by_role("link", name="see what was taught")).to_be_visible()
    taught = rows.do(lambda: Precedent.objects.get(proposal_id=card.pk))
    assert taught.agent_id == card.agent_id


@pytest.fixture
def _two_people(rows: Rows) -> Iterator[None]:
    rows.do(flags.set_flag, "IRREVERSIBLE_NEEDS_TWO_PEOPLE", "true")
    yield
    rows.do(flags.set_flag, "IRREVERSIBLE_NEEDS_TWO_PEOPLE", "false")


@pytest.mark.usefixtures("_two_people")
@pytest.mark.parametrize("theme", THEMES)
def test_two_people_approve_what_cannot_be_undone(
    theme: str, rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("irreversible")
    anna, ben = open_desk(crew.anna, color_scheme=theme), open_desk(crew.ben, color_scheme=theme)
    for desk in (anna, ben):
        desk.open(card)
        desk.is_live()
    expect(anna.card).to_contain_text("Two people have to approve this")
    anna.page.get_by_label("This cannot be undone").fill("approve")
    anna.approve.click()
    expect(anna.card.locator("[data-first-of-two]")).to_contain_text("You approved #1")
    expect(anna.approve).to_contain_text("Waiting for another person")
    expect(anna.approve).to_be_disabled()
    expect(ben.card.locator("[data-first-of-two]")).to_contain_text(crew.anna.username)
    for desk in (anna, ben):
        assert_no_violation(desk.page)
    ben.page.get_by_label("This cannot be undone").fill("approve")
    ben.approve.click()
    expect(ben.card).to_have_attribute("data-status", "approved")
    expect(ben.card).to_contain_text(f"{crew.anna.username} approved it first")
    expect(anna.card).to_have_attribute("data-status", "approved")
    assert [one[:2] for one in rows.decisions(card)] == [
        (crew.anna.username, "approve_first"),
        (crew.ben.username, "approve"),
    ]


@pytest.mark.usefixtures("_two_people")
def test_after_a_first_approval_the_second_person_starts_from_what_the_first_one_said(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("irreversible")
    ben = open_desk(crew.ben)
    ben.open(card)
    ben.is_live()
    ben.page.get_by_label("This cannot be undone").fill("approve")
    rows.do(services.approve, card.pk, person=crew.anna, version=1, reason="The old one.")
    first = ben.card.locator("[data-first-of-two]")
    expect(first).to_be_focused()
    expect(first).to_contain_text("The old one.")
    expect(ben.page.get_by_label("This cannot be undone")).to_have_value("")
    expect(ben.approve).to_be_disabled()


@pytest.mark.usefixtures("_two_people")
def test_a_pick_goes_when_it_would_now_be_against_another_star(
    rows: Rows, crew: Crew, asked: Ask, open_desk: OpenDesk
) -> None:
    card = asked("irreversible")
    ben = open_desk(crew.ben)
    ben.open(card)
    ben.is_live()
    ben.page.keyboard.press("2")
    expect(ben.approve).to_contain_text("Approve #2 instead")
    rows.do(
        services.modify, card.pk, person=crew.anna, version=1, modifications={"chosen_index": 1}
    )
    expect(ben.card.locator("[data-first-of-two]")).to_be_visible()
    expect(ben.page.locator("[data-approve-words]")).to_have_text("Approve #2")
