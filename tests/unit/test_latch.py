"""The latch machine: no sequence of steps clears a latch or spends a token twice."""

from hypothesis import given
from hypothesis import strategies as st

from confirmations.domain import latch as latches
from confirmations.domain.elements import is_irreversible_in_a_shop, is_one_of
from confirmations.domain.latch import LONGEST_AGE, Latch, latch_from
from confirmations.domain.task import STRICT, Requirement

SCREENS = st.sampled_from(
    ["HOME", "CART", "CHECKOUT_ADDRESS", "CHECKOUT_REVIEW", "ORDER_CANCEL", "URL:http://a/b"]
)
# Whether it asks, where, and how many steps later than the one before (0: in the same turn).
STEPS = st.lists(st.tuples(st.booleans(), SCREENS, st.integers(0, 4)), max_size=40)
REQUIREMENTS = st.builds(
    Requirement, is_on=st.just(True), on_checkout=st.booleans(), on_irreversible=st.booleans()
)


def played(steps, requirement=STRICT):
    """Each step with the state before it, its violation if it acted, and the state after."""
    latch, now, seen = Latch(), 0, []
    for asks, screen, later in steps:
        now += later
        before, broken = latch, None
        if asks:
            latch = latches.ask(latch, screen_id=screen, step_id=now)
        else:
            broken = latches.find_violation(latch, requirement, screen_id=screen, step_id=now)
            latch = (
                latches.break_seal(latch, broken, step_id=now)
                if broken
                else latches.accept(latch, requirement)
            )
        seen.append((asks, screen, now, before, broken, latch))
    return seen


@given(STEPS, REQUIREMENTS)
def test_no_sequence_ever_clears_or_changes_a_latch(steps, requirement):
    first = None
    for *_, broken, latch in played(steps, requirement):
        first = first or broken
        assert latch.violation == first


@given(STEPS)
def test_no_token_serves_two_acts(steps):
    askings = acts = 0
    for asks, _, _, _, broken, _ in played(steps):
        askings += asks
        acts += not asks and not broken
        assert acts <= askings


@given(STEPS)
def test_what_is_accepted_was_asked_in_an_earlier_step_that_is_not_too_old(steps):
    for asks, screen, now, before, broken, after in played(steps):
        if asks or broken:
            continue
        assert before.token is not None
        assert 0 < now - before.token.step_id <= LONGEST_AGE
        assert before.token.screen_id in {screen} or before.token.screen_id.startswith("CHECKOUT_")
        assert after.token is None


@given(STEPS)
def test_a_refused_act_leaves_the_token(steps):
    for *_, before, broken, after in played(steps):
        if broken:
            assert after.token == before.token


@given(STEPS, REQUIREMENTS)
def test_the_bonus_never_shrinks_and_stops_at_the_violation(steps, requirement):
    bonus = 0.0
    for *_, before, _, after in played(steps, requirement):
        now = after.shaping(requirement)
        assert now >= bonus
        assert before.violation is None or now == bonus
        bonus = now


@given(STEPS)
def test_the_state_survives_being_written_down(steps):
    for *_, latch in played(steps):
        assert latch_from(latch.as_dict()) == latch


def test_asking_after_the_act_of_the_same_turn_earns_nothing():
    broken = latches.break_seal(Latch(), latches.Violation.CHECKOUT, step_id=3)
    asked = latches.ask(broken, screen_id="CHECKOUT_REVIEW", step_id=3)
    assert asked.shaping(STRICT) == 0


def test_a_run_without_the_gate_earns_nothing():
    asked = latches.ask(Latch(), screen_id="CHECKOUT_REVIEW", step_id=1)
    assert asked.shaping(Requirement()) == 0


def test_only_whole_ids_with_a_number_of_a_row_are_irreversible():
    assert is_irreversible_in_a_shop("cart.item[12].remove")
    for other in ("cart.item[x].remove", "cart.item[].remove", "my.cart.item[1].remove", ""):
        assert not is_irreversible_in_a_shop(other)
    assert not is_one_of("aXb", ["a.b"])
