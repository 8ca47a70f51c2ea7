"""Proposals as the pipeline would make them, without a browser."""

import uuid
from typing import Any

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from confidence.domain.confidence import Box, MatchCandidate, score
from proposals.models import Proposal
from proposals.services import Draft, create

PAGE = "https://shop.example/orders/17?session=1"


def candidate(index: int, name: str = "Save", fingerprint: str = "") -> MatchCandidate:
    return MatchCandidate(
        index=index,
        tag="button",
        role="button",
        name=name,
        text=name,
        attributes={"type": "button"},
        box=Box(10, 10 + 40 * index, 80, 20),
        visible=True,
        enabled=True,
        in_viewport=True,
        fingerprint=fingerprint or f"print-{index}",
        path=f"button:nth-of-type({index + 1})",
    )


def an_agent(name: str = "") -> AgentRegistry:
    return create_agent(name or f"bot-{uuid.uuid4().hex[:8]}", tier="autonomous")


def a_person(role: str = "reviewer") -> Person:
    return create_person(f"person-{uuid.uuid4().hex[:8]}", role=role)[0]


def a_proposal(agent: AgentRegistry, *names: str, **changes: Any) -> Proposal:
    """One target with a candidate for each name; text only, nothing starred."""
    found = [candidate(index, name) for index, name in enumerate(names or ("Save", "Save"))]
    confidence = score(len(found), is_text_only=True, candidates=found)
    held: dict[str, Any] = {
        "agent": agent,
        "run_id": uuid.uuid4(),
        "action_id": uuid.uuid4(),
        "step_id": 1,
        "tool": "browser_click",
        "params": {"target": "text=Save"},
        "intent": "",
        "reasons": ("match_confidence",),
        "level": confidence.level.value,
        "score": confidence.score,
        "match_confidence": confidence.as_dict(),
        "chosen_index": -1,
        "anchors": [[{"node_id": one.index} for one in found]],
        "page_url": PAGE,
    }
    return create(Draft(**{**held, **changes}))
