"""The small rules of judging a call: which target counts, which candidate, and who is asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from agents.models import AgentRegistry
from agents.services import create_agent
from browser.providers import BrowserRef
from browser.resolver import Found, Resolution
from browser.sessions import Place
from confidence import flags, precedents
from confidence.domain import confidence as scoring
from confidence.domain.confidence import MatchCandidate, MatchConfidence, SetOff, Tiebreak
from confidence.domain.gate import Decision, GateDecision
from confidence.models import Precedent, PrecedentUse
from core.actors import SYSTEM
from runs.models import Action, Run
from runs.pipeline.judging import Judgement, fields_of, judge
from runs.targets import Target

NOWHERE = BrowserRef("ws://127.0.0.1:9")
PROCEED = GateDecision(Decision.PROCEED, ())


def button(index: int = 0, name: str = "Go", **more: Any) -> MatchCandidate:
    return MatchCandidate(index=index, tag="button", role="button", name=name, **more)


def scored(count: int, *, is_text_only: bool = False, **more: Any) -> MatchConfidence:
    candidates = [button(index, **more) for index in range(count)]
    return scoring.score(count, is_text_only=is_text_only, candidates=candidates)


HIGH, TEXT, TWO, FOUR = scored(1), scored(1, is_text_only=True), scored(2), scored(4)


def judged(*confidences: MatchConfidence) -> Judgement:
    return Judgement(confidences, PROCEED)


def found(*candidates: MatchCandidate) -> Resolution:
    """As the browser answers, but for the browser."""
    held: Any = None
    return Resolution(
        ".go",
        is_text_only=False,
        found=[Found(one, held, place, held) for place, one in enumerate(candidates)],
        match_count=sum(one.visible for one in candidates),
        total_count=len(candidates),
    )


def twins(name: str = "Go", **more: Any) -> Resolution:
    return found(button(0, name, **more), button(1, name, **more))


# --- the target that counts ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("confidences", "shown"),
    [
        ([HIGH], 0),
        ([HIGH, TWO], 1),
        ([TWO, FOUR, HIGH], 1),
        ([HIGH, TEXT, HIGH], 1),  # as high, but the lower score
        ([TWO, TWO], 0),  # the first of equals
        ([], 0),
    ],
)
def test_a_call_is_as_sure_as_its_least_sure_target(
    confidences: list[MatchConfidence], shown: int
) -> None:
    assert judged(*confidences).shown == shown


def test_the_level_counts_before_the_score() -> None:
    """A pick makes a target high at the score it had."""
    picked = scored(2, is_text_only=True).upgraded_by(Tiebreak(used=True, chosen_index=1))
    assert picked.score < TWO.score
    assert judged(picked, TWO).shown == 1


def test_where_nothing_was_scored_there_is_no_confidence() -> None:
    assert judged().confidence is None
    assert judged(HIGH, TWO).confidence is TWO


def test_one_control_that_cannot_be_taken_back_makes_the_call_so() -> None:
    assert judged(HIGH, scored(2, text="Place order")).is_irreversible
    assert not judged(HIGH, TWO).is_irreversible


# --- the candidate that is acted on -------------------------------------------------------------
def test_the_chosen_candidate_is_acted_on_else_the_first_visible_one() -> None:
    hidden_first = [button(0, visible=False), button(1), button(2)]
    late = scoring.score(2, is_text_only=False, total_count=3, candidates=hidden_first)
    picked = TWO.upgraded_by(Tiebreak(used=True, chosen_index=1))
    assert judged(HIGH, picked, late).indices([twins()] * 3) == [0, 1, 1]


def test_without_a_score_the_first_visible_match_is_acted_on() -> None:
    late = found(button(0, visible=False), button(1, visible=False), button(2))
    assert judged().indices([twins(), late]) == [0, 2]


# --- the table of fields ------------------------------------------------------------------------
def test_a_call_with_several_targets_has_a_table_of_them() -> None:
    targets = [Target("Name", "#name", "the name"), Target("submit", "#send")]
    rows = fields_of(targets, [HIGH, TWO])
    assert [(row["name"], row["target"], row["intent"], row["level"]) for row in rows] == [
        ("Name", "#name", "the name", "high"),
        ("submit", "#send", "", "partial"),
    ]
    assert rows[1]["candidates"] == TWO.as_dict()["candidates"]


@pytest.mark.parametrize(("targets", "confidences"), [(1, [TWO]), (2, []), (0, [])])
def test_any_other_call_has_none(targets: int, confidences: list[MatchConfidence]) -> None:
    assert fields_of([Target("one", "#one")] * targets, confidences) == []


# --- who is asked -------------------------------------------------------------------------------
Answers = Callable[..., list[str]]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """The tiebreaker picks these in turn; what it was asked for is kept."""

    def arrange(*picks: int) -> list[str]:
        asked: list[str] = []
        left = list(picks)

        def break_tie(_confidence: Any, question: Any, _flags: Any) -> Tiebreak:
            asked.append(question.intent)
            return Tiebreak(used=True, chosen_index=left.pop(0))

        monkeypatch.setattr("runs.pipeline.judging.tiebreaker.break_tie", break_tie)
        monkeypatch.setattr(
            "runs.pipeline.judging.calls.where", lambda _: Place("http://shop.example/", "Shop")
        )
        return asked

    return arrange


@pytest.fixture
def current(db: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Gating, unless something else is said."""

    def be(**changes: Any) -> None:
        now = replace(flags.Flags(force_proposal=True), **changes)
        monkeypatch.setattr(flags, "current", lambda: now)

    be()
    return be


def judge_of(
    *resolutions: Resolution, tier: str = "autonomous", **action: Any
) -> tuple[Action, Judgement]:
    agent = AgentRegistry(tier=tier)
    asked = Action(run=Run(id=uuid4(), agent=agent), tool="browser_fill_form", **action)
    targets = [Target(f"field {n}", f"#f{n}", f"intent {n}") for n in range(len(resolutions))]
    return asked, judge(asked, NOWHERE, targets, resolutions)


def levels(judgement: Judgement) -> Sequence[str]:
    return [one.level.value for one in judgement.confidences]


@pytest.mark.usefixtures("current")
def test_partial_ones_are_asked_about_in_order(answers: Answers) -> None:
    asked = answers(1, 0)
    action, judgement = judge_of(twins(), found(button()), twins())
    assert asked == ["intent 0", "intent 2"]
    assert levels(judgement) == ["high", "high", "high"]
    assert judgement.indices([]) == [1, 0, 0]
    assert (judgement.decision.decision, action.gate_reasons) == (Decision.PROCEED, ["high"])


@pytest.mark.usefixtures("current")
def test_nobody_is_asked_after_the_first_that_stays_undecided(answers: Answers) -> None:
    """A person decides on the whole call then."""
    asked = answers(1, -1, 1)
    action, judgement = judge_of(twins(), twins(), twins())
    assert asked == ["intent 0", "intent 1"]
    assert levels(judgement) == ["high", "partial", "partial"]
    assert judgement.decision.decision is Decision.PROPOSE
    assert action.match_confidence["level"] == "partial"
    assert [row["level"] for row in action.fields] == levels(judgement)


@pytest.mark.usefixtures("current")
def test_a_pick_only_stars_what_cannot_be_taken_back(answers: Answers) -> None:
    answers(1)
    _, judgement = judge_of(twins("Place order"))
    assert levels(judgement) == ["partial"]
    assert judgement.confidences[0].chosen_index == 1
    assert judgement.decision.decision is Decision.PROPOSE


@pytest.mark.usefixtures("current")
def test_nor_any_other_field_of_a_call_that_ends_in_it(answers: Answers) -> None:
    """A model that a page steered must not complete a form that pays."""
    answers(1)
    _, judgement = judge_of(twins("Address"), found(button(0, "Pay now")))
    assert levels(judgement) == ["partial", "high"]
    assert judgement.confidences[0].chosen_index == 1
    assert judgement.decision.decision is Decision.PROPOSE


@pytest.mark.parametrize(
    "sets_off", [SetOff(("Place order",), is_known=True), SetOff(), SetOff(("Search",))]
)
@pytest.mark.usefixtures("current")
def test_a_pick_only_stars_a_field_where_enter_orders_or_nobody_knows(
    answers: Answers, sets_off: SetOff
) -> None:
    answers(1)
    _, judgement = judge_of(twins("Card number", sets_off=sets_off))
    assert levels(judgement) == ["partial"]
    assert judgement.confidences[0].chosen_index == 1
    assert judgement.is_irreversible is ("Place order" in sets_off.words)


@pytest.mark.usefixtures("current")
def test_a_pick_settles_a_field_where_enter_searches(answers: Answers) -> None:
    answers(1)
    _, judgement = judge_of(twins("Words", sets_off=SetOff(("Search",), is_known=True)))
    assert levels(judgement) == ["high"]


@pytest.mark.usefixtures("current")
def test_nobody_is_asked_for_a_dry_run(answers: Answers) -> None:
    asked = answers()
    _, judgement = judge_of(twins(), dry_run=True)
    assert (asked, levels(judgement)) == ([], ["partial"])


@pytest.mark.parametrize("off", ["enabled", "locator_api"])
def test_past_the_layer_nobody_is_asked_and_no_certainty_is_told(
    answers: Answers, current: Callable[..., None], off: str
) -> None:
    asked = answers()
    current(**{off: False})
    action, judgement = judge_of(twins(), twins())
    assert asked == []
    assert judgement.decision.reasons == ("layer_disabled",)
    assert (action.match_confidence, action.fields) == (None, [])


def test_past_the_layer_a_person_still_sees_the_candidates_of_what_a_tier_proposes(
    answers: Answers, current: Callable[..., None]
) -> None:
    answers()
    current(enabled=False)
    action, judgement = judge_of(twins(), tier="student")
    assert judgement.decision.decision is Decision.PROPOSE
    assert len(action.match_confidence["candidates"]) == 2


# --- what was taught ----------------------------------------------------------------------------
def taught_to(agent: AgentRegistry) -> Precedent:
    return precedents.remember(
        actor=SYSTEM,
        agent_id=agent.pk,
        target="#f0",
        page_url="http://shop.example/",
        candidate=button(1, fingerprint="b").as_dict(),
        proposal_id=uuid4(),
    )


def judged_for(agent: AgentRegistry, *resolutions: Resolution) -> Judgement:
    action = Action(run=Run(id=uuid4(), agent=agent), tool="browser_click")
    targets = [Target(f"field {n}", f"#f{n}") for n in range(len(resolutions))]
    return judge(action, NOWHERE, targets, resolutions)


def told_apart() -> Resolution:
    return found(button(0, fingerprint="a"), button(1, fingerprint="b"))


@pytest.mark.usefixtures("current")
def test_what_was_taught_saves_a_review_where_a_person_would_have_been_asked(
    answers: Answers,
) -> None:
    answers()
    agent = create_agent("old-hand", tier="autonomous")
    precedent = taught_to(agent)
    judgement = judged_for(agent, told_apart())
    assert (judgement.decision.decision, judgement.saves_review) == (Decision.PROCEED, True)
    assert PrecedentUse.objects.get().precedent == precedent


@pytest.mark.usefixtures("current")
def test_it_saves_none_where_the_tier_asks_anyway(answers: Answers) -> None:
    answers()
    pupil = create_agent("pupil", tier="student")
    taught_to(pupil)
    judgement = judged_for(pupil, told_apart())
    assert (judgement.decision.decision, judgement.saves_review) == (Decision.PROPOSE, False)
    assert PrecedentUse.objects.exists()  # it picked all the same: a report finds it


def test_it_saves_none_in_shadow_mode(answers: Answers, current: Callable[..., None]) -> None:
    answers()
    current(force_proposal=False)
    agent = create_agent("old-hand", tier="autonomous")
    taught_to(agent)
    assert not judged_for(agent, told_apart()).saves_review


@pytest.mark.usefixtures("current")
def test_it_saves_none_where_another_target_stays_unsure(answers: Answers) -> None:
    answers(-1)
    agent = create_agent("old-hand", tier="autonomous")
    taught_to(agent)
    assert not judged_for(agent, told_apart(), told_apart()).saves_review


@pytest.mark.usefixtures("current")
def test_an_action_keeps_the_host_of_the_page_it_was_judged_on() -> None:
    on_page = replace(found(button()), page_url="https://Shop.example:8443/cart?x=1")
    action, _ = judge_of(on_page)
    assert action.page_host == "shop.example:8443"
