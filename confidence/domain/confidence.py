"""How sure one call is of its target: the score, its level, and the sentence that explains both."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from confidence.domain.candidate import Box, Cover, MatchCandidate, SetOff, candidate_from
from confidence.domain.curve import Penalty, count_in_words, equation_of, penalties, score_of
from confidence.domain.levels import (
    BadThreshold,
    MatchLevel,
    Thresholds,
    coerce_match_level_for_storage,
    match_level_from,
    worst_level,
)
from confidence.domain.reading import (
    count_from,
    index_from,
    items_from,
    mapping_from,
    number_from,
    text_from,
)

__all__ = [
    "BadThreshold",
    "Box",
    "Cover",
    "MatchCandidate",
    "MatchConfidence",
    "MatchLevel",
    "SetOff",
    "Thresholds",
    "Tiebreak",
    "candidate_from",
    "coerce_match_level_for_storage",
    "match_level_from",
    "parse_match_confidence",
    "score",
    "worst_level",
]

NONE_CHOSEN = -1
MODEL_CANDIDATES = 5
MAX_PARSED_CANDIDATES = 50
DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True)
class Tiebreak:
    """What a tiebreaker or a precedent (`source`) said of a partial call. -1 = undecided."""

    used: bool
    chosen_index: int = NONE_CHOSEN
    rationale: str = ""
    cache_hit: bool = False
    latency_ms: float = 0.0
    model: str = ""
    source: str = "tiebreaker"


@dataclass(frozen=True)
class MatchConfidence:
    """`score` is 0..1, rounded to 4 places. `chosen_index` is 0-based into `candidates`, -1 = none.
    `match_count` counts the visible matches, `total_count` the hidden ones too."""

    level: MatchLevel
    score: float
    rationale: str
    candidates: tuple[MatchCandidate, ...] = ()
    chosen_index: int = NONE_CHOSEN
    match_count: int = 0
    total_count: int = 0
    is_text_only: bool = True
    appeared_after_ms: float = 0.0
    tiebreak: Tiebreak | None = None

    @property
    def chosen(self) -> MatchCandidate | None:
        return self.candidates[self.chosen_index] if self._is_described(self.chosen_index) else None

    @property
    def is_taught(self) -> bool:
        """A precedent picked."""
        return self.tiebreak is not None and self.tiebreak.source == "precedent"

    def index_to_act_on(self) -> int:
        """Where an uncertain call proceeds: the chosen one, else the first visible, else -1."""
        if self.chosen_index != NONE_CHOSEN:
            return self.chosen_index
        visible = (i for i, candidate in enumerate(self.candidates) if candidate.visible)
        return next(visible, NONE_CHOSEN)

    def equation(self) -> list[tuple[str, str]]:
        """The score as terms: [("1.00", "start"), ("-0.30", "two matches"), ...]."""
        return equation_of(
            penalties(
                self.match_count,
                is_text_only=self.is_text_only,
                appeared_after_ms=self.appeared_after_ms,
            )
        )

    def upgraded_by(self, tiebreak: Tiebreak) -> "MatchConfidence":
        """A pick makes a partial call high, the score stays. Ambiguous is never rescued."""
        starred = self.starred_by(tiebreak)
        if not self._is_pick(tiebreak):
            return starred
        return replace(starred, level=MatchLevel.HIGH)

    def rescued_by(self, tiebreak: Tiebreak) -> "MatchConfidence":
        """The same for an ambiguous call: only for a precedent that an admin allowed to do so."""
        partial = replace(self, level=MatchLevel.PARTIAL)
        return partial.upgraded_by(tiebreak)

    def starred_by(self, tiebreak: Tiebreak) -> "MatchConfidence":
        """A pick only stars the candidate, a person still decides: for irreversible targets."""
        if not self._is_pick(tiebreak):
            return replace(self, tiebreak=tiebreak)
        picked = f"the {tiebreak.source} picked candidate {tiebreak.chosen_index + 1}"
        return replace(
            self,
            chosen_index=tiebreak.chosen_index,
            rationale=f"{self.rationale.removesuffix('.')}; {picked}.",
            tiebreak=tiebreak,
        )

    def as_dict(self) -> dict[str, object]:
        """As JSON: for the API, the proposal and the audit row."""
        return {
            **asdict(replace(self, candidates=())),
            "level": self.level.value,
            "candidates": [candidate.as_dict() for candidate in self.candidates],
        }

    def for_model(self) -> dict[str, object]:
        """What the agent's model reads in its tool result: short, at most 5 candidates."""
        return {
            "level": self.level.value,
            "score": self.score,
            "rationale": self.rationale,
            "match_count": self.match_count,
            "chosen_index": self.chosen_index,
            "candidates": [candidate.for_model() for candidate in self._for_model()],
        }

    def _for_model(self) -> list[MatchCandidate]:
        """The chosen one and the visible ones before the rest, in page order."""
        places = sorted(
            range(len(self.candidates)),
            key=lambda i: (i != self.chosen_index, not self.candidates[i].visible, i),
        )
        return [self.candidates[i] for i in sorted(places[:MODEL_CANDIDATES])]

    def _is_described(self, index: int) -> bool:
        return 0 <= index < len(self.candidates)

    def _is_pick(self, tiebreak: Tiebreak) -> bool:
        index = tiebreak.chosen_index
        return (
            self.level is MatchLevel.PARTIAL
            and self._is_described(index)
            and self.candidates[index].visible
        )


def score(
    match_count: int,
    *,
    is_text_only: bool,
    appeared_after_ms: float = 0.0,
    total_count: int | None = None,
    candidates: Sequence[MatchCandidate] = (),
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> MatchConfidence:
    """Score one call from what resolving found. `match_count` is the number of visible matches."""
    applied = penalties(match_count, is_text_only=is_text_only, appeared_after_ms=appeared_after_ms)
    exact = score_of(applied)
    level = thresholds.level_of(exact)
    chosen_index = _choose(candidates, match_count=match_count, level=level)
    return MatchConfidence(
        level=level,
        score=round(exact, 4),
        rationale=_rationale(
            applied,
            match_count=match_count,
            total_count=total_count or 0,
            candidates=candidates,
            chosen_index=chosen_index,
        ),
        candidates=tuple(candidates),
        chosen_index=chosen_index,
        match_count=max(match_count, 0),
        total_count=max(match_count, total_count or 0, 0),
        is_text_only=is_text_only,
        appeared_after_ms=appeared_after_ms,
    )


def _choose(candidates: Sequence[MatchCandidate], *, match_count: int, level: MatchLevel) -> int:
    """One match is chosen. Of several, only the one that is alone best by its evidence."""
    visible = [i for i, candidate in enumerate(candidates) if candidate.visible]
    if match_count == 1 and not candidates:
        return 0
    if len(visible) != match_count:  # a match nobody described might be as good as the best
        return NONE_CHOSEN
    if match_count == 1:
        return visible[0]
    if level is MatchLevel.AMBIGUOUS:
        return NONE_CHOSEN
    best = max(candidates[i].evidence for i in visible)
    alone = [i for i in visible if candidates[i].evidence == best]
    return alone[0] if len(alone) == 1 else NONE_CHOSEN


def _rationale(
    applied: tuple[Penalty, ...],
    *,
    match_count: int,
    total_count: int,
    candidates: Sequence[MatchCandidate],
    chosen_index: int,
) -> str:
    clauses = [f"{penalty.clause} ({penalty.amount})" for penalty in applied]
    if match_count == 1:
        clauses.insert(0, "one visible match" if applied else "one visible match, no penalty")
    if total_count > max(match_count, 0):
        clauses.append(f"{count_in_words(total_count - max(match_count, 0))} more hidden")
    if match_count > 1 and chosen_index != NONE_CHOSEN:
        clauses.append(f"candidate {chosen_index + 1} alone has the best evidence")
    clauses += _obstacles(candidates, chosen_index=chosen_index)
    sentence = "; ".join(clauses)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _obstacles(candidates: Sequence[MatchCandidate], *, chosen_index: int) -> list[str]:
    """Of the chosen candidate; with none chosen, of every visible one. Numbered from 1."""
    return [
        f"candidate {i + 1} {obstacle}"
        for i, candidate in enumerate(candidates)
        if (i == chosen_index if chosen_index != NONE_CHOSEN else candidate.visible)
        for obstacle in candidate.obstacles
    ]


def parse_match_confidence(anything: object) -> MatchConfidence:
    """Read a MatchConfidence back from whatever it was stored or printed as. Never raises.

    What cannot be read counts as doubt: an unknown level is ambiguous, a bad score 0.0,
    a bad index -1, and text with nothing in it is an ambiguous match of nothing.
    """
    if isinstance(anything, MatchConfidence):
        return anything
    data = mapping_from(anything)
    if data is None:
        return MatchConfidence(
            level=MatchLevel.AMBIGUOUS, score=0.0, rationale="The match confidence is unreadable."
        )
    described = items_from(data.get("candidates"))[:MAX_PARSED_CANDIDATES]
    candidates = tuple(candidate_from(item, index=i) for i, item in enumerate(described))
    match_count = count_from(data.get("match_count"))
    return MatchConfidence(
        level=match_level_from(data.get("level")),
        score=round(min(max(number_from(data.get("score")), 0.0), 1.0), 4),
        rationale=text_from(data.get("rationale")),
        candidates=candidates,
        chosen_index=index_from(data.get("chosen_index"), length=len(candidates) or match_count),
        match_count=match_count,
        total_count=max(count_from(data.get("total_count")), match_count),
        is_text_only=data.get("is_text_only") is not False,
        appeared_after_ms=max(number_from(data.get("appeared_after_ms")), 0.0),
        tiebreak=_tiebreak_from(data.get("tiebreak"), length=len(candidates)),
    )


def _tiebreak_from(value: object, *, length: int) -> Tiebreak | None:
    data = mapping_from(value)
    if data is None:
        return None
    return Tiebreak(
        used=data.get("used") is True,
        chosen_index=index_from(data.get("chosen_index"), length=length),
        rationale=text_from(data.get("rationale")),
        cache_hit=data.get("cache_hit") is True,
        latency_ms=max(number_from(data.get("latency_ms")), 0.0),
        model=text_from(data.get("model")),
        source=text_from(data.get("source")) or "tiebreaker",
    )
