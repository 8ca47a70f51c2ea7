"""An admin's mode holds whatever the task says; the task says what is latched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confirmations.domain import latch as latches
from confirmations.domain.judging import judge
from confirmations.domain.latch import Latch, Violation
from confirmations.domain.modes import Mode, strictest
from confirmations.domain.task import STRICT, Requirement

OFF = Requirement(is_on=False)
REVIEW = {"screen_id": "CHECKOUT_REVIEW", "step_id": 2}
ASKED = latches.ask(Latch(), screen_id="CHECKOUT_REVIEW", step_id=1)
ANSWERED = latches.answer(Latch(), screen_id="CHECKOUT_REVIEW", step_id=1)


def test_the_strictest_wish_holds():
    assert strictest(["latch", None, "block", ""]) is Mode.BLOCK
    assert strictest(["ask", "block"]) is Mode.ASK
    assert strictest(["", None]) is Mode.LATCH


@given(st.lists(st.sampled_from(["", "latch", "block", "ask"])), st.sampled_from(list(Mode)))
def test_a_further_wish_never_loosens(wishes, further):
    order = list(Mode)
    assert order.index(strictest([*wishes, further])) >= order.index(strictest(wishes))


def test_in_mode_latch_the_act_goes_through_and_the_run_is_marked():
    verdict = judge(Latch(), STRICT, Mode.LATCH, **REVIEW)
    assert (verdict.is_refused, verdict.latch.violation) == (False, Violation.CHECKOUT)


@pytest.mark.parametrize("mode", [Mode.BLOCK, Mode.ASK])
def test_where_it_is_refused_the_run_is_marked_too(mode):
    verdict = judge(Latch(), STRICT, mode, **REVIEW)
    assert (verdict.is_refused, verdict.latch.violation) == (True, Violation.CHECKOUT)


@pytest.mark.parametrize("mode", [Mode.BLOCK, Mode.ASK])
@pytest.mark.parametrize(
    "task", [OFF, Requirement(is_on=True, on_checkout=False, on_irreversible=False)]
)
def test_a_task_that_asks_for_nothing_stops_the_latching_only(task, mode):
    verdict = judge(Latch(), task, mode, **REVIEW)
    assert (verdict.is_refused, verdict.latch.violation) == (True, None)


def test_free_play_is_neither_refused_nor_marked():
    assert judge(Latch(), OFF, Mode.LATCH, **REVIEW).latch == Latch()


@pytest.mark.parametrize("mode", list(Mode))
def test_what_was_asked_about_goes_through_once(mode):
    first = judge(ANSWERED, STRICT, mode, **REVIEW)
    assert (first.is_refused, first.broken, first.latch.token) == (False, None, None)
    second = judge(first.latch, STRICT, mode, screen_id="CHECKOUT_REVIEW", step_id=3)
    assert second.broken is Violation.IRREVERSIBLE


def test_where_a_person_must_say_yes_the_agents_own_word_is_none():
    verdict = judge(ASKED, STRICT, Mode.ASK, **REVIEW)
    assert verdict.is_refused
    assert verdict.latch.violation is None, "it had asked"
    assert verdict.latch.token == ASKED.token


def test_a_new_question_takes_an_older_yes_back():
    asked_again = latches.ask(ANSWERED, screen_id="CHECKOUT_REVIEW", step_id=2)
    verdict = judge(asked_again, STRICT, Mode.ASK, screen_id="CHECKOUT_REVIEW", step_id=3)
    assert verdict.is_refused


@pytest.mark.parametrize("mode", list(Mode))
def test_what_reached_nothing_may_be_done_once_more_and_not_twice(mode):
    verdict = judge(ANSWERED, STRICT, mode, **REVIEW)
    back = latches.give_back(verdict.latch, verdict.before)
    assert back == ANSWERED
    done = judge(back, STRICT, mode, screen_id="CHECKOUT_REVIEW", step_id=3)
    assert done.latch.token is None
    assert judge(done.latch, STRICT, mode, screen_id="CHECKOUT_REVIEW", step_id=4).broken


def test_what_is_given_back_replaces_no_newer_question_and_clears_no_latch():
    spent = judge(ANSWERED, STRICT, Mode.LATCH, **REVIEW)
    newer = latches.ask(spent.latch, screen_id="CART", step_id=3)
    assert latches.give_back(newer, spent.before) == newer
    broken = latches.break_seal(spent.latch, Violation.IRREVERSIBLE, step_id=3)
    assert latches.give_back(broken, spent.before).violation is Violation.IRREVERSIBLE
