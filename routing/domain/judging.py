"""One text by itself: the ordinary rules, and what is different for a text that was confirmed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from core.words import Phrase, phrase
from routing.domain.resolving import Resolved
from routing.domain.rules import Rules, Target
from routing.domain.scoring import Point, score_of
from routing.domain.text import clean, count_tokens, lower
from routing.domain.turn import Role


class Rule(StrEnum):
    """What settled it."""

    EXPLICIT = "explicit"
    STICKY = "sticky"
    STATE = "state"
    CONFIRMATION = "confirmation"
    HARD_THRESHOLD = "hard_threshold"
    SOFT_SCORE = "soft_score"
    CLASSIFIER = "classifier"
    DEFAULT = "default"


@dataclass(frozen=True)
class Reason:
    """One step of the reasoning, in the order it was taken."""

    step: Rule
    said: Phrase

    def as_dict(self) -> dict[str, str]:
        return {"step": self.step.value, "text": str(self.said)}


@dataclass(frozen=True)
class Opinion:
    """The classifier's answer; `target` is None where it gave none, and `said` tells why."""

    target: Target | None
    said: Phrase


Classify = Callable[[str], Opinion]


@dataclass(frozen=True)
class Verdict:
    """`score` is None where it came to none."""

    target: Target
    rule: Rule
    reasons: tuple[Reason, ...]
    score: int | None = None


def verdict_of(target: Target, rule: Rule, said: Phrase) -> Verdict:
    return Verdict(target, rule, (Reason(rule, said),))


def judge_confirmed(resolved: Resolved, rules: Rules, classify: Classify) -> Verdict:
    """A user's hard words are conclusive however short; an agent uses such verbs by the way."""
    if resolved.author is Role.USER:
        lowered = lower(clean(resolved.text))
        word = rules.escalate_keywords.first_in(lowered) or rules.escalate_verbs.first_in(lowered)
        if word:
            said = phrase("What is confirmed says “{word}” in the user's own words.", word=word)
            return verdict_of(Target.ESCALATE, Rule.HARD_THRESHOLD, said)
    return judge(resolved.text, rules, classify)


def judge(text: str, rules: Rules, classify: Classify) -> Verdict:
    """The ordinary rules."""
    cleaned = clean(text)
    lowered = lower(cleaned)
    settled = _by_thresholds(lowered, rules)
    return settled or _by_score(cleaned, lowered, rules, classify)


def _by_thresholds(lowered: str, rules: Rules) -> Verdict | None:
    tokens = count_tokens(lowered)
    if tokens > rules.escalate_above_tokens:
        said = phrase(
            "{tokens} tokens are more than {limit}.",
            tokens=tokens,
            limit=rules.escalate_above_tokens,
        )
        return verdict_of(Target.ESCALATE, Rule.HARD_THRESHOLD, said)
    if word := rules.escalate_keywords.first_in(lowered):
        said = phrase("It says “{word}”, which always escalates.", word=word)
        return verdict_of(Target.ESCALATE, Rule.HARD_THRESHOLD, said)
    if rules.local_below_tokens and tokens <= rules.local_below_tokens:
        said = phrase(
            "It is short: {tokens} tokens, at most {limit}.",
            tokens=tokens,
            limit=rules.local_below_tokens,
        )
        return verdict_of(Target.LOCAL, Rule.HARD_THRESHOLD, said)
    return None


def _by_score(text: str, lowered: str, rules: Rules, classify: Classify) -> Verdict:
    points = score_of(text, lowered, rules)
    score = sum(point.points for point in points)
    counted = (*_counted(points), _summed(score, rules))
    if score >= rules.escalate_threshold:
        return Verdict(Target.ESCALATE, Rule.SOFT_SCORE, counted, score)
    if score <= rules.local_threshold:
        return Verdict(Target.LOCAL, Rule.SOFT_SCORE, counted, score)
    asked = _by_classifier(text, rules, classify)
    return replace(asked, reasons=(*counted, *asked.reasons), score=score)


def _counted(points: tuple[Point, ...]) -> tuple[Reason, ...]:
    return tuple(
        Reason(
            Rule.SOFT_SCORE,
            phrase("{points}: {what}", points=f"{point.points:+d}", what=point.said),
        )
        for point in points
    )


def _summed(score: int, rules: Rules) -> Reason:
    said = phrase(
        "The score is {score}: {high} or more escalates, {low} or less stays local.",
        score=score,
        high=rules.escalate_threshold,
        low=rules.local_threshold,
    )
    return Reason(Rule.SOFT_SCORE, said)


def _by_classifier(text: str, rules: Rules, classify: Classify) -> Verdict:
    opinion = classify(text)
    if opinion.target:
        return verdict_of(opinion.target, Rule.CLASSIFIER, opinion.said)
    fallback = rules.classifier_fallback
    said = phrase("Nothing else decides: it goes to {target}.", target=fallback.value)
    reasons = (Reason(Rule.CLASSIFIER, opinion.said), Reason(Rule.DEFAULT, said))
    return Verdict(fallback, Rule.DEFAULT, reasons)
