"""Modifying on the running product: what a reviewer names instead is what happens, once."""

import pytest
from playwright.sync_api import Browser, expect

from tests.support.decider import Decider
from tests.support.site import Site
from tests.support.stack import Agent, Reviewer, Stack, wait_until

pytestmark = pytest.mark.stack

THREE_BUTTONS = """<!doctype html><html lang="en"><title>Checkout</title><body>
<h1>Checkout</h1>
<form aria-label="Summary"><button type="button" data-count="first">Open</button></form>
<form aria-label="Order"><button type="button" data-count="second">Open</button></form>
<div style="height: 900px"></div>
<button type="button" id="later" data-count="third" style="margin-left: 300px">Save it</button>
<input aria-label="Note" id="one-note"><input aria-label="Note" id="other-note">
<select aria-label="Size"><option>Red</option><option>Blue</option></select>
<select aria-label="Colours" multiple><option>Red</option><option>Blue</option>
<option>Green</option></select><output id="colours">none</output>
<output id="first">0</output><output id="second">0</output><output id="third">0</output>
<script>
for (const button of document.querySelectorAll("[data-count]"))
  button.addEventListener("click", () => {
    const shown = document.getElementById(button.dataset.count);
    shown.textContent = Number(shown.textContent) + 1;
  });
const colours = document.querySelector("select[multiple]");
colours.addEventListener("change", () => {
  const chosen = [...colours.selectedOptions].map((option) => option.value);
  document.getElementById("colours").textContent = chosen.join();
});
</script></body></html>"""
COUNTS = "#first, #second, #third"


def ask(agent: Agent, site: Site, tool: str = "browser_click", **params: object) -> dict:
    agent.open_run(site.page(THREE_BUTTONS))
    answer = agent.send(tool, **{"target": "text=Open", **params})
    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "requires_approval"
    return answer.json()


def test_another_selector_is_looked_up_and_its_element_is_clicked_once(
    agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    card = reviewer.open_card(asked["proposal_id"])
    page = reviewer.page
    page.get_by_label("Another selector").fill("#later")
    page.keyboard.press("Enter")
    expect(card.locator("[data-look]")).to_contain_text("exactly one element", timeout=20_000)
    expect(card.locator("[data-look]")).to_contain_text("Save it")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert agent.texts(COUNTS) == ["0", "0", "1"]
    expect(card.locator("[data-changes]")).to_contain_text("#later")


def test_a_point_of_the_picture_is_clicked_once(
    agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    card = reviewer.open_card(asked["proposal_id"])
    box = card.locator("[data-box='1']").bounding_box()
    card.get_by_role("button", name="Pick on the picture").click()
    aim = card.locator("[data-aim]").bounding_box()
    at = {"x": box["x"] + box["width"] / 2 - aim["x"], "y": box["y"] + box["height"] / 2 - aim["y"]}
    card.locator("[data-aim]").click(position=at)
    expect(card.locator("[data-look]")).to_contain_text("same element as #2", timeout=20_000)
    reviewer.page.keyboard.press("a")
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert agent.texts(COUNTS) == ["0", "1", "0"]


def test_a_changed_text_is_what_arrives(agent: Agent, reviewer: Reviewer, site: Site) -> None:
    asked = ask(agent, site, "browser_type", target="input", text="agent's words")
    card = reviewer.open_card(asked["proposal_id"])
    card.get_by_label("Write instead into text").fill("a person's words")
    card.locator("[data-candidate='1'] label").click()
    card.locator("[data-approve]").click()
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    expect(card.locator("[data-changes] ins")).to_have_text("a person's words")
    snapshot = agent.send("browser_snapshot").text
    assert "a person's words" in snapshot
    assert "agent's words" not in snapshot


def test_changed_options_are_what_is_chosen(agent: Agent, reviewer: Reviewer, site: Site) -> None:
    asked = ask(agent, site, "browser_select_option", target="select", values=["Red", "Blue"])
    card = reviewer.open_card(asked["proposal_id"])
    card.get_by_label("Choose instead").fill("Blue\nGreen")
    card.locator("[data-candidate='1'] label").click()
    card.locator("[data-approve]").click()
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert agent.texts("#colours") == ["Blue,Green"]
    expect(card.locator("[data-changes] ins")).to_have_text("Blue, Green")


def test_what_matches_two_cannot_be_approved(
    stack: Stack, agent: Agent, reviewer: Reviewer, decider: Decider, site: Site
) -> None:
    asked = ask(agent, site)
    card = reviewer.open_card(asked["proposal_id"])
    reviewer.page.get_by_label("Another selector").fill("form button")
    reviewer.page.keyboard.press("Enter")
    expect(card.locator("[data-look]")).to_contain_text("two: not one", timeout=20_000)
    expect(card.locator("[data-look] [data-pick]")).to_have_count(0)
    forced = decider.decide(
        asked["proposal_id"], "modify", modifications={"selector": "form button"}
    )
    assert forced.status_code == 422
    assert agent.texts(COUNTS) == ["0", "0", "0"]


def test_a_look_at_a_run_that_died_says_so(
    stack: Stack, agent: Agent, reviewer: Reviewer, site: Site
) -> None:
    asked = ask(agent, site)
    card = reviewer.open_card(asked["proposal_id"])
    reviewer.page.get_by_label("Another selector").fill("#later")
    reviewer.page.context.set_offline(True)  # its page hears of nothing
    agent.finish_all()
    statement = "SELECT status FROM proposals_proposal WHERE id = %s"
    wait_until(lambda: stack.sql(statement, asked["proposal_id"])[0][0] == "cancelled", 20)
    reviewer.page.context.set_offline(False)
    reviewer.page.keyboard.press("Enter")
    told = card.get_by_text("This proposal is cancelled").or_(card.get_by_text("The run ended"))
    expect(told.first).to_be_visible(timeout=20_000)


def test_two_people_are_needed_and_only_then_is_it_clicked(
    stack: Stack, agent: Agent, reviewer: Reviewer, chromium: Browser, site: Site
) -> None:
    html = THREE_BUTTONS.replace(">Open<", ">Delete account<")
    with (
        stack.flag("IRREVERSIBLE_NEEDS_TWO_PEOPLE", True),
        stack.reviewer(chromium) as other,
    ):
        agent.open_run(site.page(html))
        asked = agent.send("browser_click", target="text=Delete account").json()
        cards = [person.open_card(asked["proposal_id"]) for person in (reviewer, other)]
        reviewer.page.keyboard.press("2")
        cards[0].locator("[data-word]").fill("approve")
        cards[0].locator("[data-approve]").click()
        expect(cards[0]).to_contain_text("waits for another person")
        assert agent.texts(COUNTS) == ["0", "0", "0"]
        expect(cards[1]).to_contain_text(f"{reviewer.name} approved #2", timeout=15_000)
        cards[1].locator("[data-word]").fill("approve")
        cards[1].locator("[data-approve]").click()
        assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert agent.texts(COUNTS) == ["0", "1", "0"]
