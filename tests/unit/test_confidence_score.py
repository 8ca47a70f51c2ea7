"""The score curve, its levels, the chosen candidate and the words around them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confidence.domain.confidence import (
    BadThreshold,
    Cover,
    MatchCandidate,
    MatchConfidence,
    MatchLevel,
    Thresholds,
    Tiebreak,
    score,
    worst_level,
)

counts = st.integers(min_value=1, max_value=50)
times_ms = st.floats(min_value=0, max_value=60_000)
levels_best_first = list(MatchLevel)


def candidate(index: int = 0, **different) -> MatchCandidate:
    return MatchCandidate(index=index, tag="button", **different)


def two_matches(*candidates: MatchCandidate) -> MatchConfidence:
    return score(2, is_text_only=False, candidates=candidates)


# --- the curve ---------------------------------------------------------------------------


@given(counts, st.booleans(), times_ms)
def test_more_matches_never_score_higher(match_count, is_text_only, ms):
    fewer = score(match_count, is_text_only=is_text_only, appeared_after_ms=ms)
    more = score(match_count + 1, is_text_only=is_text_only, appeared_after_ms=ms)
    assert more.score <= fewer.score
    assert levels_best_first.index(more.level) >= levels_best_first.index(fewer.level)


@given(counts, times_ms)
def test_text_only_never_scores_higher(match_count, ms):
    structural = score(match_count, is_text_only=False, appeared_after_ms=ms)
    text_only = score(match_count, is_text_only=True, appeared_after_ms=ms)
    assert text_only.score <= structural.score


@given(counts, st.booleans(), times_ms, times_ms)
def test_later_never_scores_higher(match_count, is_text_only, one_ms, other_ms):
    earlier, later = (
        score(match_count, is_text_only=is_text_only, appeared_after_ms=ms)
        for ms in sorted((one_ms, other_ms))
    )
    assert later.score <= earlier.score


@given(st.integers(min_value=-5, max_value=10**9), st.booleans(), times_ms)
def test_score_stays_between_zero_and_one(match_count, is_text_only, ms):
    assert 0 <= score(match_count, is_text_only=is_text_only, appeared_after_ms=ms).score <= 1


@given(st.integers(min_value=0, max_value=50), st.booleans(), times_ms)
def test_the_equation_adds_up_to_the_score(match_count, is_text_only, ms):
    confidence = score(match_count, is_text_only=is_text_only, appeared_after_ms=ms)
    total = sum(Decimal(amount) for amount, _ in confidence.equation())
    assert total == Decimal(str(confidence.score))


def test_the_equation_reads_as_on_the_card():
    assert score(2, is_text_only=True).equation() == [
        ("1.00", "start"),
        ("-0.30", "two matches"),
        ("-0.15", "text only"),
    ]


@pytest.mark.parametrize(("ms", "expected"), [(1000, 1.0), (1000.0001, 0.9), (1001, 0.9)])
def test_exactly_a_second_is_not_late(ms, expected):
    assert score(1, is_text_only=False, appeared_after_ms=ms).score == expected


# --- thresholds --------------------------------------------------------------------------


@given(counts, st.booleans(), times_ms, st.data())
def test_levels_follow_any_thresholds(match_count, is_text_only, ms, data):
    threshold = st.floats(min_value=1e-6, max_value=1)
    partial, high = sorted((data.draw(threshold), data.draw(threshold)))
    confidence = score(
        match_count,
        is_text_only=is_text_only,
        appeared_after_ms=ms,
        thresholds=Thresholds(high=high, partial=partial),
    )
    if confidence.level is MatchLevel.HIGH:
        assert confidence.score >= high - 1e-9
    elif confidence.level is MatchLevel.PARTIAL:
        assert partial - 1e-9 <= confidence.score < high
    else:
        assert confidence.score < partial


@given(st.integers(min_value=1, max_value=4), st.booleans(), st.booleans())
def test_a_threshold_with_a_float_error_still_is_reached(match_count, is_text_only, late):
    summed = 1 - 0.3 * (match_count - 1) - 0.15 * is_text_only - 0.1 * late
    if summed < 0.01:
        return
    confidence = score(
        match_count,
        is_text_only=is_text_only,
        appeared_after_ms=2000 if late else 0,
        thresholds=Thresholds(high=summed, partial=summed),
    )
    assert confidence.level is MatchLevel.HIGH


def test_a_score_of_zero_reaches_no_threshold():
    tiny = Thresholds(high=5e-324, partial=5e-324)
    assert score(9, is_text_only=True, thresholds=tiny).level is MatchLevel.AMBIGUOUS


@pytest.mark.parametrize("bad", [0, -0.1, 1.01, float("nan"), float("inf"), "0.85", None, True])
def test_a_bad_threshold_is_refused_by_the_name_of_its_flag(bad):
    with pytest.raises(BadThreshold, match=r"^MATCH_CONFIDENCE_HIGH_THRESHOLD ") as high:
        Thresholds(high=bad)
    assert high.value.flag == "MATCH_CONFIDENCE_HIGH_THRESHOLD"
    with pytest.raises(BadThreshold, match=r"^MATCH_CONFIDENCE_PARTIAL_THRESHOLD ") as partial:
        Thresholds(partial=bad)
    assert partial.value.flag == "MATCH_CONFIDENCE_PARTIAL_THRESHOLD"


def test_partial_above_high_is_refused():
    with pytest.raises(BadThreshold, match=r"PARTIAL_THRESHOLD is 0\.9, above"):
        Thresholds(high=0.8, partial=0.9)


def test_thresholds_may_meet_and_reach_one():
    meeting = Thresholds(high=1, partial=1)
    assert score(1, is_text_only=False, thresholds=meeting).level is MatchLevel.HIGH
    assert score(1, is_text_only=True, thresholds=meeting).level is MatchLevel.AMBIGUOUS


# --- the chosen candidate ----------------------------------------------------------------


def test_no_match_is_ambiguous_and_chooses_nothing():
    confidence = score(0, is_text_only=False, total_count=3)
    assert (confidence.level, confidence.score, confidence.chosen_index) == ("ambiguous", 0.0, -1)
    assert confidence.rationale == "No visible match (-1.00); three more hidden."


def test_no_match_is_ambiguous_whatever_the_thresholds():
    tiny = Thresholds(high=5e-324, partial=5e-324)
    assert score(0, is_text_only=False, thresholds=tiny).level is MatchLevel.AMBIGUOUS


def test_a_single_match_is_chosen_though_its_level_is_low():
    strict = Thresholds(high=1, partial=0.9)
    late = score(1, is_text_only=True, appeared_after_ms=5000, thresholds=strict)
    assert (late.level, late.chosen_index) == ("ambiguous", 0)


def test_the_single_visible_match_is_chosen_behind_a_hidden_twin():
    confidence = score(
        1,
        is_text_only=False,
        total_count=2,
        candidates=(candidate(0, visible=False), candidate(1)),
    )
    assert confidence.chosen_index == 1


@pytest.mark.parametrize(
    "worse", [{"enabled": False}, {"covered_by": Cover("div")}, {"in_viewport": False}]
)
def test_the_one_alone_best_by_evidence_is_chosen(worse):
    assert two_matches(candidate(0, **worse), candidate(1)).chosen_index == 1
    assert two_matches(candidate(0), candidate(1, **worse)).chosen_index == 0


@pytest.mark.parametrize(
    ("weightier", "lighter"),
    [
        ({"enabled": False}, {"covered_by": Cover("div"), "in_viewport": False}),
        ({"covered_by": Cover("div")}, {"in_viewport": False}),
    ],
)
def test_evidence_counts_in_order(weightier, lighter):
    assert two_matches(candidate(0, **weightier), candidate(1, **lighter)).chosen_index == 1


@pytest.mark.parametrize("shared", [{}, {"enabled": False}, {"covered_by": Cover("div")}])
def test_a_tie_chooses_none(shared):
    assert two_matches(candidate(0, **shared), candidate(1, **shared)).chosen_index == -1


def test_of_several_ambiguous_ones_none_is_chosen():
    three = (candidate(0), candidate(1, enabled=False), candidate(2, enabled=False))
    assert score(3, is_text_only=False, candidates=three).chosen_index == -1


def test_nothing_is_chosen_while_a_match_is_undescribed():
    assert two_matches(candidate(0)).chosen_index == -1


def test_an_uncertain_call_that_proceeds_acts_on_the_first_visible():
    confidence = score(
        2,
        is_text_only=False,
        total_count=3,
        candidates=(candidate(0, visible=False), candidate(1), candidate(2)),
    )
    assert (confidence.chosen_index, confidence.index_to_act_on()) == (-1, 1)
    assert two_matches(candidate(0, enabled=False), candidate(1)).index_to_act_on() == 1
    assert score(0, is_text_only=False).index_to_act_on() == -1


# --- the rationale -----------------------------------------------------------------------


@given(st.integers(min_value=0, max_value=30), st.booleans(), times_ms)
def test_the_rationale_is_one_sentence_naming_each_penalty(match_count, is_text_only, ms):
    confidence = score(match_count, is_text_only=is_text_only, appeared_after_ms=ms)
    sentence = confidence.rationale
    assert sentence[0].isupper() or sentence[0].isdigit()
    assert sentence.endswith(".")
    assert (f"(-{0.3 * (match_count - 1):.2f})" in sentence) == (match_count > 1)
    if match_count:
        assert ("text only (-0.15)" in sentence) == is_text_only
        assert ("late" in sentence and "(-0.10)" in sentence) == (ms > 1000)


def test_the_rationale_names_what_covers_or_disables_the_chosen_one():
    covered = candidate(covered_by=Cover("div", "Loading"), enabled=False)
    confidence = score(1, is_text_only=True, candidates=(covered,))
    assert confidence.rationale == (
        "One visible match; the selector is text only (-0.15); candidate 1 is disabled; "
        "candidate 1 is covered by <div> 'Loading'."
    )


def test_obstacles_of_a_candidate_not_chosen_are_left_out():
    confidence = two_matches(candidate(0, enabled=False), candidate(1))
    assert confidence.rationale == (
        "Two visible matches (-0.30); candidate 2 alone has the best evidence."
    )


def test_page_text_cannot_break_out_of_the_rationale():
    tricky = Cover("div", "a\u202eb\x00\n  c" + "x" * 500)
    confidence = score(1, is_text_only=False, candidates=(candidate(covered_by=tricky),))
    assert confidence.rationale.isprintable()
    assert "'ab c" in confidence.rationale
    assert len(confidence.rationale) < 200


# --- a tiebreak --------------------------------------------------------------------------


def pick(index: int) -> Tiebreak:
    return Tiebreak(used=True, chosen_index=index, rationale="the one in the form", model="small")


def test_a_pick_makes_a_partial_call_high_with_its_score():
    partial = two_matches(candidate(0), candidate(1))
    upgraded = partial.upgraded_by(pick(1))
    assert (upgraded.level, upgraded.chosen_index, upgraded.score) == ("high", 1, partial.score)
    assert upgraded.tiebreak == pick(1)
    assert upgraded.rationale.endswith("; the tiebreaker picked candidate 2.")


def test_a_pick_for_an_irreversible_target_only_stars():
    starred = two_matches(candidate(0), candidate(1)).starred_by(pick(1))
    assert (starred.level, starred.chosen_index) == ("partial", 1)


def test_ambiguous_is_never_rescued():
    three = tuple(candidate(i) for i in range(3))
    ambiguous = score(3, is_text_only=False, candidates=three)
    upgraded = ambiguous.upgraded_by(pick(1))
    assert (upgraded.level, upgraded.chosen_index) == ("ambiguous", -1)
    assert upgraded.tiebreak == pick(1)


@pytest.mark.parametrize("index", [-1, 2, 3, -2])
def test_a_pick_of_nothing_visible_changes_nothing_but_the_record(index):
    partial = score(
        2,
        is_text_only=False,
        total_count=3,
        candidates=(candidate(0), candidate(1, enabled=False), candidate(2, visible=False)),
    )
    kept = partial.upgraded_by(pick(index))
    assert (kept.level, kept.chosen_index, kept.rationale) == ("partial", 0, partial.rationale)
    assert kept.tiebreak == pick(index)


# --- what is told --------------------------------------------------------------------------


def test_the_model_reads_at_most_five_candidates_and_the_chosen_one():
    many = (*(candidate(i, visible=False) for i in range(8)), candidate(8, text="Save"))
    told = score(1, is_text_only=False, total_count=9, candidates=many).for_model()
    indexes = [one["index"] for one in told["candidates"]]
    assert indexes == [0, 1, 2, 3, 8]
    assert told["candidates"][-1] == {"index": 8, "tag": "button", "text": "Save"}
    assert told["candidates"][0] == {"index": 0, "tag": "button", "visible": False}
    assert {"level", "score", "rationale"} <= set(told)


def test_a_form_is_as_sure_as_its_worst_field():
    high, partial, ambiguous = MatchLevel
    assert worst_level([high, partial, high]) is partial
    assert worst_level([partial, ambiguous, high]) is ambiguous
    assert worst_level([high]) is high
    assert worst_level([]) is ambiguous
