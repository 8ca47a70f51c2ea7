"""The list beside the card: filters, long queues, keys and alerts of one's own, a lost line."""

import json
import re
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from agents.models import Person
from core import clock
from core.actors import SYSTEM
from proposals import services
from proposals.domain import Event
from proposals.models import Proposal
from tests.pages.conftest import Desk, OpenDesk, Rows
from tests.pages.seed import Crew
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.support.clients import client_of
from tests.support.crowd import COPIES
from webhooks import escalations

LONG = 1_000
Listed = Callable[..., list[str]]


def get(rows: Rows, person: Person, path: str, **query: Any) -> HttpResponse:
    return rows.do(lambda: client_of(person).get(path, query))


def post(rows: Rows, person: Person, path: str, **fields: str) -> HttpResponse:
    return rows.do(lambda: client_of(person).post(path, fields))


def ids_in(answer: HttpResponse) -> list[str]:
    return re.findall(r'data-row="([0-9a-f-]{36})"', answer.content.decode())


def place_after(answer: HttpResponse) -> str:
    found = re.search(r'data-after="([^"]+)"', answer.content.decode())
    return found[1] if found else ""


def copy(proposal: Proposal, count: int = LONG) -> None:
    with connection.cursor() as cursor:
        cursor.execute(COPIES, [count, proposal.pk])


@pytest.fixture
def listed(rows: Rows, crew: Crew) -> Listed:
    """Which kinds of cards anna's queue shows under some filters."""
    cards = {str(rows.do(crew.ask, name).pk): name for name in ("two", "five", "student", "upload")}

    def names(**query: str) -> list[str]:
        return [cards[one] for one in ids_in(get(rows, crew.anna, "/queue/list", **query))]

    return names


# --- filters -------------------------------------------------------------------------------
def test_filters_show_what_fits_all_of_them(crew: Crew, listed: Listed) -> None:
    assert listed() == ["two", "five", "student", "upload"]
    assert listed(agent=crew.agents["price-watch"].name) == ["five"]
    assert listed(tier="student") == ["student", "upload"]
    assert listed(level="high") == ["student"]
    assert listed(level="none") == ["upload"]
    assert listed(tier="student", level="none") == ["upload"]
    assert listed(site="sprigandstone") == ["two", "five", "student"]
    assert listed(site="SHOP.sprig") == ["two", "five", "student"]


@pytest.mark.parametrize("site", ["account", "evil.example", "shop-sprig", ".*"])
def test_a_site_is_a_part_of_the_host_and_nothing_else(site: str, listed: Listed) -> None:
    expected = ["two", "five", "student"] if site == ".*" else []  # read as a dot
    assert listed(site=site) == expected


def test_what_is_no_filter_filters_nothing(listed: Listed) -> None:
    assert len(listed(tier="emperor", level="sure", after="yesterday")) == 4


def test_mine_is_what_i_opened_last_or_decided(rows: Rows, crew: Crew) -> None:
    opened, decided, other = (rows.do(crew.ask, name) for name in ("two", "five", "student"))
    rows.do(services.view, opened, person=crew.anna)
    rows.do(services.view, other, person=crew.ben)
    rows.do(services.reject, decided.pk, person=crew.anna, version=1, reason="No.")
    mine = ids_in(get(rows, crew.anna, "/queue/list", mine="1"))
    assert mine == [str(opened.pk), str(decided.pk)]


def test_a_changed_row_is_shown_only_where_it_fits(rows: Rows, crew: Crew) -> None:
    two, five = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    asked = {"id": [two.pk, five.pk, "nonsense"], "level": "ambiguous"}
    answer = get(rows, crew.anna, "/queue/rows", **asked)
    assert ids_in(answer) == [str(five.pk)]
    assert 'data-count="1" data-total="2"' in answer.content.decode()


def test_filters_are_chosen_by_key_and_survive_a_reload(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    two, five, student = (rows.do(crew.ask, name) for name in ("two", "five", "student"))
    desk = open_desk(crew.anna)
    desk.is_live()
    desk.page.keyboard.press("/")
    expect(desk.page.locator("[data-filters] [name=agent]")).to_be_focused()
    desk.page.locator("[data-filters] [name=level]").select_option("ambiguous")
    expect(desk.row(two)).to_have_count(0)
    desk.page.wait_for_url("**/?level=ambiguous")
    assert_no_violation(desk.page)
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("j")
    expect(desk.card).to_have_attribute("data-card", str(five.pk))
    desk.page.wait_for_url(f"**/proposals/{five.pk}?level=ambiguous")

    desk.page.reload()
    expect(desk.row(five)).to_be_visible()
    expect(desk.row(two)).to_have_count(0)
    expect(desk.page).to_have_title("(3) Pointsman")  # the tab counts all that waits
    expect(desk.page.locator("[data-waiting-count]")).to_have_text("1")

    late, other = rows.do(crew.ask, "five"), rows.do(crew.ask, "two")
    expect(desk.row(late)).to_be_visible()
    expect(desk.page).to_have_title("(5) Pointsman")
    expect(desk.row(other)).to_have_count(0)
    desk.page.keyboard.press("f")
    desk.page.get_by_role("link", name="Clear", exact=True).click()
    expect(desk.row(student)).to_be_visible()
    desk.page.wait_for_url(f"**/proposals/{five.pk}")


def test_when_nothing_fits_the_page_says_so(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    two = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.page.goto("/?site=elsewhere")
    nothing = desk.page.get_by_role("heading", name="Nothing fits the filters")
    expect(nothing).to_be_visible()
    expect(desk.page.locator("[data-stage] p").filter(visible=True)).to_have_count(
        1
    )  # no more words
    desk.page.get_by_role("link", name="Clear the filters").click()
    expect(desk.card).to_have_attribute("data-card", str(two.pk))


@pytest.mark.parametrize("width", [360, 768])
def test_the_filters_fit_a_narrow_screen(
    width: int, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    rows.do(crew.ask, "long")
    desk = open_desk(crew.anna, width=width, color_scheme="dark")
    for name in ("Filter", "Alerts"):
        desk.page.locator("summary").filter(has_text=name).click()
        assert_nothing_sticks_out(desk.page)
        assert_no_violation(desk.page)


# --- a long queue --------------------------------------------------------------------------
def test_a_thousand_cards_are_small_and_few_questions(rows: Rows, crew: Crew) -> None:
    rows.do(copy, rows.do(crew.ask, "two"), 1)
    short = rows.do(_questions, crew.anna)
    rows.do(copy, rows.do(crew.ask, "irreversible"), 10)
    rows.do(copy, rows.do(crew.ask, "five"), LONG)
    assert rows.do(_questions, crew.anna) == short
    page = get(rows, crew.anna, "/")
    assert len(page.content) < 150_000
    assert f"data-waiting-count>{LONG + 14}<" in page.content.decode()


def _questions(person: Person) -> int:
    client = client_of(person)
    client.get("/queue/list")
    with CaptureQueriesContext(connection) as asked:
        assert client.get("/queue/list").status_code == 200
    return len(asked)


def test_pages_follow_one_another_with_nothing_missed_or_doubled(rows: Rows, crew: Crew) -> None:
    rows.do(copy, rows.do(crew.ask, "two"), 110)
    rows.do(copy, rows.do(crew.ask, "irreversible"), 50)
    seen: list[str] = []
    answer = get(rows, crew.anna, "/queue/list")
    while True:
        seen += ids_in(answer)
        if not place_after(answer):
            break
        # Somebody decides what was shown: what comes after stays in its place.
        rows.do(Proposal.objects.filter(pk=seen[-2]).update, status="approved", version=2)
        answer = get(rows, crew.anna, "/queue/list", after=place_after(answer))
    assert len(seen) == len(set(seen)) == 162
    risks = rows.do(lambda: dict(Proposal.objects.filter(pk__in=seen).values_list("pk", "risk")))
    ordered = [risks[next(pk for pk in risks if str(pk) == one)] for one in seen]
    assert ordered == ["irreversible"] * 51 + ["ordinary"] * 111


def test_a_long_queue_is_read_in_as_it_is_scrolled(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    last = rows.do(crew.ask, "two")
    rows.do(copy, last, 130)
    desk = open_desk(crew.anna)
    desk.is_live()
    waiting = desk.page.locator("[data-rows=waiting] > [data-row]")
    assert waiting.count() < 90
    late = rows.do(crew.ask, "irreversible")  # above everything
    end = rows.do(crew.ask, "student")  # below what was read in
    expect(desk.row(late)).to_be_visible()
    expect(desk.row(end)).to_be_attached()
    expect(desk.page).to_have_title("(133) Pointsman")

    _scroll_to_the_end(desk, expected=133)

    assert len(set(_shown(desk.page))) == 133
    assert _shown(desk.page)[0] == str(late.pk)
    assert _shown(desk.page)[-1] == str(end.pk)


def _scroll_to_the_end(desk: Desk, *, expected: int) -> None:
    deadline = time.monotonic() + 20
    while len(_shown(desk.page)) < expected and time.monotonic() < deadline:
        desk.page.locator("[data-queue]").evaluate("e => e.scrollTo(0, e.scrollHeight)")
        desk.page.wait_for_timeout(100)


def _shown(page: Page) -> list[str]:
    script = "rows => rows.map((row) => row.dataset.row)"
    return page.locator("[data-rows=waiting] > [data-row]").evaluate_all(script)


# --- a lost line ---------------------------------------------------------------------------
def test_without_a_line_the_page_asks_by_itself(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    kept = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, quiet=False)
    desk.page.route_web_socket("**/ws/desk", lambda socket: socket.close())
    desk.page.goto("/")
    expect(desk.page.locator("[data-line]")).to_contain_text("Reconnecting…")
    came = rows.do(crew.ask, "five")
    rows.do(services.reject, kept.pk, person=crew.ben, version=1, reason="No.")
    expect(desk.row(came)).to_have_count(1)  # within five seconds
    expect(desk.card).to_have_attribute("data-status", "rejected")
    expect(desk.page).to_have_title("(1) Pointsman")


def test_a_card_whose_run_ended_says_so_in_place(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    desk.open(asked)
    desk.is_live()
    desk.page.keyboard.press("r")
    desk.page.keyboard.type("half a reason")

    rows.do(services.cancel_of_run, asked.run_id, actor=SYSTEM)

    expect(desk.card).to_contain_text("The run ended before a decision. Nothing was done.")
    expect(desk.card).to_contain_text("half a reason")
    expect(desk.approve).to_have_count(0)
    expect(desk.row(asked)).to_contain_text("cancelled")


# --- keys and alerts of one's own ------------------------------------------------------------
def test_keys_are_kept_for_the_person(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    first, second = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna, quiet=False)
    page = desk.page
    page.keyboard.press("?")
    page.get_by_text("Choose other keys").click()
    field = page.get_by_label("next card", exact=True)
    field.press("a")
    expect(page.get_by_role("alert")).to_contain_text("The key a would mean two things")
    assert_no_violation(page)
    field.press("n")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Keep these keys").click()
    expect(page.get_by_role("dialog").locator("[data-key-of=next]")).to_have_text("n")
    page.reload()
    expect(desk.card).to_have_attribute("data-card", str(first.pk))
    page.keyboard.press("j")
    page.keyboard.press("n")
    expect(desk.card).to_have_attribute("data-card", str(second.pk))
    page.keyboard.press("?")
    page.get_by_text("Choose other keys").click()
    page.get_by_role("button", name="Back to the usual ones").click()
    expect(page.get_by_role("dialog").locator("[data-key-of=next]")).to_have_text("j")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    expect(desk.card).to_have_attribute("data-card", str(first.pk))


@pytest.mark.parametrize(
    ("asked", "act"),
    [
        ({"next": "k"}, "next"),
        ({"approve": "1"}, "approve"),
        ({"help": ""}, "help"),
        ({"undo": "uu"}, "undo"),
    ],
)
def test_keys_that_cannot_be_are_refused(
    asked: dict[str, str], act: str, rows: Rows, crew: Crew
) -> None:
    answer = post(rows, crew.anna, "/queue/keys", **asked)
    assert answer.status_code == 422
    assert json.loads(answer.content)["act"] == act
    assert rows.do(lambda: Person.objects.get(pk=crew.anna.pk).preferences) == {}


def test_the_buttons_name_the_keys_that_press_them(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    first, _ = rows.do(crew.ask, "two"), rows.do(crew.ask, "five")
    desk = open_desk(crew.anna)
    desk.open(first)
    expect(desk.approve.locator("kbd")).to_have_text("a")
    desk.page.keyboard.press("?")
    desk.page.get_by_text("Choose other keys").click()
    for words, pressed in (("approve;", "y"), ("next card", "x")):
        desk.page.get_by_label(words).press(pressed)
    desk.page.get_by_role("button", name="Keep these keys").click()
    expect(desk.approve.locator("kbd")).to_have_text("y")  # on the card that is open
    desk.page.keyboard.press("Escape")
    desk.page.reload()
    expect(desk.approve.locator("kbd")).to_have_text("y")
    desk.page.keyboard.press("a")
    expect(desk.card).to_have_attribute("data-status", "pending")
    desk.page.keyboard.press("y")
    expect(desk.card).to_have_attribute("data-status", "approved")
    expect(desk.card.locator("[data-next] kbd")).to_have_text("x")


def test_keys_are_read_and_chosen_on_a_phone(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    desk = open_desk(crew.anna, width=360, height=740)
    page = desk.page
    page.locator(".menu > summary").click()
    page.get_by_role("button", name="Keys and help").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.locator(".menu")).not_to_have_attribute("open", "")
    page.get_by_text("Choose other keys").click()
    assert_no_violation(page)
    field = page.get_by_label("next card")
    field.focus()
    page.keyboard.insert_text("n")  # as a phone's keyboard does: no key is pressed
    expect(field).to_have_value("n")
    page.get_by_role("button", name="Keep these keys").click()
    expect(page.get_by_role("dialog").locator("[data-key-of=next]")).to_have_text("n")


def test_alerts_and_keys_do_not_undo_one_another(rows: Rows, crew: Crew) -> None:
    post(rows, crew.anna, "/queue/alerts", sound="on")
    post(rows, crew.anna, "/queue/keys", reject="x")
    kept = rows.do(lambda: Person.objects.get(pk=crew.anna.pk).preferences["desk"])
    assert kept == {"keys": {"reject": "x"}, "sound": True, "notify": False}
    assert rows.do(lambda: Person.objects.get(pk=crew.ben.pk).preferences) == {}


LISTEN = """
window.rung = 0;
window.notes = [];
window.asked = 0;
AudioContext.prototype.createOscillator = new Proxy(AudioContext.prototype.createOscillator, {
  apply(make, context, args) { window.rung += 1; return make.apply(context, args); },
});
window.Notification = class extends EventTarget {
  static permission = "default";
  static async requestPermission() { window.asked += 1; return (this.permission = "granted"); }
  constructor(title, { body }) { super(); window.notes.push(`${title}: ${body}`); }
};
Document.prototype.hasFocus = () => false;
"""


def called_at_the_desk(desk: Desk) -> Page:
    """Somebody who wants to be called, by both."""
    page = desk.page
    page.add_init_script(LISTEN)
    page.goto("/")
    desk.is_live()
    page.locator("summary").filter(has_text="Alerts").click()
    with page.expect_response("**/queue/alerts"):
        page.get_by_label("Show a notification while I look elsewhere").check()
    with page.expect_response("**/queue/alerts"):
        page.get_by_label("Play a sound").check()
    page.evaluate("window.rung = 0")
    return page


def test_sound_and_notification_are_opt_in_and_asked_for_by_a_click(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna)
    page = desk.page
    page.add_init_script(LISTEN)
    page.goto("/")
    desk.is_live()
    expect(desk.row(rows.do(crew.ask, "two"))).to_be_visible()
    assert page.evaluate("[rung, notes, asked]") == [0, [], 0]

    page.locator("summary").filter(has_text="Alerts").click()
    with page.expect_response("**/queue/alerts"):
        page.get_by_label("Show a notification while I look elsewhere").check()
    with page.expect_response("**/queue/alerts"):
        page.get_by_label("Play a sound").check()
    assert page.evaluate("asked") == 1
    rung = page.evaluate("rung")
    assert rung > 0  # so that one knows it

    expect(desk.row(rows.do(crew.ask, "five"))).to_be_visible()
    page.wait_for_function("notes.length === 1")
    assert page.evaluate("notes") == ["Pointsman: A card waits: danger 0.00"]
    assert page.evaluate("rung") > rung
    page.reload()
    expect(page.get_by_label("Play a sound")).to_be_checked()


def test_a_card_whose_outcome_got_lost_calls_as_a_new_one_does(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    card = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    page = called_at_the_desk(desk)
    rows.do(services.approve, card.pk, person=crew.ben, version=1)
    claimed = rows.do(services.claim, card.pk, lease_s=1)
    expect(desk.row(card)).to_have_attribute("data-status", "executing")
    assert page.evaluate("notes") == []
    rows.do(services.finish, claimed, Event.LOSE, error={"message": "It died."})
    expect(page.locator("[data-announcer]")).to_contain_text("New card: outcome unknown")
    assert page.evaluate("notes") == ["Pointsman: A card waits: outcome unknown"]
    assert page.evaluate("rung") > 0


def test_a_card_that_escalates_calls_everybody_of_its_team_once_more(
    rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    card = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna)
    page = called_at_the_desk(desk)
    rows.do(grow_old, card)
    assert card.pk in rows.do(escalations.escalate_due)
    expect(page.locator("[data-announcer]")).to_have_text(
        "A card still waits: most of its time is over"
    )
    assert page.evaluate("notes") == ["Pointsman: A card still waits: most of its time is over"]
    assert page.evaluate("rung") > 0


def grow_old(card: Proposal) -> None:
    """Eleven of its fifteen minutes are over."""
    came = clock.now() - timedelta(minutes=11)
    expires = came + timedelta(minutes=15)
    Proposal.objects.filter(pk=card.pk).update(created_at=came, expires_at=expires)
