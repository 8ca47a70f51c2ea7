"""The life of a proposal as a table, and what a decision may say."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Conflict, Invalid
from proposals import domain
from proposals.domain import OPEN, TRANSITIONS, Choice, Event, Status

FINAL = set(Status) - OPEN


@pytest.mark.parametrize(("status", "event"), list(itertools.product(Status, Event)))
def test_every_pair_moves_as_the_table_says_or_is_refused(status: Status, event: Event) -> None:
    if (status, event) in TRANSITIONS:
        assert domain.next_status(status, event) == TRANSITIONS[status, event]
    else:
        with pytest.raises(domain.NotAllowed):
            domain.next_status(status, event)


def test_what_is_final_stays_final() -> None:
    assert not [pair for pair in TRANSITIONS if pair[0] in FINAL]
    assert {Status.EXECUTED, Status.REJECTED, Status.EXPIRED, Status.STALE} <= FINAL


def test_only_a_claim_leads_to_an_execution() -> None:
    leads = [pair for pair, to in TRANSITIONS.items() if to == Status.EXECUTING]
    assert leads == [(Status.APPROVED, Event.CLAIM)]


@given(st.lists(st.sampled_from(list(Event)), max_size=30))
def test_no_sequence_executes_twice_without_a_person_between(events: list[Event]) -> None:
    status, claims = Status.PENDING, 0
    for event in events:
        try:
            status = domain.next_status(status, event)
        except Conflict:
            continue
        claims += event == Event.CLAIM
        claims -= event == Event.RETRY
    assert claims <= 1


def test_a_starred_candidate_is_approved_as_it_is() -> None:
    assert domain.approval(starred=1, count=3, named=None) == Choice(1, Event.APPROVE)
    assert domain.approval(starred=1, count=3, named=1) == Choice(1, Event.APPROVE)


def test_another_than_the_starred_one_is_a_modification() -> None:
    with pytest.raises(domain.UseModify):
        domain.approval(starred=1, count=3, named=2)
    assert domain.modification({"chosen_index": 2}, count=3) == Choice(2, Event.MODIFY)


def test_with_nothing_starred_the_reviewer_has_to_name_one() -> None:
    with pytest.raises(domain.ChoiceNeeded):
        domain.approval(starred=-1, count=2, named=None)
    assert domain.approval(starred=-1, count=2, named=0) == Choice(0, Event.APPROVE)


def test_a_call_without_a_target_needs_no_choice() -> None:
    assert domain.approval(starred=-1, count=0, named=None) == Choice(-1, Event.APPROVE)


@pytest.mark.parametrize("index", [-1, 3, 99, True, 1.0, "1", None])
def test_an_index_out_of_range_or_of_another_type_is_refused(index: object) -> None:
    with pytest.raises(Invalid):
        domain.checked_index(index, 3)


@pytest.mark.parametrize("changes", [{}, {"chosen": 1}, {"chosen_index": 1, "x": 2}])
def test_an_empty_or_unknown_modification_is_refused(changes: dict[str, int]) -> None:
    with pytest.raises(Invalid):
        domain.modification(changes, count=3)
