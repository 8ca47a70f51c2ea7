"""The desk on a slow or broken line: no key decides the wrong card, and nothing half done is lost."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Route, expect

from proposals import services
from proposals.models import Proposal
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import PASSWORD, Crew

HALF_A_REASON = "The address is last year's, so"


@contextmanager
def holding(desk: Desk, address: str) -> Iterator[list[Route]]:
    """What is asked for under this address waits; at the end it goes on, unless it was ended."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    desk.page.route(address, hold)
    yield held
    for route in held:
        route.continue_()
    desk.page.unroute(address)


def open_live(desk: Desk, proposal: Proposal) -> None:
    desk.open(proposal)
    desk.is_live()


def turn_to(desk: Desk, proposal: Proposal) -> None:
    desk.row(proposal).locator("a").click()
    expect(desk.card).to_have_attribute("data-card", str(proposal.pk))


def write_reason(desk: Desk, words: str) -> None:
    desk.page.keyboard.press("r")
    desk.page.keyboard.type(words)


def reason(desk: Desk) -> Locator:
    return desk.page.locator("[data-reason]")


def wait_for(desk: Desk, held: list[Route]) -> None:
    for _ in range(100):
        if held:
            return
        desk.page.wait_for_timeout(50)
    raise AssertionError("nothing was asked for")


# --- which card a key is for ------------------------------------------------------------
def test_no_key_decides_the_card_before_the_one_that_was_chosen(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    open_live(desk, first)
    with holding(desk, f"**/proposals/{second.pk}/card"):
        desk.page.keyboard.press("j")
        desk.page.wait_for_url(f"**/proposals/{second.pk}")
        expect(desk.row(second).locator("a")).to_have_attribute("aria-current", "true")
        desk.page.keyboard.press("a")
        desk.page.locator("[data-approve]").dispatch_event("click")
    expect(desk.card).to_have_attribute("data-card", str(second.pk))
    assert [rows.fresh(each).status for each in (first, second)] == ["pending", "pending"]

    desk.page.keyboard.press("a")

    expect(desk.card).to_have_attribute("data-status", "approved")
    assert rows.fresh(second).status == "approved"


def test_the_card_that_was_left_is_usable_again_when_the_reviewer_turns_back(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    open_live(desk, first)
    with holding(desk, f"**/proposals/{second.pk}/card"):
        desk.page.keyboard.press("j")
        desk.page.keyboard.press("k")
        desk.page.wait_for_url(f"**/proposals/{first.pk}")
        desk.page.keyboard.press("a")
        expect(desk.card).to_have_attribute("data-status", "approved")
    assert [rows.fresh(each).status for each in (first, second)] == ["approved", "pending"]


def test_pressing_next_twice_goes_two_cards_on(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = [rows.do(crew.ask, "two") for _ in range(3)]
    desk = open_desk(crew.anna)
    open_live(desk, asked[0])
    with holding(desk, "**/card"):
        desk.page.keyboard.press("j")
        desk.page.keyboard.press("j")
        desk.page.wait_for_url(f"**/proposals/{asked[2].pk}")
    expect(desk.card).to_have_attribute("data-card", str(asked[2].pk))


# --- what is half done ------------------------------------------------------------------
def test_a_half_typed_reason_is_still_there_after_a_look_at_another_card(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna)
    open_live(desk, first)
    desk.page.keyboard.press("1")
    write_reason(desk, HALF_A_REASON)
    turn_to(desk, second)
    expect(reason(desk)).to_have_value("")
    turn_to(desk, first)
    expect(reason(desk)).to_have_value(HALF_A_REASON)
    expect(desk.page.locator("[data-pick]:checked")).to_have_value("0")


def test_the_word_for_what_cannot_be_undone_is_typed_anew_after_another_card(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "irreversible"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna)
    open_live(desk, first)
    desk.page.locator("[data-word]").fill("approve")
    expect(desk.approve).to_be_enabled()
    turn_to(desk, second)
    turn_to(desk, first)
    expect(desk.page.locator("[data-word]")).to_have_value("")
    expect(desk.approve).to_be_disabled()


def test_a_card_that_cannot_be_read_anew_stays_with_all_that_is_typed_on_it(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, quiet=False)
    open_live(desk, first)
    write_reason(desk, HALF_A_REASON)
    desk.page.route("**/card", lambda route: route.abort())
    desk.row(first).locator("a").click()
    alert = desk.page.get_by_role("alert").filter(has_text="cannot be reached")
    expect(alert).to_be_visible()
    expect(reason(desk)).to_have_value(HALF_A_REASON)

    desk.page.unroute("**/card")
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0)
    expect(reason(desk)).to_have_value(HALF_A_REASON)


def test_a_reason_that_was_sent_is_not_called_unsent(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna)
    open_live(desk, first)
    write_reason(desk, "Not this one.")
    desk.page.get_by_role("button", name="Reject with this reason").click()
    expect(desk.card).to_have_attribute("data-status", "rejected")
    expect(desk.page.locator("[data-kept-words]")).to_have_count(0)
    turn_to(desk, second)
    turn_to(desk, first)
    expect(desk.page.locator("[data-kept-words]")).to_have_count(0)


def test_words_that_were_not_sent_outlive_every_further_change_of_the_card(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    open_live(desk, first)
    write_reason(desk, HALF_A_REASON)
    rows.do(services.approve, first.pk, person=crew.ben, version=1)
    expect(desk.card).to_have_attribute("data-status", "approved")
    rows.do(services.claim, first.pk, lease_s=60)
    expect(desk.card).to_have_attribute("data-status", "executing")
    expect(desk.page.locator("[data-kept-words]")).to_have_text(HALF_A_REASON)


# --- decisions on their way -------------------------------------------------------------
def test_a_decision_that_did_not_arrive_is_said_above_whatever_card_is_open(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna, quiet=False)
    open_live(desk, first)
    write_reason(desk, HALF_A_REASON)
    with holding(desk, "**/reject") as held:
        desk.page.get_by_role("button", name="Reject with this reason").click()
        wait_for(desk, held)
        turn_to(desk, second)
        held.pop().abort()
    alert = desk.page.get_by_role("alert").filter(has_text="did not answer")
    expect(alert).to_be_visible()
    assert rows.fresh(first).status == "pending"

    alert.get_by_role("link").click()

    expect(desk.card).to_have_attribute("data-card", str(first.pk))
    expect(reason(desk)).to_have_value(HALF_A_REASON)
    desk.page.get_by_role("button", name="Reject with this reason").click()
    expect(desk.card).to_have_attribute("data-status", "rejected")
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_have_count(0)


def test_a_decision_that_lost_its_race_is_said_above_whatever_card_is_open(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna, quiet=False)
    open_live(desk, first)
    with holding(desk, "**/approve") as held:
        desk.page.keyboard.press("a")
        wait_for(desk, held)
        turn_to(desk, second)
        rows.do(services.reject, first.pk, person=crew.ben, version=1, reason="No.")
    alert = desk.page.get_by_role("alert").filter(has_text="Your decision was not used")
    expect(alert).to_contain_text(crew.ben.username)
    expect(alert.get_by_role("link")).to_have_attribute("href", f"/proposals/{first.pk}")


def test_a_decision_that_arrived_meanwhile_leaves_the_open_card_alone(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna)
    open_live(desk, first)
    with holding(desk, "**/approve") as held:
        desk.page.keyboard.press("a")
        wait_for(desk, held)
        turn_to(desk, second)
    expect(desk.row(first)).to_have_attribute("data-status", "approved")
    expect(desk.card).to_have_attribute("data-card", str(second.pk))
    expect(desk.page.get_by_role("alert")).to_have_count(0)


# --- signed out meanwhile ---------------------------------------------------------------
def sign_in_elsewhere(desk: Desk, username: str) -> None:
    other = desk.page.context.new_page()
    other.goto("/sign-in")
    other.get_by_label("Username").fill(username)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_url("**/")
    other.close()


def test_what_was_typed_can_be_sent_after_signing_in_again_in_another_tab(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, quiet=False)
    open_live(desk, first)
    write_reason(desk, HALF_A_REASON)
    send = desk.page.get_by_role("button", name="Reject with this reason")
    desk.page.context.clear_cookies(name="sessionid")  # the session ran out
    send.click()
    expect(desk.page.get_by_text("You are signed out. Sign in in another tab")).to_be_visible()
    expect(desk.page.get_by_role("link", name="Signed out: sign in")).to_be_visible()
    sign_in_elsewhere(desk, crew.anna.username)

    send.click()

    expect(desk.card).to_have_attribute("data-status", "rejected")
    assert rows.decisions(first)[0][1:3] == ("reject", HALF_A_REASON)
    desk.is_live()
    later = rows.do(crew.ask, "five")
    expect(desk.row(later)).to_be_visible()


def test_the_line_comes_back_when_the_reviewer_does_and_is_signed_in_again(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, quiet=False)
    open_live(desk, first)
    desk.page.context.clear_cookies(name="sessionid")
    desk.page.keyboard.press("a")
    expect(desk.page.get_by_role("link", name="Signed out: sign in")).to_be_visible()
    sign_in_elsewhere(desk, crew.anna.username)
    desk.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    desk.is_live()
    expect(desk.page.get_by_role("link", name="Signed out: sign in")).to_have_count(0)
