"""An action is put before a person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from agents.models import AgentRegistry
from core import clock
from proposals.models import Proposal
from proposals.services.moving import agent_actor, hint_on_commit, record_proposal
from proposals.signals import proposal_created


@dataclass(frozen=True)
class Draft:
    """What the pipeline knows of an action that must wait for a person."""

    agent: AgentRegistry
    run_id: UUID
    action_id: UUID
    step_id: int
    tool: str
    params: Mapping[str, Any]
    intent: str
    reasons: tuple[str, ...]
    level: str
    score: float | None
    match_confidence: Mapping[str, Any] | None
    chosen_index: int
    fields: list[Any] = field(default_factory=list)
    shown_field: int = 0
    anchors: list[Any] = field(default_factory=list)
    page_url: str = ""
    page_title: str = ""
    page_digest: str = ""
    screen_id: str = ""
    viewport: Mapping[str, Any] = field(default_factory=dict)
    picture: str = ""
    snippet: str = ""
    risk: str = Proposal.Risk.ORDINARY


def create(draft: Draft, *, replaces: Proposal | None = None) -> Proposal:
    """Put an action before a person. Must run in the transaction that parks the action."""
    now = clock.now()
    proposal = Proposal.objects.create(
        agent=draft.agent,
        run_id=draft.run_id,
        action_id=draft.action_id,
        step_id=draft.step_id,
        tool=draft.tool,
        params=dict(draft.params),
        intent=draft.intent[:500],
        reasons=list(draft.reasons),
        level=draft.level,
        score=draft.score,
        match_confidence=draft.match_confidence,
        chosen_index=draft.chosen_index,
        fields=draft.fields,
        shown_field=draft.shown_field,
        anchors=draft.anchors,
        page_url=draft.page_url,
        page_title=draft.page_title[:300],
        page_digest=draft.page_digest,
        screen_id=draft.screen_id,
        viewport=dict(draft.viewport),
        picture=draft.picture,
        snippet=draft.snippet,
        risk=draft.risk,
        replaces=replaces,
        created_at=now,
        expires_at=now + timedelta(seconds=settings.PROPOSAL_TTL_SECONDS),
    )
    payload = {
        "reasons": list(draft.reasons),
        "level": draft.level,
        "score": draft.score,
        "chosen_index": draft.chosen_index,
        "picture": draft.picture,
        "page_digest": draft.page_digest,
        "replaces": str(replaces.id) if replaces else None,
    }
    record_proposal(proposal, "proposal.create", actor=agent_actor(draft.agent), payload=payload)
    hint_on_commit(proposal)
    said = partial(proposal_created.send_robust, sender=Proposal, proposal_id=proposal.id)
    transaction.on_commit(said)
    return proposal
