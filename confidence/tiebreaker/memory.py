"""Answers that were given before, for ten minutes. Every function may raise RedisError."""

import hashlib
import json
from collections.abc import Container
from dataclasses import asdict

from confidence.domain.confidence import MatchConfidence
from confidence.tiebreaker.prompt import Question
from confidence.tiebreaker.reply import Pick, pick_from
from core.chat.errors import BadAnswer
from core.shared import shared_redis

KEPT_S = 600
PREFIX = "pointsman:tiebreak:"


def key_of(confidence: MatchConfidence, question: Question, *, model: str) -> str:
    """Changes with the page, the set of candidates and their surroundings, the intent, the tool
    and the model: a pick is never used on another page or for another set."""
    asked = {
        "url": question.url,
        "candidates": [
            (one.fingerprint, one.context, one.visible) for one in confidence.candidates
        ],
        "match_count": confidence.match_count,
        "intent": question.intent,
        "tool": question.tool,
        "model": model,
    }
    return PREFIX + hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def recall(key: str, *, allowed: Container[int]) -> Pick | None:
    held = shared_redis().get(key)
    try:
        return pick_from(str(held), allowed=allowed) if held else None
    except BadAnswer:
        return None


def remember(key: str, pick: Pick) -> None:
    shared_redis().set(key, json.dumps(asdict(pick)), ex=KEPT_S)
