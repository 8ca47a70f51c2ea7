"""One step of a run as its page shows it: plain values, no rows are written here."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from proposals.cards import CandidateCard, Card, Place, candidate_cards, object_of, tool_words
from proposals.equation import Equation, equation
from runs.models import Action

OUTCOME_WORDS = {
    "verified": "The tool saw the page change as meant.",
    "unverified": "It ran; nothing confirmed a change.",
    "failed_verification": "The check afterwards failed.",
}


@dataclass(frozen=True)
class Step:
    """An action with the cards of its proposals, oldest first."""

    action: Action
    cards: tuple[Card, ...]

    @property
    def title(self) -> str:
        return tool_words(self.action.tool)

    @property
    def object(self) -> str:
        return object_of(self.action.params or {})

    @property
    def object_is_address(self) -> bool:
        return bool(self.object) and self.object == (self.action.params or {}).get("url")

    @property
    def intent(self) -> str:
        return str((self.action.params or {}).get("element") or "")

    @property
    def confidence(self) -> Mapping[str, Any]:
        return self.action.match_confidence or {}

    @property
    def level(self) -> str:
        return str(self.confidence.get("level") or "")

    @property
    def equation(self) -> Equation | None:
        return equation(self.confidence)

    @property
    def id_prefix(self) -> str:
        """Keeps the ids of one step's parts apart from those of the next."""
        return f"{self.action.pk}-"

    @property
    def candidates(self) -> list[Mapping[str, Any]]:
        return list(self.confidence.get("candidates") or [])

    @property
    def match_count(self) -> int:
        return int(self.confidence.get("match_count") or len(self.candidates))

    @property
    def card(self) -> Card | None:
        """The latest one."""
        return self.cards[-1] if self.cards else None

    @cached_property
    def acted(self) -> CandidateCard | None:
        """The candidate that was acted on, on the latest proposal's picture if there is one."""
        index = self.action.acted_index
        candidates = self.card.candidates if self.card else candidate_cards(self.candidates)
        if index is None or not 0 <= index < len(candidates):
            return None
        return candidates[index]

    @property
    def acted_place(self) -> Place | None:
        """Where it lies on the proposal's picture, if it can be seen there."""
        place = self.acted.place if self.acted else None
        return place if place and not place.outside else None

    @property
    def outcome(self) -> Mapping[str, Any]:
        return self.action.outcome or {}

    @property
    def outcome_kind(self) -> str:
        kind = self.outcome.get("kind")
        return str(kind) if kind in OUTCOME_WORDS else ""

    @property
    def outcome_words(self) -> str:
        evidence = self.outcome.get("evidence")
        return str(evidence) if evidence else OUTCOME_WORDS.get(self.outcome_kind, "")

    @property
    def error(self) -> Mapping[str, Any]:
        return self.action.error or {}

    @property
    def duration_ms(self) -> int | None:
        """From its row to its end, a person's time to decide included."""
        if self.action.finished_at is None:
            return None
        return int((self.action.finished_at - self.action.created_at).total_seconds() * 1000)

    @property
    def timings(self) -> list[tuple[str, Any]]:
        named = {"resolve_ms": "resolve", "act_ms": "act"}
        held = self.action.timings or {}
        return [(word, held[name]) for name, word in named.items() if name in held]
