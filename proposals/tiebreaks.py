"""What a tiebreaker or a precedent said of a call, in words. Standard library only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SOURCES = {"tiebreaker": "the tiebreaker", "precedent": "a precedent"}
NO_ANSWER = "The tiebreaker gave no answer."


@dataclass(frozen=True)
class TiebreakWords:
    """`headline` says what came of an answer; without one there is only what is `told`, in our
    words. `quoted` are a model's own."""

    headline: str
    by: str
    quoted: str = ""
    told: str = ""
    facts: str = ""
    picked: bool = False


def tiebreak_words(tiebreak: Mapping[str, Any] | None) -> TiebreakWords | None:
    """None when nobody was asked."""
    if not tiebreak:
        return None
    picked = _index(tiebreak) >= 0
    is_model = _source(tiebreak) == "tiebreaker"
    rationale = str(tiebreak.get("rationale") or "")
    if not tiebreak.get("used"):
        return TiebreakWords("", _who(tiebreak), told=rationale or NO_ANSWER)
    return TiebreakWords(
        headline=_headline(tiebreak),
        by=_who(tiebreak),
        quoted=rationale if is_model else "",
        told="" if is_model else rationale,
        facts=_facts(tiebreak) if is_model else "",
        picked=picked,
    )


def _headline(tiebreak: Mapping[str, Any]) -> str:
    who, index = _who(tiebreak).capitalize(), _index(tiebreak)
    return f"{who} picked #{index + 1}" if index >= 0 else f"{who} could not decide"


def _facts(tiebreak: Mapping[str, Any]) -> str:
    """Which model, and how long it took; a remembered answer took no time."""
    latency_ms = float(tiebreak.get("latency_ms") or 0)
    took = "remembered from before" if tiebreak.get("cache_hit") else f"{latency_ms:.0f} ms"
    return ", ".join(filter(None, [str(tiebreak.get("model") or ""), took]))


def _who(tiebreak: Mapping[str, Any]) -> str:
    return SOURCES.get(_source(tiebreak), "a second opinion")


def _source(tiebreak: Mapping[str, Any]) -> str:
    return str(tiebreak.get("source") or "tiebreaker")


def _index(tiebreak: Mapping[str, Any]) -> int:
    index = tiebreak.get("chosen_index")
    return index if isinstance(index, int) and tiebreak.get("used") else -1
