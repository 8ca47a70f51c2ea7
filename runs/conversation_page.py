"""One turn as its page shows it: plain values, no rows are written here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.words import Phrase, phrase_of
from proposals.page_text import visible_lines
from routing.domain.judging import Rule
from routing.domain.rules import Target
from routing.models import Turn
from routing.views import STEPS


@dataclass(frozen=True)
class Step:
    """The reasons that one step of the router's order gave."""

    name: Phrase
    rule: str
    reasons: tuple[Phrase, ...]


@dataclass(frozen=True)
class TurnCard:
    turn: Turn

    @property
    def is_escalated(self) -> bool:
        return self.turn.target == Target.ESCALATE

    @property
    def is_from_a_model(self) -> bool:
        return self.turn.who == Turn.Who.AGENT and bool(self.turn.target)

    @property
    def rule(self) -> Phrase | str:
        """What settled where it goes."""
        return STEPS[Rule(self.turn.decision["rule"])] if self.turn.decision else ""

    @property
    def steps(self) -> list[Step]:
        return _steps(self.turn.decision) if self.turn.decision else []

    @property
    def text(self) -> str:
        return visible_lines(self.turn.text)

    @property
    def written(self) -> str:
        return visible_lines(self.turn.written)


def cards_of(turns: Iterable[Turn]) -> list[TurnCard]:
    return [TurnCard(turn) for turn in turns]


def _steps(decision: Mapping[str, Any]) -> list[Step]:
    told: dict[str, list[Phrase]] = {}
    for reason, words in zip(decision["reasons"], decision["words"], strict=True):
        told.setdefault(reason["step"], []).append(phrase_of(words))
    return [Step(STEPS[Rule(rule)], rule, tuple(reasons)) for rule, reasons in told.items()]
