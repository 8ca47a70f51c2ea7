"""One step of a run as its page shows it: plain values, no rows are written here."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from confidence.domain.gate import ToolKind, kind_of
from core import clock
from proposals.call_words import Line, call_line
from proposals.candidates import CandidateCard, Place, candidate_cards
from proposals.cards import Card
from proposals.equation import Equation, equation
from proposals.targets import TargetCard, target_rows
from proposals.tiebreaks import TiebreakWords, tiebreak_words
from runs.models import Action, WrongTargetReport
from runs.protocol_page import Story, TokenAge, token_age

COLUMNS = (
    *("step_id", "action_id", "at", "finished_at", "turn", "tool", "params", "dry_run", "status"),
    *("level", "score", "match_count", "acted_on", "would_gate", "gate_reasons", "tiebreak"),
    *("proposal_id", "decision", "decided_by", "decision_reason", "decision_ms"),
    *("first_approved_by", "first_reason"),
    *("outcome", "outcome_evidence", "error_code", "error", "picture"),
    *("screen_id", "element_id", "violation"),
    *("wrong_target_by", "wrong_target_note"),
)
OUTCOME_WORDS = {
    "verified": gettext_lazy("The tool saw the page change as meant."),
    "unverified": gettext_lazy("It ran; nothing confirmed a change."),
    "failed_verification": gettext_lazy("The check afterwards failed."),
}


@dataclass(frozen=True)
class Step:
    """An action with the cards of its proposals, oldest first."""

    action: Action
    cards: tuple[Card, ...]
    stories: tuple[Story, ...] = ()

    @property
    def call(self) -> Line:
        """What an agent says is quoted in full below its line."""
        return call_line(self.action.tool, {} if self.said else self.action.params or {})

    @property
    def said(self) -> str:
        """The agent's words to a person, where that is all that the step is."""
        words = (self.action.params or {}).get("content") if self.is_protocol else ""
        return str(words or "")

    @property
    def is_protocol(self) -> bool:
        return kind_of(self.action.tool) is ToolKind.PROTOCOL

    @property
    def broke_the_seal(self) -> bool:
        return any(story.name == "latch" for story in self.stories)

    @property
    def token(self) -> TokenAge | None:
        """What was asked before and still serves, or served until this step."""
        return token_age(self.action.confirmation, self.action.step_id)

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

    @cached_property
    def rows(self) -> list[TargetCard]:
        """The table of a call with several targets, as it was decided on if a person was asked."""
        if self.card:
            return self.card.rows
        return target_rows(
            self.action.fields, tool=self.action.tool, params=self.action.params or {}
        )

    @property
    def acted_boxes(self) -> list[tuple[str, CandidateCard]]:
        """What was acted on, as far as the proposal's picture shows it, with what its box says."""
        meant = [(row.letter, row.meant) for row in self.rows] if self._has_acted else []
        single = [(str(self.acted.number), self.acted)] if self.acted else []
        found = meant if self.rows else single
        return [(label, each) for label, each in found if each and _is_seen(each.place)]

    @property
    def _has_acted(self) -> bool:
        return self.action.acted_index is not None

    @property
    def tiebreak(self) -> TiebreakWords | None:
        return tiebreak_words(self.confidence.get("tiebreak"))

    @property
    def report(self) -> WrongTargetReport | None:
        """What a person said afterwards, if they said that it hit another element."""
        return getattr(self.action, "report", None)

    @property
    def may_be_reported(self) -> bool:
        """It touched a target, and nobody reported it yet."""
        return bool(self.action.acting_at and self.level and not self.report)

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
        return str(evidence or OUTCOME_WORDS.get(self.outcome_kind, ""))

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
        named = {"resolve_ms": gettext("resolve"), "act_ms": gettext("act")}
        held = self.action.timings or {}
        return [(word, held[name]) for name, word in named.items() if name in held]


def row_of(step: Step) -> dict[str, Any]:
    """A step as files hold it; secrets are masked in its row already."""
    action, card, report = step.action, step.card, step.report
    decision, first = card and card.decision, card and card.first_approval
    return {
        "step_id": action.step_id,
        "action_id": str(action.pk),
        "at": clock.rfc3339(action.created_at),
        "finished_at": clock.rfc3339(action.finished_at),
        "turn": action.turn,
        "tool": action.tool,
        "params": action.params,
        "dry_run": action.dry_run,
        "status": action.status,
        "level": step.level,
        "score": step.confidence.get("score"),
        "match_count": step.confidence.get("match_count"),
        "acted_on": step.acted.called if step.acted else "",
        "would_gate": action.would_gate,
        "gate_reasons": action.gate_reasons,
        "tiebreak": step.confidence.get("tiebreak"),
        "proposal_id": str(step.card.proposal.pk) if step.card else None,
        "decision": decision.verb if decision else "",
        "decided_by": decision.person.username if decision else "",
        "decision_reason": decision.reason if decision else "",
        "decision_ms": decision.elapsed_ms if decision else None,
        "first_approved_by": first.person.username if first else "",
        "first_reason": first.reason if first else "",
        "outcome": step.outcome_kind,
        "outcome_evidence": str(step.outcome.get("evidence") or ""),
        "error_code": str(step.error.get("code") or ""),
        "error": str(step.error.get("message") or ""),
        "picture": action.picture,
        "screen_id": action.screen_id,
        "element_id": action.element_id,
        "violation": (action.confirmation or {}).get("violation") or "",
        "wrong_target_by": report.person.username if report else "",
        "wrong_target_note": report.note if report else "",
    }


def _is_seen(place: Place | None) -> bool:
    return place is not None and not place.outside
