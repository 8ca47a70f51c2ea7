"""Enter in a field of a form that orders is an order, whatever the field is called."""

from typing import Any

import pytest

from tests.support.decider import Decider
from tests.support.site import Site
from tests.support.stack import Agent, Stack, wait_until

pytestmark = pytest.mark.stack
PAGE = """<!doctype html><html lang="en"><title>Pay</title><body>
<form action="/ordered"><input name="card" aria-label="Card number">
<input name="again" aria-label="Card number"><button>{button}</button></form></body></html>"""
SHOP, SEARCH = PAGE.format(button="Place order"), PAGE.format(button="Search")
CALL = {"target": "role=textbox[name='Card number']", "text": "4", "submit": True}


def risk_of(stack: Stack, asked: dict[str, Any]) -> str:
    assert asked["status"] == "requires_approval", asked
    statement = "SELECT risk FROM proposals_proposal WHERE id = %s"
    return str(stack.sql(statement, asked["proposal_id"])[0][0])


def test_typing_with_submit_in_a_form_that_orders_is_irreversible(
    stack: Stack, agent: Agent, site: Site
) -> None:
    agent.open_run(site.page(SHOP))
    assert risk_of(stack, agent.send("browser_type", **CALL).json()) == "irreversible"


def test_typing_alone_or_into_a_search_is_ordinary(stack: Stack, agent: Agent, site: Site) -> None:
    agent.open_run(site.page(SHOP))
    typed = agent.send("browser_type", **{**CALL, "submit": False}).json()
    assert risk_of(stack, typed) == "ordinary"
    agent.finish_all()
    agent.open_run(site.page(SEARCH))
    assert risk_of(stack, agent.send("browser_type", **CALL).json()) == "ordinary"


def test_a_sure_search_goes_on_unasked(agent: Agent, site: Site) -> None:
    agent.open_run(site.page(SEARCH))
    answer = agent.send("browser_type", **{**CALL, "target": "[name=card][aria-label]"}).json()
    assert answer["status"] == "succeeded", answer


@pytest.mark.parametrize("key", ["Enter", "NumpadEnter", "Control+Enter"])
def test_the_enter_key_is_judged_by_what_it_presses(
    key: str, stack: Stack, agent: Agent, site: Site
) -> None:
    agent.open_run(site.page(SHOP.replace('name="card"', 'name="card" autofocus')))
    asked = agent.send("browser_press_key", key=key).json()
    assert risk_of(stack, asked) == "irreversible"


def test_what_a_person_taught_for_a_search_never_orders(
    agent: Agent, decider: Decider, site: Site
) -> None:
    url = site.page(SEARCH)
    agent.open_run(url)
    asked = agent.send("browser_type", **CALL).json()
    taught = decider.decide(asked["proposal_id"], chosen_index=0, remember="agent")
    assert taught.status_code == 200, taught.text
    agent.poll(asked["action_id"])
    agent.finish_all()
    agent.open_run(url)
    assert agent.send("browser_type", **CALL).json()["status"] == "succeeded"
    agent.finish_all()
    agent.open_run(site.page(SHOP))
    assert agent.send("browser_type", **CALL).json()["status"] == "requires_approval"


def test_a_form_that_turns_into_an_order_while_it_is_typed_gets_no_enter(
    agent: Agent, site: Site
) -> None:
    turns = """<script>document.querySelector("[name=card]").oninput = () => {
      document.querySelector("button").textContent = "Place order"; }</script>"""
    agent.open_run(site.page(SEARCH.replace("</body>", f"{turns}</body>")))
    answer = agent.send("browser_type", **{**CALL, "target": "[name=card][aria-label]"}).json()
    assert answer["error"]["code"] == "not_enabled", answer
    assert "cannot be undone" in answer["error"]["message"]


@pytest.mark.parametrize(
    "typed", [{"text": "4\n2", "slowly": True}, {"text": "4\r2", "slowly": True}, {"text": "\n"}]
)
def test_a_line_break_that_is_typed_submits_nothing(
    typed: dict[str, Any], agent: Agent, site: Site
) -> None:
    agent.open_run(site.page(SHOP))
    answer = agent.send("browser_type", target="[name=card][aria-label]", **typed).json()
    assert answer["status"] == "succeeded", answer
    assert "/ordered" not in answer["result"]["url"]


def test_an_approved_enter_is_not_pressed_when_its_button_became_another(
    stack: Stack, agent: Agent, decider: Decider, site: Site
) -> None:
    later = """<script>setTimeout(() => {
      document.querySelector("button").textContent = "Place order"; }, 3000)</script>"""
    agent.open_run(site.page(SEARCH.replace("</body>", f"{later}</body>")))
    asked = agent.send("browser_type", **CALL).json()
    agent.send("browser_wait_for", text="Place order")
    decider.decide(asked["proposal_id"], chosen_index=0)
    statement = "SELECT risk FROM proposals_proposal WHERE replaces_id = %s"
    wait_until(lambda: bool(stack.sql(statement, asked["proposal_id"])), 20)
    assert stack.sql(statement, asked["proposal_id"]) == [("irreversible",)]
