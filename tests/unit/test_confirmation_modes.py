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
    first = judge(ASKED, STRICT, mode, **REVIEW)
    assert (first.is_refused, first.broken, first.latch.token) == (False, None, None)
    second = judge(first.latch, STRICT, mode, screen_id="CHECKOUT_REVIEW", step_id=3)
    assert second.broken is Violation.IRREVERSIBLE
