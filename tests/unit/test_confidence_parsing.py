"""Readers of stored and printed values: they never raise, and doubt is never read as certainty."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confidence.domain.confidence import (
    Box,
    Cover,
    MatchCandidate,
    MatchConfidence,
    MatchLevel,
    Tiebreak,
    coerce_match_level_for_storage,
    parse_match_confidence,
    score,
)
from confidence.domain.outcome import (
    OutcomeKind,
    VerifiedOutcome,
    coerce_verified_outcome_for_storage,
    parse_verified_outcome,
)

DEEP = 100_000

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["high", "partial", "verified", "failed_verification"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
known_keys = st.sampled_from(
    [
        *("level", "score", "rationale", "candidates", "chosen_index", "match_count"),
        *("total_count", "is_text_only", "appeared_after_ms", "tiebreak", "used"),
        *("kind", "success", "evidence", "tag", "box", "attributes", "covered_by"),
    ]
)
near_misses = st.dictionaries(
    known_keys, json_values | st.dictionaries(known_keys, json_values) | st.lists(json_values)
)
anything = st.one_of(
    near_misses,
    near_misses.map(lambda value: {"candidates": [value], "tiebreak": value}),
    near_misses.map(json.dumps),
    near_misses.map(repr),
    json_values,
    st.text(),
    st.binary(),
    st.builds(object),
    st.dictionaries(st.integers() | st.none() | st.tuples(st.integers()), json_values),
)
hostile = [
    "[" * DEEP,
    "{" * DEEP,
    '{"level":' * DEEP,
    '{"candidates":' * 5_000 + "1" + "}" * 5_000,
    "-" * DEEP,
    "1+" * DEEP + "1",
    "(" * DEEP + ")" * DEEP,
    "[" * 90 + "]" * 90,
    "not " * 5_000 + "x",
    "\x00",
    "\ud800",
    "{'a'" + ": {'a'" * 60,
    "9" * 5_000,
    '{"score": ' + "9" * 400 + ', "match_count": ' + "9" * 400 + "}",
    "lambda: 0",
    "MatchConfidence(*[1])",
    "{**{}}",
    "f(x=[].append)",
    b"\xff\xfe",
    bytearray(b'{"level": "partial"}'),
    float("nan"),
    10**400,
    object,
]


@given(anything)
def test_a_match_confidence_is_read_from_anything_without_raising(value):
    read = parse_match_confidence(value)
    assert read.level in set(MatchLevel)
    assert 0 <= read.score <= 1
    json.dumps(read.as_dict(), allow_nan=False).encode()
    read.for_model()
    read.equation()
    assert read.index_to_act_on() >= -1


@given(anything)
def test_an_outcome_is_read_from_anything_without_raising(value):
    read = parse_verified_outcome(value)
    assert read.kind in set(OutcomeKind)
    assert isinstance(read.success, bool)
    json.dumps(read.as_dict()).encode()


@given(anything)
def test_what_is_stored_is_one_of_the_known_words(value):
    assert coerce_match_level_for_storage(value) in {"high", "partial", "ambiguous"}
    assert coerce_verified_outcome_for_storage(value) in {
        "verified",
        "unverified",
        "failed_verification",
    }


@pytest.mark.parametrize("value", hostile, ids=lambda value: repr(value)[:24])
def test_hostile_values_are_doubt(value):
    assert parse_match_confidence(value).level is not MatchLevel.HIGH
    assert parse_verified_outcome(value).kind is OutcomeKind.UNVERIFIED


def test_a_value_that_holds_itself_is_read():
    loop: dict = {"level": "partial"}
    loop["candidates"] = [loop]
    loop["evidence"] = loop
    assert parse_match_confidence(loop).level is MatchLevel.PARTIAL
    assert parse_verified_outcome(loop).evidence == ""


# --- what was written is read back ---------------------------------------------------------

words = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=30)
sizes = st.floats(min_value=-1e6, max_value=1e6)
boxes = st.builds(Box, x=sizes, y=sizes, width=sizes, height=sizes)
covers = st.builds(Cover, tag=words, text=words)


@st.composite
def confidences(draw) -> MatchConfidence:
    count = draw(st.integers(min_value=0, max_value=4))
    candidates = tuple(
        draw(
            st.builds(
                MatchCandidate,
                index=st.just(i),
                tag=words,
                text=words,
                attributes=st.dictionaries(words, words, max_size=2),
                box=st.none() | boxes,
                visible=st.booleans(),
                enabled=st.booleans(),
                in_viewport=st.booleans(),
                covered_by=st.none() | covers,
                shadow=st.booleans(),
            )
        )
        for i in range(count)
    )
    scored = score(
        sum(one.visible for one in candidates),
        is_text_only=draw(st.booleans()),
        appeared_after_ms=draw(st.floats(min_value=0, max_value=5000)),
        total_count=draw(st.integers(min_value=count, max_value=9)),
        candidates=candidates,
    )
    picked = draw(st.integers(min_value=-1, max_value=count - 1))
    tiebreak = Tiebreak(used=True, chosen_index=picked, rationale=draw(words), source="precedent")
    return draw(st.sampled_from([scored, scored.upgraded_by(tiebreak)]))


@given(confidences())
def test_a_match_confidence_survives_every_way_of_writing_it(confidence):
    for written in (
        confidence,
        confidence.as_dict(),
        json.dumps(confidence.as_dict()),
        json.dumps(confidence.as_dict()).encode(),
        repr(confidence),
        repr(confidence.as_dict()),
    ):
        assert parse_match_confidence(written) == confidence


@given(st.builds(VerifiedOutcome, kind=st.sampled_from(OutcomeKind), evidence=words))
def test_an_outcome_survives_every_way_of_writing_it(outcome):
    for written in (outcome, outcome.as_dict(), json.dumps(outcome.as_dict()), repr(outcome)):
        assert parse_verified_outcome(written) == outcome


# --- single rules --------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", ["HIGH", "certain", "", None, 1, True, ["high"], {"high": 1}])
def test_an_unknown_level_is_ambiguous(unknown):
    assert coerce_match_level_for_storage(unknown) == "ambiguous"
    assert parse_match_confidence({"level": unknown, "score": 1}).level is MatchLevel.AMBIGUOUS


@pytest.mark.parametrize("level", list(MatchLevel))
def test_a_known_level_is_stored_as_it_is(level):
    assert coerce_match_level_for_storage(level) == level.value
    assert coerce_match_level_for_storage(level.value) == level.value


@pytest.mark.parametrize("stated", [True, None, 0, "", "false", [], 0.0])
def test_success_is_false_only_when_literally_false(stated):
    assert parse_verified_outcome({"kind": "verified", "success": stated}).success is True


def test_a_literal_false_is_kept():
    assert parse_verified_outcome({"kind": "verified", "success": False}).success is False
    assert parse_verified_outcome('{"success": false}').success is False
    assert parse_verified_outcome("{'success': False}").success is False


@pytest.mark.parametrize("unknown", ["VERIFIED", "ok", "", None, 1, True, {"kind": "done"}])
def test_an_unknown_outcome_is_unverified(unknown):
    assert coerce_verified_outcome_for_storage(unknown) == "unverified"


@pytest.mark.parametrize("kind", list(OutcomeKind))
def test_an_outcome_is_stored_from_its_word_or_its_record(kind):
    assert coerce_verified_outcome_for_storage(kind.value) == kind.value
    assert coerce_verified_outcome_for_storage(VerifiedOutcome(kind=kind)) == kind.value
    assert coerce_verified_outcome_for_storage({"kind": kind.value}) == kind.value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "0.9", None, True, 10**400])
def test_a_bad_score_counts_for_nothing(value):
    assert parse_match_confidence({"level": "high", "score": value}).score == 0.0


@pytest.mark.parametrize("index", [-2, 2, True, "0", 0.0, None, 10**30])
def test_a_bad_index_chooses_nothing(index):
    two = [{"tag": "a"}, {"tag": "b"}]
    read = parse_match_confidence(
        {"level": "partial", "candidates": two, "chosen_index": index, "match_count": 2}
    )
    assert read.chosen_index == -1


def test_what_is_not_said_counts_as_text_only():
    assert parse_match_confidence({}).is_text_only is True
    assert parse_match_confidence({"is_text_only": 0}).is_text_only is True
    assert parse_match_confidence({"is_text_only": False}).is_text_only is False


def test_text_is_read_so_that_a_database_can_store_it():
    read = parse_match_confidence({"rationale": "a\x00b\ud800" + "c" * 10_000})
    assert read.rationale.startswith("ab?ccc")
    assert len(read.rationale) < 5_000


def test_a_candidate_with_missing_facts_is_not_taken_for_actable():
    read = parse_match_confidence({"level": "partial", "candidates": [{"tag": "a"}]})
    assert read.candidates[0].visible is False
    assert read.candidates[0].enabled is False
