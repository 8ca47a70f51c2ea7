"""Routes a prompt and counts that it did."""

from core import metrics
from routing import classifier
from routing.domain.deciding import Decision, decide
from routing.domain.rules import Rules
from routing.domain.turn import Turn


def route(turn: Turn, rules: Rules) -> Decision:
    decision = decide(turn, rules, classify=classifier.ask)
    metrics.count_routed(
        target=decision.target.value, rule=decision.rule.value, score=decision.score
    )
    return decision
