"""Days of scored acts, as the pipeline would have left them."""

import uuid
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from agents.models import AgentRegistry
from confidence.models import TiebreakCall
from core import clock
from runs.models import Action, Run

UNSURE = ("partial", "ambiguous")
SHADOW = ("shadow",)
IN_FORCE = ("match_confidence",)


def noon(days_ago: int) -> datetime:
    """Noon (UTC) of a day that is over, or just now."""
    if not days_ago:
        return clock.now()
    return (clock.now() - timedelta(days=days_ago)).replace(hour=12, minute=0)


def run_of(agent: AgentRegistry, *, days_ago: int = 0) -> Run:
    at = noon(days_ago)
    return Run.objects.create(agent=agent, status="finished", created_at=at, active_at=at)


def add_acts(
    agent: AgentRegistry,
    *,
    days_ago: int = 0,
    high: int = 0,
    partial: int = 0,
    ambiguous: int = 0,
    in_force: bool = False,
    would_gate: bool | None = None,
    added_ms: float | None = None,
    **fields: Any,
) -> list[Action]:
    """That many acts of each level on one day, in shadow mode or with gating in force."""
    run = run_of(agent, days_ago=days_ago)
    levels = ["high"] * high + ["partial"] * partial + ["ambiguous"] * ambiguous
    return Action.objects.bulk_create(
        Action(
            run=run,
            step_id=number,
            tool="browser_click",
            status=Action.Status.SUCCEEDED,
            fingerprint=uuid.uuid4().hex,
            created_at=noon(days_ago),
            timings={} if added_ms is None else {"added_ms": added_ms + number},
            **{
                "match_confidence": {"level": level, "score": 1.0},
                **_judged(agent, level, in_force=in_force, would_gate=would_gate),
                **fields,
            },
        )
        for number, level in enumerate(levels, 1)
    )


def _judged(
    agent: AgentRegistry, level: str, *, in_force: bool, would_gate: bool | None
) -> dict[str, Any]:
    if level not in UNSURE:
        return {"gate_reasons": ["high"]}
    opted_out = agent.match_confidence_gating_enabled is False
    if in_force:
        reasons = ("agent_opt_out",) if opted_out else IN_FORCE
        return {"gate_reasons": list(reasons)}
    would = not opted_out if would_gate is None else would_gate
    return {"gate_reasons": list(SHADOW), "would_gate": would}


def add_tiebreaks(
    agent: AgentRegistry,
    *,
    picked: int = 0,
    undecided: int = 0,
    cost_usd: str = "0",
    days_ago: int = 0,
) -> None:
    outcomes = ["picked"] * picked + ["undecided"] * undecided
    TiebreakCall.objects.bulk_create(
        TiebreakCall(
            agent_id=agent.pk,
            created_at=noon(days_ago),
            outcome=outcome,
            latency_ms=500,
            cost_usd=Decimal(cost_usd),
        )
        for outcome in outcomes
    )
