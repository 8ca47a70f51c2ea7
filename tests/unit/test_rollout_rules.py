"""The roll-out's rules: the order of its switches, and the volume against the shadow baseline."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confidence.domain.gate import ALL_TIERS
from core.errors import Conflict
from oversight.domain import (
    STEPS,
    Day,
    RollOut,
    Tally,
    compare_volume,
    share,
    total_of,
    would_be_sent,
)

FIRST, SUPERVISED, AUTONOMOUS = STEPS
SHADOW = RollOut(force_proposal=False, gated_tiers=frozenset(ALL_TIERS))
START = date(2026, 3, 1)


def test_the_steps_hold_every_tier_once() -> None:
    assert [tier for step in STEPS for tier in step.tiers] == list(ALL_TIERS)


def test_in_shadow_mode_no_tier_is_in_force_whatever_the_tiers_say() -> None:
    assert SHADOW.tiers_in_force == frozenset()
    assert SHADOW.next_step == FIRST


def test_the_first_switch_gates_its_own_tiers_only() -> None:
    assert SHADOW.with_step(FIRST) == RollOut(True, frozenset({"student", "intern"}))


def test_the_switches_go_one_after_another() -> None:
    now = SHADOW
    for step in STEPS:
        assert now.next_step == step
        now = now.with_step(step)
        assert now.is_on(step)
    assert now == RollOut(True, frozenset(ALL_TIERS))
    assert now.next_step is None


@pytest.mark.parametrize("step", [SUPERVISED, AUTONOMOUS])
def test_a_later_switch_is_refused_by_the_name_of_the_one_before(step) -> None:
    with pytest.raises(Conflict, match="Students and interns"):
        SHADOW.with_step(step)


def test_a_switch_is_not_thrown_twice() -> None:
    with pytest.raises(Conflict, match="already"):
        SHADOW.with_step(FIRST).with_step(FIRST)
    with pytest.raises(Conflict, match="not in force"):
        SHADOW.without_step(FIRST)


@pytest.mark.parametrize("step", STEPS)
def test_each_step_can_be_taken_back(step) -> None:
    everything = RollOut(True, frozenset(ALL_TIERS))
    left = everything.without_step(step)
    assert left.force_proposal
    assert left.tiers_in_force == frozenset(ALL_TIERS) - set(step.tiers)
    assert left.next_step == step


def test_taking_the_last_one_back_is_shadow_mode_over_every_tier() -> None:
    assert SHADOW.with_step(FIRST).without_step(FIRST) == SHADOW


def test_half_a_step_is_neither_on_nor_off() -> None:
    half = RollOut(True, frozenset({"student"}))
    assert half.is_partly_on(FIRST)
    assert not half.is_on(FIRST)
    assert half.next_step == FIRST
    assert half.with_step(FIRST).is_on(FIRST)
    assert half.without_step(FIRST) == SHADOW


def test_a_stop_remembers_which_tiers_were_rolled_out() -> None:
    assert RollOut(False, frozenset({"intern", "student"})).stopped_with == ["student", "intern"]
    assert SHADOW.stopped_with == RollOut(True, frozenset({"student"})).stopped_with == []


def test_the_mode_is_what_the_frame_says() -> None:
    assert [SHADOW.mode, SHADOW.with_step(FIRST).mode] == ["SHADOW", "GATING"]
    assert RollOut(True, frozenset(ALL_TIERS), layer_is_on=False).mode == "OFF"


@given(st.frozensets(st.sampled_from(ALL_TIERS)), st.booleans(), st.sampled_from(STEPS))
def test_a_step_taken_back_undoes_a_step_switched_on(tiers, force, step) -> None:
    before = RollOut(force, tiers)
    if before.next_step != step or before.is_partly_on(step):
        return
    assert before.with_step(step).without_step(step).tiers_in_force == before.tiers_in_force


# --- volume -----------------------------------------------------------------------------
def days(*counts: tuple[int, int, int]) -> list[Day]:
    """Days in a row from START, each (acts, would_gate, sent)."""
    return [Day(START + timedelta(days=number), *each) for number, each in enumerate(counts)]


def test_volume_is_what_was_sent_against_what_shadow_mode_foretold() -> None:
    found = compare_volume(days((100, 10, 0), (100, 20, 0), (50, 0, 15)), window_start=START)
    assert (found.baseline, found.baseline_acts) == (0.15, 200)
    assert (found.present, found.present_acts) == (0.3, 50)
    assert found.ratio == pytest.approx(2.0)
    assert not found.is_above  # twice is not above twice


def test_more_than_twice_is_above() -> None:
    assert compare_volume(days((100, 10, 0), (100, 0, 21)), window_start=START).is_above
    assert not compare_volume(days((100, 10, 0), (100, 0, 20)), window_start=START).is_above


def test_anything_is_more_than_twice_nothing() -> None:
    found = compare_volume(days((100, 0, 0), (100, 0, 1)), window_start=START)
    assert found.ratio is None
    assert found.is_above


def test_the_baseline_may_lie_before_the_window_and_the_present_never_does() -> None:
    window = START + timedelta(days=2)
    found = compare_volume(days((100, 10, 0), (100, 0, 90), (100, 0, 12)), window_start=window)
    assert found.baseline == 0.1
    assert (found.present, found.present_acts) == (0.12, 100)


def test_a_quiet_day_under_gating_counts_and_a_day_back_in_shadow_does_not() -> None:
    found = compare_volume(
        days((100, 10, 0), (100, 0, 10), (100, 0, 0), (100, 40, 0)), window_start=START
    )
    assert (found.present, found.present_acts) == (0.05, 200)
    assert found.baseline_acts == 100


def test_without_shadow_days_or_without_gating_nothing_is_compared() -> None:
    long_since = compare_volume(days((10, 0, 5)), window_start=START)
    assert (long_since.baseline, long_since.ratio, long_since.is_above) == (None, None, False)
    only_shadow = compare_volume(days((10, 5, 0)), window_start=START)
    assert (only_shadow.present, only_shadow.ratio, only_shadow.is_above) == (None, None, False)
    assert compare_volume([], window_start=START).ratio is None


def test_the_order_of_the_days_does_not_matter() -> None:
    there = days((100, 10, 0), (100, 20, 0), (50, 0, 15))
    back = compare_volume(list(reversed(there)), window_start=START)
    assert back == compare_volume(there, window_start=START)


# --- counts -----------------------------------------------------------------------------
def test_tallies_add_up() -> None:
    one = Tally(acts=4, clear=2, caution=1, danger=1, would_gate=2)
    two = Tally(acts=1, danger=1, sent=1)
    assert total_of([one, two]) == Tally(5, 2, 1, 2, 2, 1)
    assert total_of([]) == Tally()


def test_an_agent_that_never_gates_would_send_nothing() -> None:
    tally = Tally(acts=4, clear=2, caution=1, danger=1)
    assert [would_be_sent(tally, agent_flag=flag) for flag in (None, True, False)] == [2, 2, 0]


def test_a_share_of_nothing_is_none() -> None:
    assert share(0, 0) is None
    assert share(1, 4) == 0.25
