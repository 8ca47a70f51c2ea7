"""A score as a sum that a person can follow. Standard library only."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
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
    return COUNT_WORDS[count] if 0 <= count < len(COUNT_WORDS) else str(count)


def _terms(confidence: Mapping[str, Any], matches: int) -> tuple[Term, ...]:
    terms = []
    if matches > 1:
        terms.append(
            Term(
                FURTHER_MATCH * (matches - 1),
                f"{count_words(matches)} matches",
                f"{matches} visible elements match; each one after the first takes off 0.30.",
            )
        )
    if confidence.get("is_text_only"):
        terms.append(
            Term(
                TEXT_ONLY,
                "text only",
                "The target is named by text alone, without an id, test id, label or role.",
            )
        )
    late_ms = float(confidence.get("appeared_after_ms") or 0)
    if late_ms > LATE_MS:
        terms.append(
            Term(LATE, "appeared late", f"The first match came after {late_ms / 1000:.1f} s.")
        )
    return tuple(terms)
