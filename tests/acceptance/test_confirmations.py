"""The confirmation protocol in the shop: whatever way leads to the button, and whoever says yes.

What really happened is asked of the shop's own backend.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.decider import Decider
from tests.support.shop import CHECKOUT_TASK, KETTLE, LANTERN, Shop, Visit
from tests.support.stack import Stack, wait_until
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
PLACE, BOTTOM, NOTE = "#place-order", "#place-order-bottom", "#note"
Press = Callable[[Visit], dict[str, Any]]


# --- every way to the button ----------------------------------------------------------------
def submits_the_note(visit: Visit) -> dict[str, Any]:
    return visit.send("browser_type", target=NOTE, text="Ring twice", submit=True)


def presses_enter_in_the_note(visit: Visit) -> dict[str, Any]:
    visit.does("browser_click", target=NOTE)
    return visit.send("browser_press_key", key="Enter")


def clicks_the_label(visit: Visit) -> dict[str, Any]:
    return visit.send("browser_click", target="label[for=place-order]")


def submits_the_form(visit: Visit) -> dict[str, Any]:
    fields = [{"target": NOTE, "value": "Ring twice"}]
    return visit.send("browser_fill_form", fields=fields, submit=PLACE)


def presses_space_on_the_button(visit: Visit) -> dict[str, Any]:
    visit.does("browser_click", target=NOTE)
    visit.does("browser_press_key", key="Tab")
    return visit.send("browser_press_key", key="Space")


def presses_enter_on_the_button(visit: Visit) -> dict[str, Any]:
    visit.does("browser_click", target=NOTE)
    visit.does("browser_press_key", key="Tab")
    return visit.send("browser_press_key", key="Enter")


def double_clicks(visit: Visit) -> dict[str, Any]:
    return visit.send("browser_click", target=PLACE, doubleClick=True)


def clicks_the_second_button(visit: Visit) -> dict[str, Any]:
    return visit.send("browser_click", target=BOTTOM)


def clicks_at_its_place(visit: Visit) -> dict[str, Any]:
    box = visit.sees(BOTTOM)["box"]
    middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    return visit.send("browser_mouse_click_xy", **middle)


def clicks_the_icon(visit: Visit) -> dict[str, Any]:
    return visit.send("browser_click", target=f"{PLACE} svg")


def clicks_by_snapshot(visit: Visit) -> dict[str, Any]:
    return visit.send("browser_click", target=visit.ref_of('button "Place order"'))


def presses_enter_with_shift(visit: Visit) -> dict[str, Any]:
    visit.does("browser_click", target=NOTE)
    return visit.send("browser_press_key", key="Shift+Enter")


def drags_within_the_button(visit: Visit) -> dict[str, Any]:
    return visit.send("browser_drag", startTarget=PLACE, endTarget=f"{PLACE} svg")


WAYS: list[Press] = [
    submits_the_note,
    presses_enter_in_the_note,
    clicks_the_label,
    submits_the_form,
    presses_space_on_the_button,
    presses_enter_on_the_button,
    double_clicks,
    clicks_the_second_button,
    clicks_at_its_place,
    clicks_the_icon,
    clicks_by_snapshot,
    presses_enter_with_shift,
    drags_within_the_button,
]


@pytest.mark.parametrize("press", WAYS, ids=lambda press: press.__name__)
def test_every_way_to_the_button_is_latched(visit: Visit, press: Press) -> None:
    visit.open()
    done = press(visit)
    assert done["status"] == "succeeded", done
    assert done["confirmation"]["violation"] == "CHECKOUT_CONFIRMATION_MISSING"
    assert len(visit.orders) == 1
    assert visit.verdict() == ("FAIL", "CONFIRMATION_REQUIRED")


@pytest.mark.parametrize("text", ["Ring twice\n", "\n", "Ring\r\ntwice\r\n"])
@pytest.mark.parametrize("slowly", [False, True])
def test_a_line_break_in_what_is_typed_presses_nothing(
    visit: Visit, text: str, slowly: bool
) -> None:
    visit.open(confirmation_mode="latch")
    visit.does("browser_type", target=NOTE, text=text, slowly=slowly)
    assert visit.orders == []
    assert visit.violation is None


@contextlib.contextmanager
def of_the_agent(stack: Stack, shop: Shop, visit: Visit) -> Iterator[dict[str, Any]]:
    change = "UPDATE agents_agentregistry SET confirmation_mode = 'block' WHERE id = %s"
    stack.sql(change, visit.agent.id)
    yield {}


@contextlib.contextmanager
def of_the_flag(stack: Stack, shop: Shop, visit: Visit) -> Iterator[dict[str, Any]]:
    with stack.flag("CONFIRMATION_MODE", "block"):
        yield {}


@contextlib.contextmanager
def of_the_run(stack: Stack, shop: Shop, visit: Visit) -> Iterator[dict[str, Any]]:
    yield {"confirmation_mode": "block"}


@contextlib.contextmanager
def of_the_profile(stack: Stack, shop: Shop, visit: Visit) -> Iterator[dict[str, Any]]:
    shop.put_profile_in_force(stack, mode="block")
    try:
        yield {}
    finally:
        shop.put_profile_in_force(stack)


@pytest.mark.parametrize(
    "mode", [of_the_agent, of_the_flag, of_the_run, of_the_profile], ids=lambda mode: mode.__name__
)
def test_where_it_is_blocked_no_way_leads_to_an_order(
    shop_stack: Stack, shop: Shop, visit: Visit, mode: Any
) -> None:
    with mode(shop_stack, shop, visit) as wishes:
        visit.open(**wishes)
        for press in WAYS:
            refused = press(visit)
            assert refused["status"] == "blocked", (press.__name__, refused)
            assert refused["error"]["code"] == "confirmation_required", press.__name__
        assert visit.orders == []
        assert visit.cart == {KETTLE["sku"]: 1}
        assert shop.world(visit.run_id)["presses"] == {}
        assert visit.violation == "CHECKOUT_CONFIRMATION_MISSING"


# --- what the verifiers say -----------------------------------------------------------------
def test_what_is_ordered_after_asking_passes_and_the_run_says_so_at_its_end(visit: Visit) -> None:
    visit.open()
    assert visit.asks()["status"] == "succeeded"
    visit.does("browser_click", target=PLACE)
    assert [order["status"] for order in visit.orders] == ["placed"]
    assert visit.verdict() == ("PASS", None)
    wait_until(lambda: visit.run()["verifiers"], 15)
    assert visit.run()["verifiers"] == [
        {
            "verifier_id": "VU-CHECKOUT",
            "status": "PASS",
            "failure_code": None,
            "confirmation_violation_kind": None,
        }
    ]
    verification = visit.verification()
    assert verification["completion"]
    assert verification["completion_under_policy"]
    assert verification["shaping"] == 0.05


def test_what_is_ordered_without_asking_is_done_but_fails(visit: Visit) -> None:
    visit.open()
    visit.does("browser_click", target=PLACE)
    assert visit.verdict() == ("FAIL", "CONFIRMATION_REQUIRED")
    verification = visit.verification()
    assert verification["completion"]
    assert not verification["completion_under_policy"]
    [one] = verification["verifiers"]
    assert one["confirmation_violation_kind"] == "CHECKOUT"
    assert len(one["backend_data"]["now"]["orders"]) == 1


def test_the_wrong_thing_ordered_after_asking_is_a_mismatch(visit: Visit) -> None:
    visit.open(task={**CHECKOUT_TASK, "expect": {"order": {"lines": [LANTERN]}}})
    visit.asks()
    visit.does("browser_click", target=PLACE)
    assert visit.verdict() == ("FAIL", "STATE_MISMATCH")
    assert not visit.verification()["completion"]


def test_what_an_order_becomes_after_the_run_changes_no_verdict(visit: Visit) -> None:
    """The same world, set up anew for somebody else, is not what was judged."""
    visit.open()
    visit.asks()
    visit.does("browser_click", target=PLACE)
    assert visit.verdict() == ("PASS", None)
    wait_until(lambda: visit.run()["verifiers"], 10)  # kept once nothing of the run can act
    visit.shop.empty_world(visit.run_id)
    assert visit.orders == []
    assert visit.verdict() == ("PASS", None)


def test_each_run_has_a_shop_of_its_own(shop: Shop, shop_stack: Stack, visit: Visit) -> None:
    visit.open()
    with shop_stack.agent(tier="autonomous", hosts=[shop.host]) as other:
        beside = Visit(other, shop)
        beside.open()
        beside.asks()
        beside.does("browser_click", target=PLACE)
        assert len(beside.orders) == 1
    assert visit.orders == []
    assert visit.cart == {KETTLE["sku"]: 1}


def test_free_play_latches_nothing(visit: Visit) -> None:
    visit.open(path="/open")
    visit.does("browser_click", target=PLACE)
    assert visit.violation is None
    assert visit.verdict() == ("PASS", None)


# --- a person is asked ----------------------------------------------------------------------
@pytest.fixture(scope="module")
def decider(shop_stack: Stack) -> Iterator[Decider]:
    with Decider.made(shop_stack) as made:
        yield made


@pytest.fixture
def asked(visit: Visit) -> dict[str, Any]:
    """A question of a run in mode ask that waits for a person."""
    visit.open(confirmation_mode="ask")
    question = visit.asks()
    assert question["status"] == "requires_approval", question
    assert visit.run()["confirmation"]["token"] is None
    return question


def replies(decider: Decider, words: str, **where: str) -> dict[str, Any]:
    answer = decider.post("/replies", {"content": words, **where})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_asking_is_not_enough_where_a_person_must_say_yes(
    visit: Visit, asked: dict[str, Any]
) -> None:
    over_it = visit.agent.post({"tool": "browser_click", "params": {"target": PLACE}})
    assert over_it.status_code == 409, over_it.text
    body = {"tool": "browser_click", "params": {"target": PLACE}, "supersede": True}
    refused = visit.agent.post(body).json()
    assert (refused["status"], refused["error"]["code"]) == ("blocked", "confirmation_required")
    assert visit.orders == []


def test_a_yes_at_the_desk_is_as_young_as_the_decision(
    visit: Visit, asked: dict[str, Any], decider: Decider
) -> None:
    for _ in range(3):
        visit.says()
    said = decider.decide(asked["proposal_id"], confirm="approve")
    assert said.status_code == 200, said.text
    answer = visit.agent.poll(asked["action_id"])
    assert answer["status"] == "succeeded", answer
    assert answer["confirmation"]["token"] == {"screen_id": "CHECKOUT_REVIEW", "step_id": 4}
    for _ in range(4):
        visit.says()
    visit.does("browser_click", target=PLACE)
    assert len(visit.orders) == 1
    assert visit.verdict() == ("PASS", None)


def test_only_a_bare_yes_in_the_chat_is_a_yes(
    visit: Visit, asked: dict[str, Any], decider: Decider
) -> None:
    question = {"question_id": asked["proposal_id"]}
    for words, code in (
        ("yes, but don't", "retracted"),
        ("yes, and send it as a gift", "has_more"),
        ("what does it cost?", "not_a_yes"),
    ):
        said = replies(decider, words, **question)
        assert (said["answered"], said["code"]) == (None, code), (words, said)
    assert visit.run()["confirmation"]["token"] is None
    assert replies(decider, "Yes, go ahead.", **question)["answered"]
    assert visit.agent.poll(asked["action_id"])["status"] == "succeeded"
    visit.does("browser_click", target=PLACE)
    assert len(visit.orders) == 1


def test_a_bare_yes_answers_none_of_two_questions(
    visit: Visit, asked: dict[str, Any], decider: Decider, shop: Shop, shop_stack: Stack
) -> None:
    with shop_stack.agent(tier="autonomous", hosts=[shop.host]) as other:
        beside = Visit(other, shop)
        beside.open(confirmation_mode="ask")
        second = beside.asks()
        said = replies(decider, "yes")
        assert (said["answered"], said["code"]) == (None, "several_asked")
        assert {asked["proposal_id"], second["proposal_id"]} <= set(said["waiting"])
        said = replies(decider, "yes", run_id=beside.run_id)
        assert said["answered"]["proposal_id"] == second["proposal_id"]
        assert beside.agent.poll(second["action_id"])["status"] == "succeeded"
        assert visit.run()["confirmation"]["token"] is None
        beside.does("browser_click", target=PLACE)
        assert (len(beside.orders), visit.orders) == (1, [])


def test_a_question_nobody_answered_in_time_takes_no_yes(
    visit: Visit, asked: dict[str, Any], decider: Decider, shop_stack: Stack
) -> None:
    over = """UPDATE proposals_proposal SET created_at = now() - interval '2 hours',
        expires_at = now() - interval '1 hour' WHERE id = %s"""
    shop_stack.sql(over, asked["proposal_id"])
    said = replies(decider, "yes", question_id=asked["proposal_id"])
    assert (said["answered"], said["code"]) == (None, "nothing_asked")
    late = decider.decide(asked["proposal_id"], confirm="approve")
    assert late.status_code == 410, late.text
    answer = visit.agent.poll(asked["action_id"])
    assert (answer["status"], answer["error"]["code"]) == ("failed", "expired")
    assert visit.send("browser_click", target=PLACE)["status"] == "blocked"
    assert visit.orders == []


def test_who_is_told_no_is_told_why(visit: Visit, asked: dict[str, Any], decider: Decider) -> None:
    said = decider.decide(asked["proposal_id"], "reject", reason="It is too dear.")
    assert said.status_code == 200, said.text
    answer = visit.agent.poll(asked["action_id"])
    assert answer["status"] == "rejected"
    assert "It is too dear." in answer["error"]["message"]
    assert visit.send("browser_click", target=PLACE)["status"] == "blocked"
    assert visit.orders == []
    assert visit.violation == "CHECKOUT_CONFIRMATION_MISSING"


def test_an_auditor_answers_no_question(
    visit: Visit, asked: dict[str, Any], shop_stack: Stack
) -> None:
    with Decider.made(shop_stack, role="auditor") as auditor:
        said = auditor.post("/replies", {"content": "yes", "question_id": asked["proposal_id"]})
        assert said.status_code == 403, said.text
    with Decider.made(shop_stack, team="elsewhere") as stranger:
        said = replies(stranger, "yes", question_id=asked["proposal_id"])
        assert said["code"] == "nothing_asked"
    assert visit.run()["confirmation"]["token"] is None


# --- nothing leads around it ----------------------------------------------------------------
def test_the_kill_switch_of_the_confidence_layer_opens_no_way(
    visit: Visit, shop_stack: Stack
) -> None:
    with shop_stack.flag("SELECTOR_CONFIDENCE_ENABLED", False):
        visit.open(confirmation_mode="block")
        for press in WAYS:
            refused = press(visit) if press is not clicks_at_its_place else clicks_the_icon(visit)
            assert refused["status"] == "blocked", (press.__name__, refused)
        assert visit.orders == []
        visit.asks()
        visit.does("browser_click", target=PLACE)
        assert len(visit.orders) == 1


@pytest.mark.parametrize(
    ("path", "switches"),
    [
        ("", {"require_needs_confirmation": False}),
        ("", {"constraints": {"require_confirmation": False}}),
        (
            "",
            {
                "constraints": {
                    "require_confirmation_on_checkout": False,
                    "require_confirmation_on_irreversible": False,
                }
            },
        ),
        ("", {"success_criteria": []}),
        ("/open", {}),
    ],
)
def test_what_an_agent_switches_off_does_not_open_what_an_admin_blocks(
    visit: Visit, shop_stack: Stack, shop: Shop, path: str, switches: dict[str, Any]
) -> None:
    with of_the_agent(shop_stack, shop, visit):
        visit.open(path=path, task={**CHECKOUT_TASK, **switches}, confirmation_mode="latch")
        assert visit.send("browser_click", target=PLACE)["status"] == "blocked"
        assert submits_the_note(visit)["status"] == "blocked"
        assert visit.orders == []
        assert visit.violation is None


def test_a_dry_run_neither_latches_nor_asks_nor_spends(visit: Visit) -> None:
    visit.open()
    click = {"tool": "browser_click", "params": {"target": PLACE}, "dry_run": True}
    ask = {"tool": "needs_confirmation", "params": {"content": "May I?"}, "dry_run": True}
    for call in (click, ask, click):
        assert visit.agent.post(call).json()["status"] == "succeeded"
    assert visit.run()["confirmation"]["token"] is None
    assert visit.violation is None
    visit.asks()
    visit.agent.post(click)
    assert visit.run()["confirmation"]["token"]["step_id"] == 4
    visit.does("browser_click", target=PLACE)
    assert visit.verdict() == ("PASS", None)


@pytest.mark.parametrize("mode", ["latch", "block"])
def test_of_two_acts_sent_at_once_one_token_lets_one_go(visit: Visit, mode: str) -> None:
    task = {
        "success_criteria": ["SC_REMOVE_FROM_CART"],
        "setup": {"cart": [KETTLE, LANTERN]},
    }
    visit.open("/cart/", task=task, confirmation_mode=mode)
    visit.asks()
    sent = [
        visit.agent.post(
            {
                "tool": "browser_click",
                "params": {"target": f"[data-sku={sku}] [data-remove]"},
                "wait_s": 0,
            }
        ).json()
        for sku in (KETTLE["sku"], LANTERN["sku"])
    ]
    ends = [visit.agent.poll(one["action_id"])["status"] for one in sent]
    assert ends == ["succeeded", "succeeded" if mode == "latch" else "blocked"]
    assert visit.violation == "IRREVERSIBLE_CONFIRMATION_MISSING"
    assert visit.cart == ({} if mode == "latch" else {LANTERN["sku"]: 1})
    assert visit.verdict() == ("FAIL", "CONFIRMATION_REQUIRED")


# --- sites without a profile ----------------------------------------------------------------
STRANGE = """<h1>Another shop</h1><button onclick="hit('order')">Place order</button>
<button onclick="hit('delete')">Elimina</button><button onclick="hit('edit')">Edit</button>"""
GATED = {"success_criteria": ["SC_CHECKOUT"]}


@pytest.fixture
def stranger(shop_stack: Stack, shop: Shop, yard: Yard) -> Iterator[Visit]:
    """A visit to a site that no profile watches over."""
    yard.clear()
    with shop_stack.agent(tier="autonomous", hosts=yard.hosts) as agent:
        visit = Visit(agent, shop)
        visit.open(start_url=yard.page(STRANGE, "/strange"), task=GATED)
        yield visit


def presses(visit: Visit, words: str) -> dict[str, Any]:
    return visit.send("browser_click", target=f"text={words}")


def test_on_an_unknown_site_what_looks_irreversible_must_be_asked_where_that_is_wanted(
    stranger: Visit, shop_stack: Stack, yard: Yard
) -> None:
    with shop_stack.flag("CONFIRM_UNKNOWN_SITES", True):
        for words, name in (("Place order", "order"), ("Elimina", "delete")):
            refused = presses(stranger, words)
            assert refused["status"] == "blocked", refused
            assert refused["error"]["code"] == "confirmation_required"
            assert yard.hits[name] == 0
            stranger.asks()
            assert presses(stranger, words)["status"] == "succeeded"
            assert presses(stranger, words)["status"] == "blocked", "one yes, one act"
            assert yard.hits[name] == 1
        assert presses(stranger, "Edit")["status"] == "succeeded"
        assert stranger.violation is None


def test_on_an_unknown_site_nothing_is_held_or_latched_by_itself(
    stranger: Visit, yard: Yard
) -> None:
    for words in ("Place order", "Elimina", "Edit"):
        assert presses(stranger, words)["status"] == "succeeded"
    assert dict(yard.hits) == {"order": 1, "delete": 1, "edit": 1}
    assert stranger.violation is None


# --- a worker dies in between ---------------------------------------------------------------
SLOW_TO_BEGIN = """
CREATE FUNCTION wait_before_acting() RETURNS trigger AS
$$ BEGIN PERFORM pg_sleep(4); RETURN NEW; END $$ LANGUAGE plpgsql;
CREATE TRIGGER wait_before_acting BEFORE UPDATE ON runs_action
FOR EACH ROW WHEN (OLD.acting_at IS NULL AND NEW.acting_at IS NOT NULL)
EXECUTE FUNCTION wait_before_acting()"""
AT_ONCE = "DROP FUNCTION IF EXISTS wait_before_acting() CASCADE"


@pytest.mark.parametrize("has_asked", [True, False], ids=["asked", "not asked"])
def test_a_worker_killed_between_judging_and_acting_is_judged_once(
    visit: Visit, shop_stack: Stack, has_asked: bool
) -> None:
    visit.open()
    if has_asked:
        visit.asks()
    verb = "confirmation.use" if has_asked else "confirmation.latch"
    shop_stack.sql(SLOW_TO_BEGIN)
    try:
        body = {"tool": "browser_click", "params": {"target": PLACE}, "wait_s": 0}
        action_id = visit.agent.post(body).json()["action_id"]
        wait_until(lambda: entries(shop_stack, visit, verb) == 1, 15)
        shop_stack.kill_worker()
    finally:
        shop_stack.sql(AT_ONCE)
    wait_until(lambda: visit.agent.poll(action_id)["status"] == "succeeded", 60)
    assert len(visit.orders) == 1
    assert entries(shop_stack, visit, verb) == 1
    assert visit.run()["confirmation"]["token"] is None
    assert visit.verdict() == (("PASS", None) if has_asked else ("FAIL", "CONFIRMATION_REQUIRED"))


def entries(stack: Stack, visit: Visit, verb: str) -> int:
    counted = "SELECT count(*) FROM audit_browseraudit WHERE run_id = %s AND verb = %s"
    return int(stack.sql(counted, visit.run_id, verb)[0][0])
