"""The conversation's page: a person writes, the right agent answers, and each turn says why."""

import re
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Page, expect

from agents.models import Person
from agents.services import create_person
from routing.models import Turn
from runs import conversing
from runs.models import Run
from tests.pages.conftest import OpenDesk, Rows
from tests.pages.seed import PASSWORD, SHOP, Crew, open_run
from tests.pages.talks import ask, run_with_talk, work
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out
from tests.support.clients import client_of
from tests.support.executors import Executors
from tests.support.stack import wait_until


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[Executors]:
    with Executors.started() as running:
        for name, value in running.settings().items():
            monkeypatch.setattr(django_settings, name, value)
        yield running


@pytest.fixture
def run(rows: Rows, crew: Crew) -> Run:
    return rows.do(open_run, crew.agents["checkout-bot"], url=SHOP, label="Order 1042")


@dataclass
class Talk:
    """The open page, and a worker for it."""

    page: Page
    rows: Rows
    run: Run

    def write(self, text: str) -> None:
        self.page.get_by_label("Your message").fill(text)
        self.page.keyboard.press("Control+Enter")
        expect(self.page.get_by_label("Your message")).to_have_value("")

    def work(self) -> Future[None]:
        return self.rows.begin(work, self.run)

    def say(self, text: str) -> None:
        self.write(text)
        self.work().result(20)

    @property
    def turns(self) -> Any:
        return self.page.locator("[data-turn]")

    @property
    def standing(self) -> Any:
        return self.page.locator("[data-standing]")


@pytest.fixture
def talk(rows: Rows, crew: Crew, run: Run, open_desk: OpenDesk) -> Talk:
    desk = open_desk(crew.anna)
    desk.page.goto(f"/runs/{run.pk}")
    desk.page.get_by_role("link", name="begin one").click()
    desk.is_live()
    return Talk(desk.page, rows, run)


def test_a_hard_task_is_confirmed_escalated_and_given_back(
    talk: Talk, models: Executors, rows: Rows
) -> None:
    models.primary.will("I would split it in three.", "Here they are.")
    models.escalation.will("Which package first?", "Done.")
    talk.say("refactor the whole dispatch layer")
    expect(talk.turns).to_have_count(2)
    expect(talk.turns.last.locator("[data-badge]")).to_have_text("local")
    talk.say("yes, go ahead")
    asked = talk.turns.last
    expect(asked).to_contain_text("Which package first?")
    expect(asked.locator("[data-badge]")).to_have_text("escalated")
    why = talk.turns.nth(2).locator("details")
    expect(why.locator("summary")).to_contain_text("escalated a confirmation")
    why.locator("summary").press("Enter")
    expect(why).to_contain_text("It confirms the user's task before it.")
    expect(why).to_contain_text("says “refactor”")
    expect(talk.standing).to_contain_text("asked a question")
    talk.say("the first one")
    expect(talk.turns.last).to_contain_text("Done.")
    expect(talk.turns.last.locator("[data-badge]")).to_have_text("escalated")
    expect(why, "what was unfolded stays so").to_have_attribute("open", "")
    expect(talk.standing).to_have_attribute("data-standing", "sticky")
    talk.say("/primary")
    expect(talk.standing).to_have_attribute("data-standing", "pinned-local")
    talk.say("list the files")
    expect(talk.turns.last).to_contain_text("Here they are.")
    expect(talk.turns.last.locator("[data-badge]")).to_have_text("local")
    talk.page.get_by_role("button", name="Let the rules decide").click()
    expect(talk.standing).to_have_attribute("data-standing", "free")
    talk.page.reload()
    expect(talk.turns).to_have_count(9)


def test_an_answer_is_read_while_it_is_written(talk: Talk, models: Executors) -> None:
    models.primary.will("<b>one</b> two\u202e three " + "four " * 30, drip_s=0.25)
    talk.write("count")
    working = talk.work()
    live = talk.page.locator("[data-live]")
    expect(live).to_contain_text("<b>one</b> two⟦U+202E⟧")
    assert not working.done()
    talk.page.wait_for_timeout(1_000)  # the news that it begins is fetched
    length = len(live.inner_text())
    fetched: list[str] = []
    talk.page.on("request", lambda request: fetched.append(request.url))
    wait_until(lambda: len(live.inner_text()) > length + 8, 5)
    assert fetched == [], "the words came over the socket"
    working.result(20)
    expect(live).to_have_count(0)
    expect(talk.turns.last).to_contain_text("four four")
    expect(talk.page.locator("[data-announcer]")).to_have_text("primary-1 answered.")


def test_another_person_sees_it_too_and_one_of_another_team_does_not(
    talk: Talk, models: Executors, crew: Crew, cy: Person, run: Run, open_desk: OpenDesk
) -> None:
    models.primary.will("Two.")
    other = open_desk(crew.ben)
    other.page.goto(f"/runs/{run.pk}/conversation")
    other.is_live()
    talk.say("how many?")
    expect(other.page.locator("[data-turn]").last).to_contain_text("Two.")
    stranger = open_desk(cy, quiet=False)
    assert stranger.page.goto(f"/runs/{run.pk}/conversation").status == 404
    refused = stranger.page.evaluate(
        """(path) => new Promise((told) => {
          const socket = new WebSocket(`ws://${location.host}${path}`);
          socket.onmessage = (event) => told(event.data);
          socket.onclose = (event) => told(event.code);
        })""",
        f"/ws/runs/{run.pk}/conversation",
    )
    assert refused == 4401


def test_who_loses_the_team_hears_nothing_more(
    talk: Talk, models: Executors, crew: Crew, rows: Rows, run: Run, open_desk: OpenDesk
) -> None:
    models.primary.will("Two.")
    other = open_desk(crew.ben, quiet=False)
    other.page.goto(f"/runs/{run.pk}/conversation")
    other.is_live()
    rows.do(crew.ben.teams.clear)
    talk.say("how many?")
    expect(other.page.locator("[data-line][data-state=lost]")).to_be_attached()
    expect(other.page.locator("[data-turn]")).to_have_count(0)


def test_a_failed_turn_says_why_keeps_every_word_and_is_sent_again(
    talk: Talk, models: Executors
) -> None:
    models.primary.breaks_off("One two three")
    talk.say("count to four")
    turn = talk.turns.last
    expect(turn).to_contain_text("count to four")
    expect(turn).to_contain_text("One two three")
    expect(turn).to_contain_text("its answer broke off")
    models.primary.will("One two three four.")
    turn.get_by_role("button", name="Send again").press("Enter")
    expect(turn).to_contain_text("waiting")
    talk.work().result(20)
    expect(talk.turns).to_have_count(2)
    expect(talk.turns.last).to_contain_text("One two three four.")


def test_without_a_model_the_turn_says_so(talk: Talk) -> None:
    expect(talk.page.locator("[data-talk]")).to_contain_text("No model is connected: messages")
    talk.say("/escalate plan it")
    expect(talk.turns.last).to_contain_text("No model is connected for this agent")
    expect(talk.turns.last.locator("[data-badge]")).to_have_text("escalated")


def test_a_plain_yes_confirms_the_question_the_page_shows(
    talk: Talk, models: Executors, crew: Crew, rows: Rows, run: Run
) -> None:
    models.primary.will("It costs £65.99.")
    asked = rows.do(ask, crew, run)
    talk.page.reload()
    expect(talk.page.locator(".question")).to_contain_text("Place the order")
    talk.say("what does it cost?")
    expect(talk.turns.first).to_contain_text("This was not taken as a yes")
    talk.say("yes, go ahead")
    expect(talk.turns.last).to_contain_text("The agent may go on.")
    expect(talk.page.locator(".question")).to_have_count(0)
    assert rows.fresh(asked).status == "approved"


def test_a_message_that_was_refused_stays_in_the_box(
    crew: Crew, run: Run, open_desk: OpenDesk
) -> None:
    page = open_desk(crew.anna, quiet=False).page  # a refusal stands in the console
    page.goto(f"/runs/{run.pk}/conversation")
    page.get_by_label("Your message").fill("  ")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_have_text("Write something.")
    expect(page.get_by_label("Your message")).to_have_value("  ")


def test_without_a_socket_the_page_asks_by_itself(
    rows: Rows, crew: Crew, run: Run, open_desk: OpenDesk, models: Executors
) -> None:
    models.primary.will("Two.")
    desk = open_desk(crew.anna, quiet=False)
    desk.page.add_init_script(
        """window.WebSocket = class extends EventTarget {
          constructor() { super(); setTimeout(() => this.dispatchEvent(new CloseEvent("close"))); }
          close() {}
        };"""
    )
    desk.page.goto(f"/runs/{run.pk}/conversation")
    talk = Talk(desk.page, rows, run)
    talk.say("how many?")
    expect(talk.turns).to_have_count(2, timeout=12_000)


def test_itworks_without_scripts(
    rows: Rows, crew: Crew, run: Run, open_desk: OpenDesk, models: Executors
) -> None:
    models.primary.will("Two.")
    page = open_desk(crew.anna, java_script_enabled=False).page
    page.goto(f"/runs/{run.pk}/conversation")
    page.get_by_label("Your message").fill("how many?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("[data-turn]")).to_have_count(1)
    rows.do(work, run)
    page.reload()
    expect(page.locator("[data-turn]").last).to_contain_text("Two.")


def test_long_conversations_come_in_pages(rows: Rows, crew: Crew, run: Run, talk: Talk) -> None:
    for number in range(63):
        rows.do(conversing.say, crew.anna, run, f"message {number}")
    talk.page.reload()
    expect(talk.turns).to_have_count(60)
    talk.page.get_by_role("link", name="Earlier turns").click()
    expect(talk.turns).to_have_count(3)
    talk.page.get_by_role("link", name="Latest turns").click()
    expect(talk.turns.last).to_contain_text("message 62")


def test_many_at_once_each_get_a_number_of_their_own(
    rows: Rows, crew: Crew, run: Run, talk: Talk
) -> None:
    """Twelve people press Send in the same moment."""
    said = talk.page.evaluate(
        """(path) => Promise.all([...Array(12).keys()].map((number) => fetch(path, {
          method: "POST",
          headers: { "Content-Type": "application/json",
            "X-CSRFToken": document.cookie.match(/csrftoken=([^;]+)/)[1] },
          body: JSON.stringify({ content: `message ${number}` }),
        }).then((answer) => answer.status)))""",
        f"/api/v1/runs/{run.pk}/messages",
    )
    assert said == [202] * 12
    numbers = rows.do(
        lambda: list(Turn.objects.filter(conversation_id=run.pk).values_list("number", flat=True))
    )
    assert numbers == list(range(1, 24, 2))


# --- who may ------------------------------------------------------------------------------
def test_who_may_not_finds_nothing_and_an_auditor_reads_only(
    rows: Rows, crew: Crew, cy: Person, run: Run, open_desk: OpenDesk
) -> None:
    rows.do(conversing.say, crew.anna, run, "hello")
    page = f"/runs/{run.pk}/conversation"
    doors = (f"{page}/say", f"{page}/1/resend", f"{page}/unpin")

    def statuses(person: Person) -> list[int]:
        client = client_of(person)
        return [client.get(page).status_code, *(client.post(door).status_code for door in doors)]

    assert rows.do(statuses, cy) == [404, 404, 404, 404]
    auditor = rows.do(_auditor)
    assert rows.do(statuses, auditor) == [200, 403, 403, 403]
    desk = open_desk(auditor)
    desk.page.goto(page)
    expect(desk.page.locator("[data-turn]")).to_have_text(re.compile("hello"))
    expect(desk.page.get_by_label("Your message")).to_have_count(0)


def _auditor() -> Person:
    auditor = create_person(f"aud-{Person.objects.count()}", role="auditor")[0]
    auditor.set_password(PASSWORD)
    auditor.save()
    return auditor


# --- looks --------------------------------------------------------------------------------
@pytest.mark.parametrize("theme", THEMES)
def test_it_reads_well_at_every_width(
    theme: str, rows: Rows, crew: Crew, run: Run, open_desk: OpenDesk
) -> None:
    desk = open_desk(crew.anna, color_scheme=theme)
    desk.page.goto(f"/runs/{run.pk}/conversation")
    assert_no_violation(desk.page)  # nothing said
    desk.page.goto(f"/runs/{rows.do(run_with_talk, crew).pk}/conversation")
    for width in (360, 768, 1440):
        desk.page.set_viewport_size({"width": width, "height": 900})
        desk.page.reload()
        for fold in desk.page.locator("details.turn-why").all()[:2]:
            fold.locator("summary").click()
        assert_nothing_sticks_out(desk.page)
        assert_no_violation(desk.page)
