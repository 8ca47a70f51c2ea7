"""What a reviewer does at the desk, in a real browser over real rows."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from core import clock, live
from proposals import services
from proposals.domain import Event
from proposals.models import Proposal
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import Crew


def test_a_new_card_slides_in_and_disturbs_nothing(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(first)
    desk.is_live()
    desk.page.evaluate("window.untouched = true")
    desk.page.keyboard.press("r")
    desk.page.keyboard.type("Not this one, bec")

    second = rows.do(crew.ask, "five")

    expect(desk.row(second)).to_be_visible()
    expect(desk.page.get_by_role("status")).to_contain_text("New card: danger")
    expect(desk.page).to_have_title("(2) Pointsman")
    expect(desk.page.locator("[data-pending-count]")).to_have_text("2")
    desk.page.keyboard.type("ause")
    expect(desk.page.get_by_label("Why not?")).to_have_value("Not this one, because")
    assert desk.page.evaluate("window.untouched")
    expect(desk.card).to_have_attribute("data-card", str(first.pk))


def test_the_row_being_read_does_not_move_when_cards_arrive_above_it(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = [rows.do(crew.ask, "student") for _ in range(14)]
    desk = open_desk(crew.anna)
    desk.open(asked[-1])
    desk.is_live()
    desk.row(asked[-1]).locator("a").focus()
    desk.page.locator("[data-queue]").evaluate("e => { e.scrollTop = 300 }")
    before = desk.row(asked[-1]).bounding_box()

    above = rows.do(crew.ask, "irreversible")

    expect(desk.row(above)).to_be_attached()
    assert desk.row(asked[-1]).bounding_box() == before
    expect(desk.row(asked[-1]).locator("a")).to_be_focused()
    assert desk.page.locator("[data-row]").first.get_attribute("data-row") == str(above.pk)


def test_the_starred_candidate_is_approved_by_one_key(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(asked)
    expect(desk.approve).to_contain_text("Approve #2")

    desk.page.keyboard.press("a")

    expect(desk.card).to_have_attribute("data-status", "approved")
    expect(desk.card).to_contain_text("You approved #2")
    assert rows.fresh(asked).approved_index == 1
    assert rows.decisions(asked) == [(crew.anna.username, "approve", "", {})]


def test_another_pick_than_the_star_is_sent_as_a_change(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.page.keyboard.press("1")
    expect(desk.approve).to_contain_text("Approve #1 instead")
    desk.page.keyboard.press("u")
    expect(desk.approve).to_have_text("Approve #2 a")
    desk.page.locator("[data-box='0']").click()
    expect(desk.page.locator("[data-box='0']")).to_have_attribute("data-picked", "")

    desk.page.keyboard.press("m")

    expect(desk.card).to_contain_text("You modified: #1 instead of #2")
    assert rows.decisions(asked) == [(crew.anna.username, "modify", "", {"chosen_index": 0})]


def test_with_nothing_starred_the_button_asks_for_a_pick_first(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "five")
    desk = open_desk(crew.anna)
    desk.open(asked)
    expect(desk.approve).to_contain_text("Pick a candidate first")
    expect(desk.approve).to_be_disabled()
    desk.page.keyboard.press("a")
    desk.page.keyboard.press("m")
    assert rows.fresh(asked).status == "pending"

    desk.page.locator("[data-candidate='3'] label").click()
    desk.approve.click()

    expect(desk.card).to_have_attribute("data-status", "approved")
    assert rows.fresh(asked).approved_index == 3
    assert rows.decisions(asked)[0][1] == "approve"


def test_a_call_without_a_target_can_be_approved(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "navigation")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.page.keyboard.press("a")
    expect(desk.card).to_have_attribute("data-status", "approved")


def test_a_rejection_needs_words_and_no_key_fires_while_typing(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, quiet=False)
    desk.open(asked)
    desk.page.keyboard.press("r")
    send = desk.page.get_by_role("button", name="Reject with this reason")
    send.click()
    expect(desk.page.get_by_role("alert")).to_contain_text("Say why")
    assert rows.fresh(asked).status == "pending"

    desk.page.get_by_role("button", name="Too risky").click()
    desk.page.keyboard.type(". 1 jar, a mug")
    send.click()

    expect(desk.card).to_have_attribute("data-status", "rejected")
    assert rows.decisions(asked)[0][1:3] == ("reject", "Too risky. 1 jar, a mug")


def test_a_card_decided_by_somebody_else_says_so_in_place_and_keeps_what_was_typed(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.is_live()
    desk.page.keyboard.press("r")
    desk.page.keyboard.type("half a reason")

    rows.do(services.approve, asked.pk, person=crew.ben, version=1)

    expect(desk.card).to_have_attribute("data-status", "approved")
    expect(desk.card).to_contain_text(f"{crew.ben.username} approved #2")
    expect(desk.card).to_contain_text("half a reason")
    expect(desk.approve).to_have_count(0)
    expect(desk.page).to_have_title("Pointsman")
    waiting = desk.page.locator("[data-rows=waiting] [data-row]")
    expect(waiting).to_have_count(1)  # it keeps its place while it is open


def test_a_card_that_changes_while_it_waits_keeps_what_was_half_done(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.is_live()
    desk.page.keyboard.press("1")
    desk.page.keyboard.press("r")
    desk.page.keyboard.type("half a rea")
    desk.page.evaluate("window.before = document.querySelector('[data-card]')")

    rows.do(_change_version, asked)

    expect(desk.card).to_have_attribute("data-version", "2")
    assert not desk.page.evaluate("window.before.isConnected")
    desk.page.keyboard.type("son")
    expect(desk.page.get_by_label("Why not?")).to_have_value("half a reason")
    expect(desk.page.locator("[data-pick]:checked")).to_have_value("0")


def _change_version(proposal: Proposal) -> None:
    Proposal.objects.filter(pk=proposal.pk).update(version=2)
    hint = {"kind": "proposal", "id": str(proposal.pk), "status": "pending", "version": 2}
    live.hint(proposal.agent.teams.values_list("pk", flat=True), hint)


def test_the_loser_of_a_race_is_told_who_was_faster(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, quiet=False)
    desk.page.route_web_socket("**/ws/desk", lambda socket: None)  # hears of nothing
    desk.open(asked)
    rows.do(services.reject, asked.pk, person=crew.ben, version=1, reason="No.")

    desk.page.keyboard.press("a")

    expect(desk.page.get_by_role("alert")).to_contain_text("Your decision was not used")
    expect(desk.page.get_by_role("alert")).to_contain_text(crew.ben.username)
    assert len(rows.decisions(asked)) == 1


def test_what_cannot_be_undone_takes_a_typed_word(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "irreversible")
    desk = open_desk(crew.anna)
    desk.open(asked)
    expect(desk.approve).to_be_disabled()
    desk.page.keyboard.press("a")
    expect(desk.page.locator("[data-word]")).to_be_focused()
    desk.page.keyboard.type("approv")
    desk.page.keyboard.press("Enter")
    assert rows.fresh(asked).status == "pending"
    desk.page.keyboard.type("e")
    desk.page.keyboard.press("Enter")
    expect(desk.card).to_have_attribute("data-status", "approved")


@pytest.mark.parametrize("word", ["", "yes"])
def test_the_typed_word_is_asked_for_by_the_server_too(
    word: str, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "irreversible")
    desk = open_desk(crew.anna)
    answer = desk.page.request.post(
        f"/proposals/{asked.pk}/approve",
        form={"version": "1", "word": word, "csrfmiddlewaretoken": _token(desk.page)},
    )
    assert answer.status == 422
    assert "cannot be undone" in answer.text()
    assert rows.fresh(asked).status == "pending"


def _token(page: Page) -> str:
    return next(c["value"] for c in page.context.cookies() if c["name"] == "csrftoken")


def test_the_buttons_go_when_the_time_is_over(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna)
    asked = rows.do(crew.ask, "two")
    soon = clock.now() + timedelta(seconds=8)
    rows.do(lambda: Proposal.objects.filter(pk=asked.pk).update(expires_at=soon))
    desk.open(asked)
    expect(desk.approve).to_be_visible()
    expect(desk.card).to_contain_text("Its time to decide is over", timeout=20_000)
    expect(desk.approve).to_have_count(0)
    expect(desk.row(asked)).to_have_count(0)


def test_an_unknown_outcome_is_settled_by_a_person(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    approved = rows.do(services.approve, rows.do(crew.ask, "two").pk, person=crew.ben, version=1)
    claimed = rows.do(services.claim, approved.pk, lease_s=1)
    lost = rows.do(services.finish, claimed, Event.LOSE, error={"message": "It died."})
    desk = open_desk(crew.anna)
    desk.open(lost)
    desk.page.get_by_role("button", name="It happened: mark done").click()
    expect(desk.card).to_have_attribute("data-status", "executed")
    expect(desk.card).to_contain_text(f"{crew.anna.username} said it happened")


def test_somebody_else_at_the_card_is_shown(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "two")
    anna, ben = open_desk(crew.anna), open_desk(crew.ben)
    anna.open(asked)
    ben.open(asked)
    expect(ben.card).to_contain_text(f"{crew.anna.username} has this open")
    expect(ben.row(asked)).to_contain_text(crew.anna.username)


def test_after_a_dropped_line_nothing_is_missed(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna, quiet=False)
    cut = []

    def join(socket: object) -> None:
        if len(cut) < 1:
            socket.connect_to_server()  # type: ignore[attr-defined]
        cut.append(socket)

    desk.page.route_web_socket("**/ws/desk", join)
    desk.page.goto("/")
    desk.is_live()
    cut[0].close()
    expect(desk.page.locator("[data-line]")).to_contain_text("Reconnecting…")
    missed = rows.do(crew.ask, "two")
    desk.page.unroute_all()
    expect(desk.row(missed)).to_be_visible(timeout=15_000)
    expect(desk.row(missed)).to_have_count(1)


def test_the_desk_says_what_happens_next_when_nothing_waits(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    nothing = desk.page.get_by_role("heading", name="Nothing waits for you")
    expect(nothing).to_be_visible()
    expect(desk.page).to_have_title("Pointsman")
    desk.is_live()

    asked = rows.do(crew.ask, "two")

    expect(desk.card).to_have_attribute("data-card", str(asked.pk))
    desk.page.keyboard.press("a")
    expect(desk.card).to_have_attribute("data-status", "approved")
    desk.page.get_by_role("link", name="Back to the queue").click()
    expect(nothing).to_be_visible()
    expect(desk.page.locator("[data-rows=settled] [data-row]")).to_have_count(1)


def test_the_keys_are_listed_and_move_through_the_queue(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna)
    expect(desk.card).to_have_attribute("data-card", str(first.pk))
    desk.page.keyboard.press("j")
    expect(desk.card).to_have_attribute("data-card", str(second.pk))
    desk.page.wait_for_url(f"**/proposals/{second.pk}")
    desk.page.keyboard.press("?")
    expect(desk.page.get_by_role("dialog", name="Keys")).to_be_visible()
    desk.page.keyboard.press("k")  # none fires beneath the sheet
    desk.page.keyboard.press("Escape")
    expect(desk.page.get_by_role("dialog")).to_have_count(0)
    expect(desk.card).to_have_attribute("data-card", str(second.pk))
    desk.page.go_back()
    desk.page.keyboard.press("k")
    expect(desk.card).to_have_attribute("data-card", str(first.pk))


def test_everything_can_be_decided_without_scripts(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    five, two, third = (rows.do(crew.ask, name) for name in ("five", "two", "two"))
    desk = open_desk(crew.anna, java_script_enabled=False, quiet=False)
    page = desk.page
    desk.open(five)
    page.get_by_role("button", name="Approve the picked candidate").click()
    expect(page.get_by_role("alert")).to_contain_text("pick the candidate")
    page.locator("[data-candidate='2'] label").click()
    page.get_by_role("button", name="Approve the picked candidate").click()
    expect(desk.card).to_have_attribute("data-status", "approved")
    assert rows.fresh(five).approved_index == 2

    desk.open(two)
    page.locator("[data-candidate='0'] label").click()
    page.get_by_role("button", name="Approve the picked one instead").click()
    expect(desk.card).to_contain_text("You modified: #1 instead of #2")

    desk.open(third)
    page.get_by_label("Why not?").fill("It was done already.")
    page.get_by_role("button", name="Reject with this reason").click()
    expect(desk.card).to_have_attribute("data-status", "rejected")
