"""How sure a call is of its targets, and whether it may run: score, tiebreak, gate."""

import contextlib
import logging
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from browser import calls
from browser.errors import BrowserError
from browser.providers import BrowserRef
from browser.resolver import Resolution
from browser.sessions import Place
from confidence import flags, precedents, tiebreaker
from confidence.domain import confidence as scoring
from confidence.domain import risk
from confidence.domain.confidence import MatchConfidence, MatchLevel, Tiebreak
from confidence.domain.gate import (
    TIERS_THAT_ACT,
    Decision,
    GateCall,
    GateDecision,
    decide,
    kind_of,
)
from confidence.flags import Flags
from confidence.tiebreaker import Question
from core import metrics
from core.metrics import Stage
from runs import services
from runs.models import Action
from runs.pipeline.errors import GateFailed
from runs.pipeline.resolving import note_timings
from runs.targets import Target

log = logging.getLogger(__name__)
NOT_JUDGED = GateDecision(Decision.PROCEED, ())
SURENESS = (MatchLevel.AMBIGUOUS, MatchLevel.PARTIAL, MatchLevel.HIGH)
FAILED_IN_SHADOW = GateDecision(Decision.PROCEED, ("gate_failed_in_shadow",))


@dataclass(frozen=True)
class Judgement:
    """One confidence for each target, in order; none where nothing was scored. `saves_review` when
    only what was taught keeps the call from a person. `is_listed` when a site's profile says that
    one of the candidates cannot be taken back."""

    confidences: tuple[MatchConfidence, ...]
    decision: GateDecision
    saves_review: bool = False
    is_listed: bool = False

    @property
    def shown(self) -> int:
        """The target that is least sure: the call is as sure as that one."""
        return _least_sure(self.confidences)

    @property
    def confidence(self) -> MatchConfidence | None:
        return self.confidences[self.shown] if self.confidences else None

    @property
    def is_irreversible(self) -> bool:
        return self.is_listed or any(
            risk.any_irreversible(one.candidates) for one in self.confidences
        )

    def indices(self, resolutions: Sequence[Resolution]) -> list[int]:
        """Which candidate of each target is acted on if the call may run."""
        if not self.confidences:
            return [_first_visible(one) for one in resolutions]
        return [max(one.index_to_act_on(), 0) for one in self.confidences]

    def picks(self, resolutions: Sequence[Resolution]) -> list[int | None]:
        """The candidate of each target that the call is for; None where a person is to say."""
        if self.decision.decision is Decision.PROCEED:
            return list(self.indices(resolutions))
        chosen = [one.chosen_index for one in self.confidences]
        return [index if index >= 0 else None for index in chosen]


def _least_sure(confidences: Sequence[MatchConfidence]) -> int:
    sureness = [(SURENESS.index(one.level), one.score) for one in confidences]
    return sureness.index(min(sureness)) if sureness else 0


def _first_visible(resolution: Resolution) -> int:
    places = (i for i, one in enumerate(resolution.candidates) if one.visible)
    return next(places, 0)


def judge(
    action: Action,
    ref: BrowserRef,
    targets: Sequence[Target],
    resolutions: Sequence[Resolution],
    *,
    listed: Collection[object] = (),
) -> Judgement:
    """While gating is in force a failure in here stops the action; in shadow mode it goes on.

    `listed`: which candidates a site's profile calls irreversible."""
    current = flags.current()
    try:
        judgement = _judged(action, ref, targets, resolutions, current, listed)
    except BrowserError:  # the page went away: told as such, in every mode
        raise
    except Exception as error:
        log.exception("score or gate failed for action %s", action.id)
        if current.force_proposal or action.run.agent.tier not in TIERS_THAT_ACT:
            raise GateFailed("The gate failed inside, so nothing was done.") from error
        judgement = Judgement((), FAILED_IN_SHADOW, is_listed=bool(listed))
    _note(action, targets, judgement, page_url=resolutions[0].page_url)
    return judgement


def _note(
    action: Action, targets: Sequence[Target], judgement: Judgement, *, page_url: str
) -> None:
    """A call that goes past the layer tells no certainty; a person is shown it all the same."""
    is_past = judgement.decision.reasons == ("layer_disabled",)
    told = Judgement((), judgement.decision) if is_past else judgement
    services.note_judgement(
        action,
        told.confidence,
        told.decision,
        fields=fields_of(targets, told.confidences),
        page_url=page_url,
    )


def _judged(
    action: Action,
    ref: BrowserRef,
    targets: Sequence[Target],
    resolutions: Sequence[Resolution],
    current: Flags,
    listed: Collection[object],
) -> Judgement:
    with _counted("score"):
        confidences = [_timed_score(action, one, current) for one in resolutions]
    with _counted("tiebreak"):
        settled = _break_ties(action, ref, targets, confidences, current, listed)
    with _counted("gate"):
        worst = settled[_least_sure(settled)]
        decision = decide_on(action, worst, current)
        untaught = decide_on(action, _without_precedents(confidences, settled), current)
    _count(action, worst, decision)
    saves_review = decision.decision is Decision.PROCEED and untaught.decision is Decision.PROPOSE
    return Judgement(tuple(settled), decision, saves_review, is_listed=bool(listed))


def _without_precedents(
    scored: Sequence[MatchConfidence], settled: Sequence[MatchConfidence]
) -> MatchConfidence:
    """How sure the call would be if nobody had taught anything."""
    untaught = [
        before if after.is_taught else after for before, after in zip(scored, settled, strict=True)
    ]
    return untaught[_least_sure(untaught)]


@contextlib.contextmanager
def _counted(stage: Stage) -> Iterator[None]:
    try:
        yield
    except Exception:
        metrics.count_gate_failure(stage=stage)
        raise


def _timed_score(action: Action, resolution: Resolution, current: Flags) -> MatchConfidence:
    started = time.perf_counter()
    confidence = score(resolution, current)
    took_s = time.perf_counter() - started
    metrics.observe("score", took_s)
    note_timings(action, added_ms=took_s * 1000)
    return confidence


def score(resolution: Resolution, current: Flags) -> MatchConfidence:
    return scoring.score(
        resolution.match_count,
        is_text_only=resolution.is_text_only,
        appeared_after_ms=resolution.appeared_after_ms,
        total_count=resolution.total_count,
        candidates=resolution.candidates,
        thresholds=current.thresholds,
    )


def _break_ties(
    action: Action,
    ref: BrowserRef,
    targets: Sequence[Target],
    confidences: list[MatchConfidence],
    current: Flags,
    listed: Collection[object],
) -> list[MatchConfidence]:
    """Unsure ones in order, until one stays so: a person decides on the whole call then."""
    if action.dry_run or not current.layer_is_on:
        return confidences
    settled = list(confidences)
    only_hints = bool(listed) or any(
        risk.only_a_person_settles(one.candidates) for one in confidences
    )
    for index, confidence in enumerate(confidences):
        if confidence.level is not MatchLevel.HIGH:
            settled[index] = _settle(action, ref, targets[index], confidence, current, only_hints)
            if settled[index].level is not MatchLevel.HIGH:
                break
    return settled


def _settle(
    action: Action,
    ref: BrowserRef,
    target: Target,
    confidence: MatchConfidence,
    current: Flags,
    only_hints: bool,
) -> MatchConfidence:
    """What a reviewer taught comes before what a model thinks. Where one target of the call cannot
    be taken back, or nobody can tell, nothing was taught and a model's pick is only a hint: the
    order is the user's."""
    place = calls.where(ref)  # a pick is never reused on another page
    if only_hints:
        tiebreak = _ask_tiebreaker(action, place, target, confidence, current)
        return confidence.starred_by(tiebreak) if tiebreak else confidence
    taught = precedents.recall(
        confidence, agent_id=action.run.agent_id, target=target.words, url=place.url
    )
    if taught is not None:
        precedent, pick = taught
        precedents.note_use(precedent, action_id=action.id)
        return confidence.rescued_by(pick)
    tiebreak = _ask_tiebreaker(action, place, target, confidence, current)
    return confidence.upgraded_by(tiebreak) if tiebreak else confidence


def _ask_tiebreaker(
    action: Action,
    place: Place,
    target: Target,
    confidence: MatchConfidence,
    current: Flags,
) -> Tiebreak | None:
    started = time.perf_counter()
    question = Question(
        tool=action.tool,
        intent=target.intent,
        url=place.url,
        title=place.title,
        run_id=action.run_id,
        action_id=action.id,
        agent_id=action.run.agent_id,
    )
    tiebreak = tiebreaker.break_tie(confidence, question, current)
    took_ms = (time.perf_counter() - started) * 1000
    note_timings(action, tiebreak_ms=took_ms, added_ms=took_ms)
    return tiebreak


def decide_on(action: Action, confidence: MatchConfidence | None, current: Flags) -> GateDecision:
    agent = action.run.agent
    return decide(
        GateCall(
            kind=kind_of(action.tool, action.params),
            level=confidence.level if confidence else None,
            tier=agent.tier,
            agent_flag=agent.match_confidence_gating_enabled,
            force_proposal=current.force_proposal,
            gated_tiers=current.gated_tiers,
            enabled=current.enabled,
            locator_api=current.locator_api,
        )
    )


def decide_without_target(action: Action) -> GateDecision:
    """No target, no confidence: the tier alone may send it to a person."""
    decision = decide_on(action, None, flags.current())
    services.note_judgement(action, None, decision)
    _count(action, None, decision)
    return decision


def _count(action: Action, confidence: MatchConfidence | None, decision: GateDecision) -> None:
    metrics.count_action(
        tool=action.tool,
        level=confidence.level.value if confidence else "none",
        tier=action.run.agent.tier,
        decision=decision.decision.value,
    )


def fields_of(
    targets: Sequence[Target], confidences: Sequence[MatchConfidence]
) -> list[dict[str, object]]:
    """The per-field table of a call with several targets; empty for any other."""
    if len(targets) < 2 or len(targets) != len(confidences):
        return []
    return [
        {
            "name": target.name,
            "target": target.words,
            "intent": target.intent,
            **confidence.as_dict(),
        }
        for target, confidence in zip(targets, confidences, strict=True)
    ]
