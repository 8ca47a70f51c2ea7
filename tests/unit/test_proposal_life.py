"""The life of a proposal as a table, and what a decision may say."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Conflict, Invalid
from proposals import domain
from proposals.domain import OPEN, TRANSITIONS, Changes, Choice, Event, Starred, Status

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


def starred(index: int, count: int = 3, name: str = "target") -> Starred:
    return Starred(name, index, count)


def test_a_starred_candidate_is_approved_as_it_is() -> None:
    assert domain.approval([starred(1)], {}) == Choice((1,), Event.APPROVE)
    assert domain.approval([starred(1)], {0: 1}) == Choice((1,), Event.APPROVE)


def test_another_than_the_starred_one_is_a_modification() -> None:
    with pytest.raises(domain.UseModify):
        domain.approval([starred(1)], {0: 2})
    assert domain.modification([starred(1)], Changes(picks={0: 2})) == Choice((2,), Event.MODIFY)


def test_with_nothing_starred_the_reviewer_has_to_name_one() -> None:
    with pytest.raises(domain.ChoiceNeeded):
        domain.approval([starred(-1)], {})
    assert domain.approval([starred(-1)], {0: 0}) == Choice((0,), Event.APPROVE)


def test_a_call_without_a_target_needs_no_choice() -> None:
    assert domain.approval([], {}) == Choice((), Event.APPROVE)


def test_of_several_targets_each_without_a_star_must_be_named() -> None:
    form = [starred(0, name="Name"), starred(-1, name="Email"), starred(2, name="submit")]
    with pytest.raises(domain.ChoiceNeeded, match="'Email'"):
        domain.approval(form, {0: 0})
    assert domain.approval(form, {1: 2}) == Choice((0, 2, 2), Event.APPROVE)
    with pytest.raises(domain.ChoiceNeeded, match="'Email'"):
        domain.modification(form, Changes(picks={2: 1}))
    assert domain.modification(form, Changes(picks={1: 1, 2: 1})) == Choice((0, 1, 1), Event.MODIFY)


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(Invalid, match="no field 1"):
        domain.approval([starred(0)], {1: 0})


def test_changes_are_read_for_the_shown_field_and_for_any() -> None:
    fields = [{"index": 0, "chosen_index": 2, "value": "x"}]
    changes = domain.read_changes({"chosen_index": 1, "fields": fields}, shown=1)
    assert changes == Changes(picks={0: 2, 1: 1}, values={0: "x"})
    assert domain.read_changes({"chosen_index": None}, shown=0).is_empty
    assert not domain.read_changes({"text": ""}, shown=0).is_empty


@pytest.mark.parametrize(
    "bad",
    [
        {"chosen_index": 1, "fields": [{"index": 1, "chosen_index": 1}]},
        {"chosen_index": 1, "selector": "#a"},
        {"selector": "#a", "preview": "1"},
        {"selector": 1},
        {"text": ["a"]},
        {"text": "a\x00"},
        {"text": "\ud800"},
        {"selector": "x" * 100_001},
        {"fields": [{"index": 0, "value": [1]}]},
        {"fields": [{"index": 0, "value": []}]},
        {"fields": {"index": 1, "chosen_index": 1}},
        {"fields": [1]},
        {"fields": [{"index": True, "chosen_index": 1}]},
        {"fields": [{"index": 0}]},
        {"fields": [{"index": 0, "value": {}}]},
        {"fields": [{"index": 0, "chosen_index": 1, "target": "x"}]},
    ],
)
def test_changes_that_cannot_be_meant_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        domain.read_changes(bad, shown=1)


@pytest.mark.parametrize("index", [-1, 3, 99, True, 1.0, "1", None])
def test_an_index_out_of_range_or_of_another_type_is_refused(index: object) -> None:
    with pytest.raises(Invalid):
        domain.checked_index(index, 3)


@pytest.mark.parametrize("changes", [{}, {"chosen": 1}, {"chosen_index": 1, "x": 2}])
def test_an_empty_or_unknown_modification_is_refused(changes: dict[str, int]) -> None:
    with pytest.raises(Invalid):
        domain.modification([starred(1)], domain.read_changes(changes, shown=0))
