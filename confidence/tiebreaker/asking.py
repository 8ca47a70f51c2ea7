"""One partial call and the second opinion on it: memory, breaker, endpoint, answer, meter."""

import logging
import time
from collections.abc import Container
from dataclasses import dataclass

from django.conf import settings
from redis import RedisError

from confidence.domain.confidence import NONE_CHOSEN, MatchConfidence, Tiebreak
from confidence.domain.levels import MatchLevel
from confidence.flags import Flags
from confidence.models import TiebreakCall
from confidence.tiebreaker import memory, meter
from confidence.tiebreaker.prompt import Question, messages, pickable
from confidence.tiebreaker.readiness import NAME, breaker
from confidence.tiebreaker.reply import Pick, pick_from
from core.chat.breaker import Permit
from core.chat.endpoint import Endpoint, post
from core.chat.errors import BadAnswer, BreakerOpen, Forbidden, NoAnswer, TooSlow
from core.chat.reply import Completion, Usage, completion_from

log = logging.getLogger(__name__)
MAX_TOKENS = 200
NOTHING_USED = Usage()
Outcome = TiebreakCall.Outcome
OUTCOMES: dict[type[NoAnswer], Outcome] = {
    BreakerOpen: Outcome.OPEN,
    TooSlow: Outcome.TIMEOUT,
    BadAnswer: Outcome.BAD_ANSWER,
}


@dataclass(frozen=True)
class Verdict:
    """How one question ended. `pick` is None where there was no usable answer."""

    outcome: Outcome
    rationale: str
    pick: Pick | None = None
    usage: Usage = NOTHING_USED


def break_tie(confidence: MatchConfidence, question: Question, flags: Flags) -> Tiebreak | None:
    """A second opinion on a partial call, within flags.tiebreaker_timeout_s. Never raises.

    None where there is nothing to ask: another level, or the flag is off. Every failure is an
    undecided Tiebreak whose rationale says why.
    """
    if confidence.level is not MatchLevel.PARTIAL or not flags.tiebreaker_enabled:
        return None
    started = time.monotonic()
    deadline = started + flags.tiebreaker_timeout_s
    try:
        verdict = _verdict(confidence, question, flags, deadline=deadline)
    except Exception:  # an edge: an opinion that cannot be had must never stop the action
        log.exception("the tiebreaker failed inside")
        verdict = Verdict(Outcome.ERROR, "The tiebreaker failed inside.")
    latency_ms = round((time.monotonic() - started) * 1000, 1)
    meter.note(
        question,
        outcome=verdict.outcome,
        model=settings.TIEBREAKER_MODEL,
        latency_ms=latency_ms,
        usage=verdict.usage,
    )
    return _tiebreak(verdict, latency_ms=latency_ms)


def _tiebreak(verdict: Verdict, *, latency_ms: float) -> Tiebreak:
    return Tiebreak(
        used=verdict.pick is not None,
        chosen_index=verdict.pick.chosen_index if verdict.pick else NONE_CHOSEN,
        rationale=verdict.rationale,
        cache_hit=verdict.outcome is Outcome.CACHED,
        latency_ms=latency_ms,
        model=settings.TIEBREAKER_MODEL,
    )


def _verdict(
    confidence: MatchConfidence, question: Question, flags: Flags, *, deadline: float
) -> Verdict:
    try:
        endpoint = Endpoint.configured(NAME)
        if not flags.tiebreaker_cache:
            return _asked(confidence, question, endpoint, deadline)
        return _recalled_or_asked(confidence, question, endpoint, deadline)
    except NoAnswer as error:
        return _failed(error)
    except RedisError as error:
        log.warning("the tiebreaker was not asked, Redis does not answer: %s", error)
        return Verdict(Outcome.UNAVAILABLE, "The tiebreaker is unavailable: Redis is gone.")


def _recalled_or_asked(
    confidence: MatchConfidence, question: Question, endpoint: Endpoint, deadline: float
) -> Verdict:
    key = memory.key_of(confidence, question, model=endpoint.model)
    known = memory.recall(key, allowed=_allowed(confidence))
    if known:
        return Verdict(Outcome.CACHED, known.rationale, known)
    verdict = _asked(confidence, question, endpoint, deadline)
    if verdict.pick:
        _remember(key, verdict.pick)
    return verdict


def _asked(
    confidence: MatchConfidence, question: Question, endpoint: Endpoint, deadline: float
) -> Verdict:
    """Raises BreakerOpen, Forbidden, and RedisError where the breaker cannot be asked."""
    permit = breaker.enter()
    if permit is None:
        raise BreakerOpen("it failed too often of late and is not asked")
    body = _body(confidence, question, model=endpoint.model)
    try:
        answer = post(endpoint, body, budget_s=max(deadline - time.monotonic(), 0))
        verdict = _read(completion_from(answer), allowed=_allowed(confidence))
    except Forbidden:
        breaker.give_back(permit)
        raise
    except NoAnswer as error:
        verdict = _failed(error)
    _tell_breaker(permit, verdict)
    return verdict


def _body(confidence: MatchConfidence, question: Question, *, model: str) -> dict[str, object]:
    return {
        "model": model,
        "messages": messages(confidence, question),
        "response_format": {"type": "json_object"},
        "temperature": 0,
        "max_tokens": MAX_TOKENS,
    }


def _allowed(confidence: MatchConfidence) -> Container[int]:
    return {place for place, _ in pickable(confidence)}


def _read(completion: Completion, *, allowed: Container[int]) -> Verdict:
    """What a bad answer cost is known all the same."""
    try:
        pick = pick_from(completion.text, allowed=allowed)
    except BadAnswer as error:
        return _failed(error, usage=completion.usage)
    outcome = Outcome.UNDECIDED if pick.is_undecided else Outcome.PICKED
    return Verdict(outcome, pick.rationale, pick, completion.usage)


def _failed(error: NoAnswer, *, usage: Usage = NOTHING_USED) -> Verdict:
    outcome = OUTCOMES.get(type(error), Outcome.UNAVAILABLE)
    return Verdict(outcome, f"The tiebreaker {error.title}: {error}.", usage=usage)


def _tell_breaker(permit: Permit, verdict: Verdict) -> None:
    """The answer is there; that the breaker did not hear of it takes nothing away from it."""
    if verdict.pick is None:
        log.warning("%s", verdict.rationale)
    try:
        if verdict.pick is None:
            breaker.fail(permit)
        else:
            breaker.succeed(permit)
    except RedisError as error:
        log.warning("the tiebreaker's breaker was not told: %s", error)


def _remember(key: str, pick: Pick) -> None:
    try:
        memory.remember(key, pick)
    except RedisError as error:
        log.warning("a tiebreak was not remembered: %s", error)
