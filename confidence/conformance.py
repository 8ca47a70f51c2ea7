"""Puts the score, the selector reading and the gate under `manage.py conformance`."""

from typing import Any

from confidence.domain.confidence import MatchLevel, Thresholds, score
from confidence.domain.gate import GateCall, decide, kind_of
from confidence.domain.selector import is_text_only
from core.conformance import Case, Rules, register


def register_all() -> None:
    register("score", run_score, answers=("score", "level"))
    register("text_only", run_text_only, answers=("is_text_only",))
    register("gate", run_gate, answers=("decision", "reasons", "would_gate"))


def run_score(case: Case, rules: Rules) -> dict[str, Any]:
    defaults = Thresholds()
    thresholds = Thresholds(
        high=case.get("high_threshold", defaults.high),
        partial=case.get("partial_threshold", defaults.partial),
    )
    confidence = score(
        case["match_count"],
        is_text_only=case["is_text_only"],
        appeared_after_ms=case["appeared_after_ms"],
        thresholds=thresholds,
    )
    return confidence.as_dict()


def run_text_only(case: Case, rules: Rules) -> dict[str, Any]:
    return {"is_text_only": is_text_only(case["selector"])}


def run_gate(case: Case, rules: Rules) -> dict[str, Any]:
    level = case["level"]
    decision = decide(
        GateCall(
            kind=kind_of(case["tool"], case.get("params")),
            level=None if level is None else MatchLevel(level),
            tier=case["tier"],
            agent_flag=case["agent_flag"],
            override=case["override"],
            force_proposal=case["force_proposal"],
            gated_tiers=frozenset(case["gated_tiers"]),
            enabled=case["enabled"],
            locator_api=case["locator_api"],
        )
    )
    return {
        "decision": decision.decision.value,
        "reasons": list(decision.reasons),
        "would_gate": decision.would_gate,
    }
