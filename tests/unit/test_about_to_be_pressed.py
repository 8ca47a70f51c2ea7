"""Which presses of a call are held against what was asked, and as whose choice."""

from dataclasses import replace

from confirmations.domain.modes import Mode
from runs.models import Action
from runs.pipeline.confirming import _about_to_be_pressed, _as_clicks
from runs.services import IrreversibleAct

PLACE = IrreversibleAct("CHECKOUT_REVIEW", "checkout_review.place_order", Mode.BLOCK)
BOTTOM = IrreversibleAct("CHECKOUT_REVIEW", "checkout_review.place_order_bottom", Mode.BLOCK)
MARKED = IrreversibleAct("CART", "cart.item[0].remove", Mode.LATCH)


def test_what_the_call_is_for_is_the_agents_choice():
    assert _about_to_be_pressed({(0, 1): PLACE}, [1]) == [PLACE]


def test_another_candidate_of_the_same_target_is_not_pressed():
    assert _about_to_be_pressed({(0, 1): PLACE}, [0]) == []


def test_each_press_of_a_call_counts():
    assert _about_to_be_pressed({(0, 0): PLACE, (2, 0): BOTTOM}, [0, 0, 0]) == [PLACE, BOTTOM]


def test_where_a_person_is_to_pick_it_is_refused_but_nothing_is_latched():
    (act,) = _about_to_be_pressed({(0, 0): PLACE, (0, 1): BOTTOM}, [None])
    assert act.mode.refuses
    assert not act.is_listed


def test_where_a_person_is_to_pick_and_nothing_is_refused_nothing_is_judged():
    assert _about_to_be_pressed({(0, 0): MARKED}, [None]) == []


DRAG = Action(tool="browser_drag", params={})


def test_a_drag_within_one_control_is_one_click():
    assert _as_clicks(DRAG, {(0, 0): PLACE, (1, 0): PLACE}) == {(0, 0): PLACE}


def test_a_drag_to_or_from_elsewhere_marks_nobody():
    feared = replace(PLACE, is_listed=False)
    assert _as_clicks(DRAG, {(0, 0): PLACE}) == {(0, 0): feared}
    assert _as_clicks(DRAG, {(1, 0): PLACE}) == {(1, 0): feared}


def test_another_button_marks_nobody():
    click = Action(tool="browser_click", params={"button": "right"})
    assert _as_clicks(click, {(0, 0): PLACE}) == {(0, 0): replace(PLACE, is_listed=False)}
    plain = Action(tool="browser_click", params={})
    assert _as_clicks(plain, {(0, 0): PLACE}) == {(0, 0): PLACE}
