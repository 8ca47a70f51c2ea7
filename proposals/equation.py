"""A score as a sum that a person can follow."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, pgettext_lazy

from core.speaking import number

COUNT_WORDS = (
    pgettext_lazy("count", "no"),
    pgettext_lazy("count", "one"),
    pgettext_lazy("count", "two"),
    pgettext_lazy("count", "three"),
    pgettext_lazy("count", "four"),
    pgettext_lazy("count", "five"),
    pgettext_lazy("count", "six"),
    pgettext_lazy("count", "seven"),
    pgettext_lazy("count", "eight"),
    pgettext_lazy("count", "nine"),
    pgettext_lazy("count", "ten"),
)
FURTHER_MATCH, TEXT_ONLY, LATE = 0.30, 0.15, 0.10
LATE_MS = 1000


@dataclass(frozen=True)
class Term:
    """One amount taken off, in few words and in a sentence."""

    amount: float
    words: str
    why: str


@dataclass(frozen=True)
class Equation:
    """1.00 less the terms is the score; `floored` when they took off more than there was."""

    terms: tuple[Term, ...]
    score: float
    floored: bool


def equation(confidence: Mapping[str, Any]) -> Equation | None:
    """None when the terms we know do not add up to the score: better no sum than a wrong one."""
    score = confidence.get("score")
    matches = int(confidence.get("match_count") or 0)
    if score is None or matches < 1:
        return None
    terms = _terms(confidence, matches)
    total = 1.0 - sum(term.amount for term in terms)
    if not math.isclose(max(0.0, total), score, abs_tol=0.005):
        return None
    return Equation(terms, float(score), floored=total < -0.005)


def count_words(count: int) -> str:
    return str(COUNT_WORDS[count]) if 0 <= count < len(COUNT_WORDS) else str(count)


def _terms(confidence: Mapping[str, Any], matches: int) -> tuple[Term, ...]:
    terms = []
    if matches > 1:
        terms.append(
            Term(
                FURTHER_MATCH * (matches - 1),
                gettext("{count} matches").format(count=count_words(matches)),
                gettext(
                    "{count} visible elements match; each one after the first takes off {amount}."
                ).format(count=matches, amount=number(FURTHER_MATCH, 2)),
            )
        )
    if confidence.get("is_text_only"):
        terms.append(
            Term(
                TEXT_ONLY,
                gettext("text only"),
                gettext(
                    "The target is named by text alone, without an id, test id, label or role."
                ),
            )
        )
    late_ms = float(confidence.get("appeared_after_ms") or 0)
    if late_ms > LATE_MS:
        why = gettext("The first match came after {seconds} s.")
        seconds = number(late_ms / 1000, 1)
        terms.append(Term(LATE, gettext("appeared late"), why.format(seconds=seconds)))
    return tuple(terms)
