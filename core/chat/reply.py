"""Reads what an endpoint sent back, before anybody looks at the model's words."""

import json
from dataclasses import dataclass
from typing import Any

from core.chat.errors import BadAnswer

MAX_TOKENS = 2_000_000_000


@dataclass(frozen=True)
class Usage:
    """Tokens of one call, as the endpoint counts them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Completion:
    text: str
    usage: Usage


def completion_from(body: bytes) -> Completion:
    """Raises BadAnswer."""
    data = json_of(body)
    try:
        text = data["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise BadAnswer("it sent no chat completion") from None
    if not isinstance(text, str):
        raise BadAnswer("its message holds no text")
    return Completion(text, _usage_from(data.get("usage")))


def json_of(text: str | bytes) -> Any:
    """Raises BadAnswer."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadAnswer("its answer is not JSON") from None


def _usage_from(value: object) -> Usage:
    data = value if isinstance(value, dict) else {}
    return Usage(_tokens(data.get("prompt_tokens")), _tokens(data.get("completion_tokens")))


def _tokens(value: object) -> int:
    return min(max(value, 0), MAX_TOKENS) if type(value) is int else 0
