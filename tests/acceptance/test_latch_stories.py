"""Every case of the latch vectors as a story in the shop: over REST, in a real browser."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from demo.shop.catalogue import PRODUCTS
from tests.support.shop import KETTLE, LANTERN, Visit

pytestmark = pytest.mark.stack
VECTORS = Path(__file__).parents[1] / "vectors" / "latches.json"
CASES = json.loads(VECTORS.read_text())["cases"]

PAGES = {
    "HOME": "/",
    "CART": "/cart/",
    "CHECKOUT_PAYMENT": "/checkout/payment/",
    "CHECKOUT_REVIEW": "/checkout/review/",
    "ORDER_CANCEL": "/orders/HH-10401/cancel/",
}
CONTROLS = {
    "checkout_review.place_order": "#place-order",
    "checkout_review.place_order_bottom": "#place-order-bottom",
    "checkout_review.edit_address": "#edit-address",
    "order_cancel.confirm": "#confirm-cancel",
    "cart.item[0].remove": "#lines > li:nth-child(1) [data-remove]",
    "cart.item[1].remove": "#lines > li:nth-child(2) [data-remove]",
    "cart.item[3].remove": "#lines > li:nth-child(4) [data-remove]",
    "cart.item[0].increase": "#lines > li:nth-child(1) [data-more]",
    # What cannot be played to the letter:
    # the shop sells twelve things, so no cart has a thirteenth row; this is the last one it can have
    "cart.item[12].remove": "#lines > li:nth-child(12) [data-remove]",
    # no control can have this id, since rows are counted; its row's line is no control either
    "cart.item[x].remove": "#lines > li:nth-child(1) .line-total",
}
SETUP = {
    "account": True,
    "cart": [{"sku": one.sku, "quantity": 1} for one in PRODUCTS],
    "orders": [{"lines": [LANTERN]}],
}


class Story:
    """A case's steps on the shop's pages. What leads to a page is in the turn of what is done
    there, and steps that the case leaves out are words to the user."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self._step = 0
        self._page = ""
        self._has_cart = True
        self._has_letter = True

    def begin(self, case: Mapping[str, Any]) -> None:
        task = {**case["task"], "setup": SETUP}
        path = "/open" if task.pop("open_run", False) else ""
        self._page = PAGES[case["steps"][0]["screen_id"]]
        self.visit.open(self._page, path=path, task=task)

    def play(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """What the agent is told of the run's confirmation after it."""
        while self._step < step["step_id"] - 1:
            self._step += 1
            self.visit.says(turn=str(self._step))
        self._step = step["step_id"]
        self._go_to(PAGES[step["screen_id"]])
        return self._act(step)["confirmation"]

    def _go_to(self, page: str) -> None:
        if not self._has_cart and page != PAGES["HOME"]:
            self._fill_cart()
        if self._page != page:
            self.visit.goes_to(page, turn=self._turn)
        self._page = page

    def _fill_cart(self) -> None:
        """An order emptied it, and without one there is nothing to review."""
        self.visit.goes_to("/category/kitchen/", turn=self._turn)
        if self._has_letter:
            self.visit.does("browser_click", target="#newsletter-close", turn=self._turn)
        self.visit.does("browser_click", target=f"#add-{KETTLE['sku']}", turn=self._turn)
        self._has_cart, self._has_letter = True, False
        self._page = ""

    def _act(self, step: Mapping[str, Any]) -> dict[str, Any]:
        match step["action"]:
            case "needs_confirmation":
                return self.visit.does("needs_confirmation", content="May I?", turn=self._turn)
            case "finished":
                return self.visit.does("finished", turn=self._turn)
            case "wait":
                return self.visit.does("browser_wait_for", time=0, turn=self._turn)
        return self._press(step["element_id"], gym_action=step["action"])

    def _press(self, element_id: str, *, gym_action: str) -> dict[str, Any]:
        answer = self.visit.acts(gym_action, turn=self._turn, target=CONTROLS[element_id])
        assert answer["status"] == "succeeded", answer
        self._has_cart &= "place_order" not in element_id
        self._page = ""  # it led to another
        return answer

    @property
    def _turn(self) -> str:
        return str(self._step)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_story_ends_with_the_latch_of_its_vector(visit: Visit, case: Mapping[str, Any]) -> None:
    story = Story(visit)
    story.begin(case)
    told = [story.play(step) for step in case["steps"]]
    expected = case["expect"]
    assert told == expected["per_step"]
    confirmation = visit.run()["confirmation"]
    wanted = ("token", "violation", "confirmed_checkout_screens", "required")
    assert {name: confirmation[name] for name in wanted} == {n: expected[n] for n in wanted}
    visit.finish()
    verification = visit.verification()
    assert verification["shaping"] == pytest.approx(expected["shaping"])
    for one in verification["verifiers"]:
        assert one["confirmation_violation_kind"] == expected["kind"]
        assert (one["failure_code"] == "CONFIRMATION_REQUIRED") == bool(expected["failure_code"])


def test_every_kind_of_violation_is_verified_by_some_story() -> None:
    """A story without a verifier says nothing of the kind."""
    verified = {"SC_CHECKOUT", "SC_CANCEL_ORDER", "SC_REMOVE_FROM_CART"}
    kinds = {c["expect"]["kind"] for c in CASES if verified & {*c["task"]["success_criteria"]}}
    assert kinds == {None, "CHECKOUT", "IRREVERSIBLE"}
