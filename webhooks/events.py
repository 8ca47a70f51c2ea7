"""What a message says: ids, status, level, the agent's name, the card's address. Nothing else.

No parameters, no text of a page or of a person, no address of a page: whoever may see those looks
at the card.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from confidence import flags
from confirmations.domain.latch import latch_from
from core import clock
from proposals.domain import TRANSITIONS
from proposals.models import Proposal
from runs.models import Action, Run

STATUS_AFTER = {str(move): str(status) for (_, move), status in TRANSITIONS.items()}


def body_of(event: str, data: Mapping[str, Any], *, at: datetime) -> str:
    """A message as Standard Webhooks writes it."""
    said = {"type": event, "timestamp": clock.rfc3339(at), "data": dict(data)}
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False)


def proposal_data(proposal_id: UUID, *, status: str) -> dict[str, Any]:
    """`status` as it was at the event: workers may have moved the proposal on meanwhile."""
    proposal = Proposal.objects.select_related("agent").get(pk=proposal_id)
    return {
        "proposal_id": str(proposal.id),
        "run_id": str(proposal.run_id),
        "action_id": str(proposal.action_id),
        "step_id": proposal.step_id,
        "agent": proposal.agent.name,
        "tool": proposal.tool,
        "status": status,
        "level": proposal.level,
        "score": proposal.score,
        "risk": proposal.risk,
        "reasons": proposal.reasons,
        "expires_at": clock.rfc3339(proposal.expires_at),
        "url": card_url(proposal.id),
    }


def decision_data(proposal_id: UUID, *, move: str) -> dict[str, Any]:
    decision = (
        Proposal.objects.get(pk=proposal_id)
        .decisions.filter(verb=move)
        .select_related("person")
        .latest("created_at")
    )
    said = {"verb": decision.verb, "by": decision.person.username}
    return {**proposal_data(proposal_id, status=STATUS_AFTER[move]), "decision": said}


def action_data(action_id: UUID) -> dict[str, Any]:
    action = Action.objects.select_related("run__agent").get(pk=action_id)
    return {
        "action_id": str(action.id),
        "run_id": str(action.run_id),
        "step_id": action.step_id,
        "agent": action.run.agent.name,
        "tool": action.tool,
        "status": action.status,
        "level": (action.match_confidence or {}).get("level", ""),
        "outcome": (action.outcome or {}).get("kind", ""),
        "error": (action.error or {}).get("code", ""),
        "proposal_id": str(action.proposal_id) if action.proposal_id else None,
        "url": run_url(action.run_id),
    }


def run_data(run_id: UUID) -> dict[str, Any]:
    run = Run.objects.select_related("agent").get(pk=run_id)
    return {
        "run_id": str(run.id),
        "agent": run.agent.name,
        "status": run.status,
        "by": (run.error or {}).get("by"),
        "url": run_url(run.id),
    }


def violation_data(action_id: UUID) -> dict[str, Any]:
    action = Action.objects.select_related("run__agent").get(pk=action_id)
    latch = latch_from(action.run.confirmation)
    return {
        "run_id": str(action.run_id),
        "action_id": str(action.id),
        "step_id": action.step_id,
        "agent": action.run.agent.name,
        "violation": latch.violation,
        "kind": latch.violation.kind if latch.violation else None,
        "url": run_url(action.run_id),
    }


def flag_data(name: str) -> dict[str, Any]:
    return {
        "flag": name,
        "value": flags.values()[name],
        "url": f"{settings.PUBLIC_URL}/settings/flags",
    }


def card_url(proposal_id: UUID) -> str:
    return f"{settings.PUBLIC_URL}/proposals/{proposal_id}"


def run_url(run_id: UUID) -> str:
    return f"{settings.PUBLIC_URL}/runs/{run_id}"
