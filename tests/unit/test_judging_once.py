"""A call is held against what was asked once, by the worker that has it, and is let through only
where it was."""

import pytest

from confirmations.domain import latch as latches
from confirmations.domain.latch import Latch, latch_from
from confirmations.domain.modes import Mode
from core import clock
from runs import services
from runs.models import Action, Run
from runs.services import ClaimLost, IrreversibleAct
from tests.support.history import run_of
from tests.support.proposals import an_agent

pytestmark = pytest.mark.django_db
TASK = {"success_criteria": ["SC_CHECKOUT"]}
ASKED = latches.ask(Latch(), screen_id="CHECKOUT_REVIEW", step_id=1)


def a_run(latch: Latch) -> Run:
    run = run_of(an_agent())
    Run.objects.filter(pk=run.pk).update(status="open", task=TASK, confirmation=latch.as_dict())
    run.refresh_from_db()
    return run


def a_click(run: Run) -> Action:
    now = clock.now()
    made = Action.objects.create(
        run=run,
        step_id=2,
        tool="browser_click",
        status="running",
        fingerprint="x",
        created_at=now,
        started_at=now,
    )
    return taken_again(made)


def taken_again(action: Action) -> Action:
    return Action.objects.select_related("run__agent").get(pk=action.pk)


def place(mode: Mode) -> IrreversibleAct:
    return IrreversibleAct("CHECKOUT_REVIEW", "checkout_review.place_order", mode)


def latch_of(run: Run) -> Latch:
    return latch_from(Run.objects.values_list("confirmation", flat=True).get(pk=run.pk))


def test_what_was_refused_is_refused_again_when_its_worker_died_before_it_said_so():
    action = a_click(a_run(Latch()))
    assert services.judge_acts(action, [place(Mode.BLOCK)])[0].is_refused
    again = services.judge_acts(taken_again(action), [place(Mode.BLOCK)])
    assert again
    assert again[0].is_refused


def test_what_was_let_through_spends_no_second_token():
    action = a_click(run := a_run(ASKED))
    assert not services.judge_acts(action, [place(Mode.LATCH)])[0].broken
    assert services.judge_acts(taken_again(action), [place(Mode.LATCH)]) == []
    assert latch_of(run).violation is None


def test_a_call_of_two_presses_that_is_refused_uses_nothing_up():
    action = a_click(run := a_run(ASKED))
    first, second = services.judge_acts(action, [place(Mode.BLOCK), place(Mode.BLOCK)])
    assert (first.is_refused, second.is_refused) == (False, True)
    assert latch_of(run).token == ASKED.token


def test_a_worker_that_lost_the_action_neither_judges_nor_asks():
    slow = a_click(run := a_run(ASKED))
    Action.objects.filter(pk=slow.pk).update(started_at=clock.now())
    with pytest.raises(ClaimLost):
        services.judge_acts(slow, [place(Mode.LATCH)])
    with pytest.raises(ClaimLost):
        services.confirm(slow, None)
    assert latch_of(run) == ASKED


def test_an_element_that_came_to_stand_in_another_row_spends_no_second_token():
    """The page drew its rows anew after the call was judged: nothing was pressed yet."""
    action = a_click(run := a_run(latches.ask(Latch(), screen_id="CART", step_id=1)))
    row = IrreversibleAct("CART", "cart.item[0].remove", Mode.LATCH)
    [verdict] = services.judge_acts(action, [row])
    services.give_back(action, verdict.before)
    below = IrreversibleAct("CART", "cart.item[1].remove", Mode.LATCH)
    assert not services.judge_acts(action, [below])[0].broken
    assert latch_of(run).violation is None
    assert latch_of(run).token is None
