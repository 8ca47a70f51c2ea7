"""Pages in Italian: whole, and nothing of the English is left."""

from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, expect

from agents.languages import PREFERENCE
from agents.models import Person
from agents.services import set_preference
from tests.pages.conftest import Desk, OpenDesk, Rows, Web
from tests.pages.screens import admin_of, card_pages, room_pages
from tests.pages.seed import Crew, settled_cards
from tests.pages.test_every_page import assert_no_violation, assert_nothing_sticks_out
from tests.support.catalogues import ENGLISH, english_words

# Texts of ours: not those of pages and agents, codes, and what is English by its own word.
TEXTS = """() => {
    const theirs = "bdi, code, pre, script, style, template, kbd, textarea, [lang=en], select[name=agent], select[name=pin], select[name=override]";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [document.title];
    while (walker.nextNode()) {
        const node = walker.currentNode;
        if (!node.parentElement.closest(theirs)) texts.push(node.textContent.trim());
    }
    return texts.filter((text) => text);
}"""
LABELS = """() => [...document.querySelectorAll("[aria-label], [title], [placeholder], [alt], [data-label]")]
    .flatMap((each) => ["aria-label", "title", "placeholder", "alt", "data-label"].map((name) => each.getAttribute(name)))
    .filter((text) => text)"""


@pytest.fixture
def ada(rows: Rows, crew: Crew) -> Person:
    ada = rows.do(admin_of, crew)
    rows.do(set_preference, ada, PREFERENCE, "it")
    return ada


def assert_all_italian(page: Page) -> None:
    whole, pieces = english_words("it")
    texts, labels = page.evaluate(TEXTS), page.evaluate(LABELS)
    left = {text for text in (*texts, *labels) if text in whole}
    left |= {text for text in (*texts, *labels) for piece in pieces if piece in text}
    left |= {text for text in texts if ENGLISH.search(text)}
    assert not left, (page.url, left)


def test_a_person_reads_every_page_in_their_language(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    pages = {**card_pages(rows, crew), **rows.do(room_pages, crew, ada)}
    pages.pop("sign-in")  # nobody is signed in there
    desk = open_desk(ada, width=360, height=740, quiet=False)  # some pages are not found
    for open_it in pages.values():
        open_it(desk.page)
        desk.page.wait_for_load_state("networkidle")
        expect(desk.page.locator("html")).to_have_attribute("lang", "it")
        assert_nothing_sticks_out(desk.page)
        assert_no_violation(desk.page)
        assert_all_italian(desk.page)


def test_a_stranger_reads_the_doors_in_italian(web: Web, chromium: Browser) -> None:
    page = chromium.new_page(
        base_url=web.url, locale="it-IT", viewport={"width": 360, "height": 740}
    )
    for path in ("/sign-in", "/sign-in/forgotten", "/sign-in/once/used", "/sign-in/password/used"):
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("lang", "it")
        assert_nothing_sticks_out(page)
        assert_no_violation(page)
        assert_all_italian(page)
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_settled_cards_and_open_parts_are_italian_and_accessible(
    theme: str, rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada, color_scheme=theme)
    for card in rows.do(settled_cards, crew).values():
        desk.open(card)
        desk.page.locator("details").evaluate_all(
            "all => all.forEach((fold) => { fold.open = true; })"
        )
        assert_no_violation(desk.page)
        assert_all_italian(desk.page)


def test_the_scripts_speak_italian(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    desk = open_desk(ada)
    desk.open(rows.do(crew.ask, "two"))
    expect(desk.approve).to_contain_text("Approva #2")
    desk.page.keyboard.press("1")
    expect(desk.approve).to_contain_text("Approva invece #1")
    expect(desk.page.locator("[data-change-words]")).to_have_text(
        "La tua scelta: #1, invece di #2 consigliato"
    )
    assert_boxes_lie_on_the_picture(desk)


def assert_boxes_lie_on_the_picture(desk: Desk) -> None:
    """A comma in a number would leave them all in the corner."""
    picture = desk.page.locator("[data-picture]").bounding_box()
    places = [box.bounding_box() for box in desk.page.locator("[data-box]").all()]
    assert len({(place["x"], place["y"]) for place in places}) == len(places) > 1
    for place in places:
        assert place["x"] > picture["x"]
        assert place["x"] + place["width"] <= picture["x"] + picture["width"] + 1


def test_what_cannot_be_undone_asks_for_the_italian_word(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "irreversible")
    desk = open_desk(ada)
    desk.open(asked)
    word = desk.page.locator("[data-word]")
    word.fill("approve")
    expect(desk.approve).to_be_disabled()
    word.fill("approva")
    desk.approve.click()
    expect(desk.page.locator("[data-verdict]")).to_contain_text("Hai approvato #1")
    assert rows.decisions(asked)[0][1] == "approve"


def test_times_are_in_the_viewers_zone_and_words(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(ada, timezone_id="Asia/Tokyo")
    desk.open(asked)
    came = desk.page.locator(".card-came time")
    tokyo = asked.created_at.astimezone(ZoneInfo("Asia/Tokyo"))
    expect(came).to_have_text(f"{tokyo:%H:%M}")
    month = "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    assert f"{tokyo.day} {month.split()[tokyo.month - 1]} {tokyo.year}" in came.get_attribute(
        "title"
    )


def test_without_scripts_times_are_said_in_utc(
    rows: Rows, crew: Crew, ada: Person, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(ada, java_script_enabled=False)
    desk.open(asked)
    came = desk.page.locator(".card-came time")
    expect(came).to_have_text(f"{asked.created_at:%H:%M} UTC")
    assert came.get_attribute("title") == f"{asked.created_at:%Y-%m-%d %H:%M:%S} UTC"
