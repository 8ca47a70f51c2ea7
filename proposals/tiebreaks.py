"""What a tiebreaker or a precedent said of a call, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop

from core.speaking import spoken


@dataclass(frozen=True)
class Source:
    """What is said of whoever was asked."""

    starred: str
    picked: str
    undecided: str


SOURCES = {
    "tiebreaker": Source(
        gettext_noop("picked by the tiebreaker"),
        gettext_noop("The tiebreaker picked #{number}"),
        gettext_noop("The tiebreaker could not decide"),
    ),
    "precedent": Source(
        gettext_noop("picked by a precedent"),
        gettext_noop("A precedent picked #{number}"),
        gettext_noop("A precedent could not decide"),
    ),
}
ANOTHER = Source(
    gettext_noop("picked by a second opinion"),
    gettext_noop("A second opinion picked #{number}"),
    gettext_noop("A second opinion could not decide"),
)
NO_ANSWER = gettext_noop("The tiebreaker gave no answer.")


@dataclass(frozen=True)
class TiebreakWords:
    """`headline` says what came of an answer; without one there is only what is `told`, in our
    words. `quoted` are a model's own; `starred` says who picked."""

    headline: str
    starred: str
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
        return TiebreakWords("", _starred(tiebreak), told=spoken(rationale or NO_ANSWER))
    return TiebreakWords(
        headline=_headline(tiebreak),
        starred=_starred(tiebreak),
        quoted=rationale if is_model else "",
        told="" if is_model else rationale,
        facts=_facts(tiebreak) if is_model else "",
        picked=picked,
    )


def _headline(tiebreak: Mapping[str, Any]) -> str:
    said, index = _words_of(tiebreak), _index(tiebreak)
    picked = gettext(said.picked).format(number=index + 1)
    return picked if index >= 0 else gettext(said.undecided)


def _facts(tiebreak: Mapping[str, Any]) -> str:
    """Which model, and how long it took; a remembered answer took no time."""
    latency_ms = float(tiebreak.get("latency_ms") or 0)
    is_old = tiebreak.get("cache_hit")
    took = gettext("remembered from before") if is_old else f"{latency_ms:.0f} ms"
    return ", ".join(filter(None, [str(tiebreak.get("model") or ""), took]))


def _starred(tiebreak: Mapping[str, Any]) -> str:
    return gettext(_words_of(tiebreak).starred)


def _words_of(tiebreak: Mapping[str, Any]) -> Source:
    return SOURCES.get(_source(tiebreak), ANOTHER)


def _source(tiebreak: Mapping[str, Any]) -> str:
    return str(tiebreak.get("source") or "tiebreaker")


def _index(tiebreak: Mapping[str, Any]) -> int:
    index = tiebreak.get("chosen_index")
    return index if isinstance(index, int) and tiebreak.get("used") else -1
