"""The confirmation protocol over REST, on pages of a site with a profile of its own."""

import uuid
from collections.abc import Iterator

import pytest

from tests.support.decider import Decider
from tests.support.stack import Agent, Stack
from tests.support.yard import Yard

pytestmark = pytest.mark.stack

REVIEW = """<h1>Review</h1><div id="review"><a href="#top" id="edit">Edit address</a>
<form onsubmit="hit('order'); return false"><input id="note" aria-label="Note">
<button id="place">Place order <i id="icon">✓</i></button></form>
<button id="bottom" onclick="hit('bottom')">Place order at the bottom</button></div>"""
PROFILE = """
name: {name}
sites: ["http://127.0.0.1:{port}/**"]
{mode}
screens:
  - {{id: CHECKOUT_REVIEW, url: "/review"}}
  - {{id: CHECKOUT_PAYMENT, url: "/payment"}}
elements:
  - {{id: checkout_review.place_order, selector: "#place"}}
  - {{id: checkout_review.place_order_bottom, selector: "#bottom"}}
irreversible: [checkout_review.place_order, checkout_review.place_order_bottom]
"""
TASK = {"success_criteria": ["SC_CHECKOUT"]}


@pytest.fixture(scope="module")
def profile(stack: Stack, yard: Yard, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name = f"yard-{uuid.uuid4().hex[:6]}"
    path = tmp_path_factory.mktemp("profile") / "profile.yaml"
    path.write_text(PROFILE.format(name=name, port=yard.port, mode=""))
    stack.manage("profile", str(path), "--save")
    yield name
    stack.sql("UPDATE confirmations_profile SET is_active = false")


@pytest.fixture
def agent(bot: Agent, yard: Yard, profile: str) -> Iterator[Agent]:
    yard.clear()
    yard.page(REVIEW, "/payment")
    yield bot
    bot.finish_all()


def open_run(agent: Agent, yard: Yard, path: str = "", **body: object) -> dict:
    url = yard.page(REVIEW, "/review")
    answer = agent.http.post(f"/runs{path}", json={"start_url": url, **body})
    assert answer.status_code == 201, answer.text
    agent.run_id = answer.json()["id"]
    return answer.json()


def ask(agent: Agent, words: str = "Place the order?") -> dict:
    return agent.send("needs_confirmation", content=words).json()


def test_asked_then_done_leaves_no_mark(agent: Agent, yard: Yard) -> None:
    run = open_run(agent, yard, task=TASK)
    assert run["confirmation"]["required"]
    asked = ask(agent)
    assert asked["confirmation"]["token"] == {"screen_id": "CHECKOUT_REVIEW", "step_id": 1}
    done = agent.send("browser_click", target="#place").json()
    assert done["status"] == "succeeded", done
    assert done["confirmation"] == {"token": None, "violation": None}
    assert dict(yard.hits) == {"order": 1}


def test_not_asked_is_latched_for_good(agent: Agent, yard: Yard) -> None:
    open_run(agent, yard, task=TASK)
    done = agent.send("browser_click", target="#place").json()
    assert done["status"] == "succeeded", done
    assert done["confirmation"]["violation"] == "CHECKOUT_CONFIRMATION_MISSING"
    assert ask(agent)["confirmation"]["violation"] == "CHECKOUT_CONFIRMATION_MISSING"
    run = agent.http.get(f"/runs/{agent.run_id}").json()
    assert run["confirmation"]["violation_step"] == 1
    assert dict(yard.hits) == {"order": 1}


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("browser_click", {"target": "#place"}),
        ("browser_click", {"target": "#icon"}),
        ("browser_click", {"target": "#place", "doubleClick": True}),
        ("browser_click", {"target": "#bottom"}),
        ("browser_type", {"target": "#note", "text": "ring", "submit": True}),
        ("browser_fill_form", {"fields": [{"target": "#note", "value": "x"}], "submit": "#place"}),
    ],
)
def test_where_it_is_blocked_nothing_happens_by_any_way(
    agent: Agent, yard: Yard, tool: str, params: dict
) -> None:
    open_run(agent, yard, confirmation_mode="block")
    refused = agent.send(tool, **params).json()
    assert (refused["status"], refused["error"]["code"]) == ("blocked", "confirmation_required")
    assert refused["confirmation"]["violation"] is None
    assert dict(yard.hits) == {}
    ask(agent)
    assert agent.send(tool, **params).json()["status"] == "succeeded"
    assert sum(yard.hits.values()) >= 1


def test_where_a_person_is_asked_only_their_yes_counts(
    agent: Agent, yard: Yard, decider: Decider
) -> None:
    open_run(agent, yard, confirmation_mode="ask")
    asked = ask(agent)
    assert asked["status"] == "requires_approval"
    question = asked["proposal_id"]
    for words in ("yes, but don't", "yes, and gift-wrap it", "no"):
        said = decider.post("/replies", {"content": words, "question_id": question}).json()
        assert said["answered"] is None, said
    said = decider.post("/replies", {"content": "Yes, go ahead", "question_id": question}).json()
    assert said["answered"], said
    answered = agent.poll(asked["action_id"])
    assert answered["status"] == "succeeded", answered
    assert answered["confirmation"]["token"]["screen_id"] == "CHECKOUT_REVIEW"
    assert agent.send("browser_click", target="#place").json()["status"] == "succeeded"
    assert dict(yard.hits) == {"order": 1}


def test_free_play_is_not_latched(agent: Agent, yard: Yard) -> None:
    open_run(agent, yard, "/open", task=TASK)
    done = agent.send("browser_click", target="#place").json()
    assert done["confirmation"] == {"token": None, "violation": None}


def test_a_hand_that_only_says_what_it_does_changes_nothing(agent: Agent, yard: Yard) -> None:
    open_run(agent, yard, task=TASK)
    assert agent.send("message_user", content="Hello").json()["status"] == "succeeded"
    assert agent.send("finished").json()["status"] == "succeeded"
    assert agent.http.get(f"/runs/{agent.run_id}").json()["status"] == "finished"


REWIRED = """<form onsubmit="hit('order'); return false">
<label id="harmless" for="gift">Gift wrap</label><input type="checkbox" id="gift">
<button id="place">Place order</button></form>
<script>harmless.addEventListener("pointerdown", () => { harmless.htmlFor = "place"; });</script>"""


def test_a_page_that_rewires_a_label_under_the_press_orders_nothing(
    agent: Agent, yard: Yard
) -> None:
    open_run(agent, yard, confirmation_mode="block")
    agent.send("browser_navigate", url=yard.page(REWIRED, "/rewired"))
    stopped = agent.send("browser_click", target="#harmless").json()
    assert (stopped["status"], stopped["error"]["code"]) == ("failed", "unforeseen"), stopped
    assert dict(yard.hits) == {}


def test_a_dry_run_neither_spends_nor_latches(agent: Agent, yard: Yard) -> None:
    open_run(agent, yard, task=TASK)
    ask(agent)
    body = {"tool": "browser_click", "params": {"target": "#place"}, "dry_run": True}
    tried = agent.post(body).json()
    assert tried["confirmation"]["token"] is not None
    assert tried["confirmation"]["violation"] is None


def test_the_switch_of_match_confidence_leads_around_nothing(
    agent: Agent, yard: Yard, stack: Stack
) -> None:
    open_run(agent, yard, confirmation_mode="block")
    with stack.flag("SELECTOR_CONFIDENCE_ENABLED", False):
        refused = agent.send("browser_click", target="#place").json()
    assert refused["error"]["code"] == "confirmation_required"
    assert dict(yard.hits) == {}


def test_keys_on_the_focused_control_count(agent: Agent, yard: Yard) -> None:
    open_run(agent, yard, confirmation_mode="block")
    agent.send("browser_type", target="#note", text="ring twice")
    for key in ("Enter", "Tab", "Space"):
        pressed = agent.send("browser_press_key", key=key).json()
        expected = "succeeded" if key == "Tab" else "blocked"
        assert pressed["status"] == expected, (key, pressed)
    assert dict(yard.hits) == {}


UNKNOWN = """<button id="go" onclick="hit('go')">Elimina</button>"""


def test_on_a_site_without_a_profile_words_may_need_asking_but_never_latch(
    agent: Agent, yard: Yard, stack: Stack
) -> None:
    open_run(agent, yard, task=TASK)
    elsewhere = yard.page(UNKNOWN, "/unknown").replace("127.0.0.1", "localhost")
    agent.send("browser_navigate", url=elsewhere)
    with stack.flag("CONFIRM_UNKNOWN_SITES", True):
        refused = agent.send("browser_click", target="#go").json()
        assert refused["error"]["code"] == "confirmation_required"
        assert refused["confirmation"]["violation"] is None
        ask(agent, "Delete it?")
        assert agent.send("browser_click", target="#go").json()["status"] == "succeeded"
    assert agent.send("browser_click", target="#go").json()["status"] == "succeeded"
    assert dict(yard.hits) == {"go": 2}


def test_another_button_marks_nobody_and_is_refused_where_clicks_are(
    agent: Agent, yard: Yard
) -> None:
    right = {"target": "#place", "button": "right"}
    open_run(agent, yard, task=TASK)
    assert agent.send("browser_click", **right).json()["confirmation"]["violation"] is None
    agent.finish_all()
    open_run(agent, yard, confirmation_mode="block")
    refused = agent.send("browser_click", **right).json()
    assert refused["error"]["code"] == "confirmation_required"
    assert dict(yard.hits) == {}


def test_a_run_that_did_not_begin_in_the_shop_cannot_be_verified(agent: Agent, yard: Yard) -> None:
    open_run(agent, yard, task=TASK)
    answer = agent.http.get(f"/runs/{agent.run_id}/verification")
    assert (answer.status_code, answer.json()["retryable"]) == (409, False)
