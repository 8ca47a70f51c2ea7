"""Writing to the agent from the card, and how it reaches the agent's waiting call."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from playwright.sync_api import expect

from agents.models import Person
from agents.services import create_key
from proposals import services
from tests.pages.conftest import OpenDesk, Rows, Web
from tests.pages.seed import Crew
from tests.pages.test_every_page import THEMES, assert_no_violation, assert_nothing_sticks_out
from tests.pages.test_stopping import open_menu, tab_to
from tests.support.clients import client_of


@pytest.fixture
def agent(rows: Rows, crew: Crew, web: Web) -> Iterator[httpx.Client]:
    key = rows.do(create_key, crew.agents["checkout-bot"])
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"{web.url}/api/v1", headers=headers, timeout=60) as client:
        yield client


def test_a_message_is_written_by_keyboard_and_seen_by_everybody(
    rows: Rows, crew: Crew, open_desk: OpenDesk, agent: httpx.Client
) -> None:
    asked = rows.do(crew.ask, "two")
    bens = open_desk(crew.ben)
    bens.open(asked)
    bens.is_live()
    annas = open_desk(crew.anna)
    annas.open(asked)
    annas.page.keyboard.press("1")  # half done: it must survive
    open_menu(annas)
    tab_to(annas.page, "Write to the agent…")
    annas.page.keyboard.press("Enter")
    annas.page.keyboard.press("Tab")
    annas.page.keyboard.type("Which <b>cart</b>?\u202e")  # its letters are no keys of the desk
    annas.page.keyboard.press("Tab")
    annas.page.keyboard.press("Enter")
    for desk in (annas, bens):
        told = desk.card.locator("[data-part=messages]")
        expect(told).to_contain_text(f"{crew.anna.username} told the agent")
        expect(told).to_contain_text("Which <b>cart</b>?⟦U+202E⟧")
        expect(told).to_contain_text("not fetched yet")
        expect(desk.card).to_have_attribute("data-status", "pending")
    expect(annas.approve).to_contain_text("#1")
    expect(annas.page.get_by_label("More to do with this card")).to_be_focused()
    answer = agent.get(f"/actions/{asked.action_id}").json()
    assert answer["messages"][0]["text"] == "Which <b>cart</b>?\u202e"
    bens.open(asked)
    expect(bens.card.locator("[data-part=messages]")).to_contain_text("delivered")
    bens.page.goto(f"/runs/{asked.run_id}")
    expect(bens.page.locator("#step-1")).to_contain_text("told the agent")


def test_a_waiting_poll_is_woken_by_a_message_and_the_next_one_waits_again(
    rows: Rows, crew: Crew, agent: httpx.Client
) -> None:
    asked = rows.do(crew.ask, "two")
    path = f"/actions/{asked.action_id}"
    with ThreadPoolExecutor(1) as pool:
        poll = pool.submit(agent.get, path, params={"wait_s": 40})
        time.sleep(1.5)
        assert not poll.done()
        began = time.monotonic()
        rows.do(services.say, asked.pk, person=crew.anna, text="Look at the second cart.")
        answer = poll.result()
    took_s = time.monotonic() - began
    print(f"the poll was woken after {took_s:.2f} s")
    assert took_s < 10
    assert (answer.status_code, answer.json()["status"]) == (202, "requires_approval")
    assert [one["from"] for one in answer.json()["messages"]] == [crew.anna.username]
    began = time.monotonic()
    again = agent.get(path, params={"wait_s": 2}).json()
    assert time.monotonic() - began > 1.8  # known already: no news
    assert len(again["messages"]) == 1
    assert agent.get(f"/proposals/{asked.pk}").json()["messages"] == again["messages"]


def test_a_message_between_two_polls_waits_for_the_next_one(
    rows: Rows, crew: Crew, agent: httpx.Client
) -> None:
    asked = rows.do(crew.ask, "two")
    rows.do(services.say, asked.pk, person=crew.anna, text="Wait for the sale.")
    began = time.monotonic()
    answer = agent.get(f"/actions/{asked.action_id}", params={"wait_s": 40}).json()
    assert time.monotonic() - began < 10
    assert answer["messages"][0]["text"] == "Wait for the sale."


def test_the_api_takes_a_message_from_reviewers_alone(
    rows: Rows,
    crew: Crew,
    cy: Person,
    agent: httpx.Client,
) -> None:
    asked = rows.do(crew.ask, "two")
    path = f"/proposals/{asked.pk}/message"
    assert agent.post(path, json={"text": "me"}).status_code == 403

    def post(person: Person, body: dict[str, str]) -> tuple[int, dict[str, object]]:
        def send() -> tuple[int, dict[str, object]]:
            client = client_of(person)
            answer = client.post(f"/api/v1{path}", body, content_type="application/json")
            return answer.status_code, answer.json()

        return rows.do(send)

    assert post(cy, {"text": "hello"})[0] == 404
    assert (
        rows.do(
            lambda: (
                client_of(cy).post(f"/proposals/{asked.pk}/message", {"message": "x"}).status_code
            )
        )
        == 404
    )
    assert post(crew.anna, {"text": "x" * 2001})[0] == 422
    assert post(crew.anna, {"text": "x", "loud": "yes"})[0] == 422
    status, body = post(crew.anna, {"text": "hello"})
    assert (status, body["status"], len(body["messages"])) == (201, "pending", 1)
    rows.do(services.reject, asked.pk, person=crew.ben, version=1, reason="no")
    assert post(crew.anna, {"text": "late"})[0] == 409


def test_a_refused_message_is_not_lost(rows: Rows, crew: Crew, open_desk: OpenDesk) -> None:
    asked = rows.do(crew.ask, "two")
    desk = open_desk(crew.anna, quiet=False)
    desk.open(asked)
    open_menu(desk)
    desk.page.get_by_text("Write to the agent…").click()
    desk.page.get_by_label("Message").fill("\u200b")
    desk.page.get_by_role("button", name="Send, without deciding").click()
    expect(desk.card.get_by_role("alert")).to_contain_text("Write something")
    assert desk.page.locator("#message").input_value() == "\u200b"


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_beside_a_message(
    theme: str, rows: Rows, crew: Crew, open_desk: OpenDesk
) -> None:
    asked = rows.do(crew.ask, "two")
    rows.do(services.say, asked.pk, person=crew.anna, text="long " * 300)
    for width in (360, 1440):
        desk = open_desk(crew.ben, color_scheme=theme, width=width)
        for path in (f"/proposals/{asked.pk}", f"/runs/{asked.run_id}"):
            desk.page.goto(path)
            assert_no_violation(desk.page)
            assert_nothing_sticks_out(desk.page)
