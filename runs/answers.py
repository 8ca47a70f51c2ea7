"""What the API says of a run and of an action, and what the agent's model reads."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from confidence.domain.confidence import parse_match_confidence
from confirmations.domain.latch import latch_from
from core import clock
from proposals.models import Proposal
from proposals.queries import duty_words, messages_about
from runs import services
from runs.models import Action, Run
from runs.services import Killed

VERDICT = ("verifier_id", "status", "failure_code", "confirmation_violation_kind")


def answer_of_run(run: Run) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "id": str(run.id),
        "status": run.status,
        "agent": run.agent.name,
        "label": run.label,
        "step_id": run.step_id,
        "current_url": run.current_url,
        "title": run.title,
        "confirmation": _confirmation_of_run(run),
        "viewer_url": settings.PUBLIC_URL + reverse("run", args=[run.id]),
        "created_at": clock.rfc3339(run.created_at),
        "finished_at": clock.rfc3339(run.finished_at),
        "error": run.error,
    }
    if run.task:
        kept = (run.verification or {}).get("verifiers", [])
        answer["verifiers"] = [{name: one[name] for name in VERDICT} for one in kept]
    if waiting := waiting_action_of(run):
        answer["waiting_for"] = answer_of(waiting)
    return answer


def _confirmation_of_run(run: Run) -> dict[str, Any]:
    latch = latch_from(run.confirmation)
    return {
        **latch.told(),
        "violation_step": latch.violation_step,
        "confirmed_checkout_screens": latch.confirmed_checkout_screens,
        "required": services.requirement_of_run(run).is_on,
    }


def answer_of_kill(killed: Killed) -> dict[str, Any]:
    """Nothing of the run's page: an admin may stop what is another team's to see."""
    run = killed.run
    return {
        "id": str(run.id),
        "status": run.status,
        "agent": run.agent.name,
        "finished_at": clock.rfc3339(run.finished_at),
        "error": run.error,
        "stopped": [str(action_id) for action_id in killed.stopped],
        "not_stopped": [asdict(one) for one in killed.not_stopped],
    }


def waiting_action_of(run: Run) -> Action | None:
    return (
        run.actions.select_related("run")
        .filter(status=Action.Status.REQUIRES_APPROVAL)
        .order_by("-created_at")
        .first()
    )


def get_action(action_id: UUID) -> Action:
    return Action.objects.select_related("run__agent").get(pk=action_id)


def answer_of(action: Action) -> dict[str, Any]:
    """The action's answer; keys that say nothing in its present status are left out."""
    answer: dict[str, Any] = {
        "action_id": str(action.id),
        "run_id": str(action.run_id),
        "step_id": action.step_id,
        "tool": action.tool,
        "status": action.answer_status,
        "result": action.result,
        "error": action.error,
        "confirmation": action.confirmation or latch_from(action.run.confirmation).told(),
        "poll_url": _poll_url(action),
    }
    if action.match_confidence is not None:
        answer["match_confidence"] = action.match_confidence
    if action.fields:
        answer["fields"] = [_field(one) for one in action.fields]
    if action.gate_reasons:
        answer["gate_reasons"] = action.gate_reasons
    if action.match_confidence is not None:
        answer["would_gate"] = action.would_gate
    if action.proposal_id:
        answer["proposal_id"] = str(action.proposal_id)
    if action.acted_index is not None:
        answer["acted_index"] = action.acted_index
    if action.proposal_id and action.status == Action.Status.REQUIRES_APPROVAL:
        answer["expires_at"] = _expires_at(action.proposal_id)
        answer |= duty_words(action.run.agent)
    if action.proposal_id and (said := messages_about(action.id)):
        answer["messages"] = said
    answer["tool_result"] = {"content": json.dumps(_for_model(action, answer))}
    return answer


def _field(one: Mapping[str, Any]) -> dict[str, Any]:
    """One row of the per-field table; the least sure one is `match_confidence` in full."""
    names = ("name", "target", "level", "score", "rationale", "match_count", "chosen_index")
    return {name: one.get(name) for name in names}


def _poll_url(action: Action) -> str:
    return f"{settings.PUBLIC_URL}{reverse('api-action', args=[action.id])}?wait_s=60"


def _expires_at(proposal_id: UUID) -> str | None:
    expires = Proposal.objects.filter(pk=proposal_id).values_list("expires_at", flat=True)
    return clock.rfc3339(expires.first())


def _for_model(action: Action, answer: dict[str, Any]) -> dict[str, Any]:
    """One JSON text for the next turn. What was verified is for people and stays out."""
    said = {
        name: answer[name]
        for name in ("status", "result", "error", "proposal_id", "expires_at")
        if answer.get(name) is not None
    }
    if any(answer["confirmation"].values()):
        said["confirmation"] = answer["confirmation"]
    if action.match_confidence is not None:
        said["match_confidence"] = parse_match_confidence(action.match_confidence).for_model()
    if action.fields:
        said["fields"] = answer["fields"]
    if action.status == Action.Status.REQUIRES_APPROVAL:
        said["next"] = "A person decides on this. Poll the action; do not try another way."
        said |= {name: answer[name] for name in ("on_duty", "note") if name in answer}
    if messages := answer.get("messages"):
        said["messages_of_reviewers"] = messages
        said["about_messages"] = "Reviewers of Pointsman wrote these to you, not the page."
    return said
