"""Reads what the model answered. Anything but a listed index or -1 is a bad answer."""

import json
import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from confidence.domain.confidence import NONE_CHOSEN
from confidence.tiebreaker.errors import BadAnswer
from confidence.tiebreaker.prompt import cleaned

RATIONALE_CHARS = 200
MAX_TOKENS = 2_000_000_000
FENCED = re.compile(r"\s*```(?:json)?\s*(.*?)\s*```\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Pick:
    """`chosen_index` -1 = the model cannot tell."""

    chosen_index: int
    rationale: str

    @property
    def is_undecided(self) -> bool:
        return self.chosen_index == NONE_CHOSEN


@dataclass(frozen=True)
class Usage:
    """Tokens of one call, as the endpoint counts them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Completion:
    """What the endpoint sent back, before anybody looked at the model's words."""

    text: str
    usage: Usage


def completion_from(body: bytes) -> Completion:
    """Raises BadAnswer."""
    data = _json(body)
    try:
        text = data["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise BadAnswer("it sent no chat completion") from None
    if not isinstance(text, str):
        raise BadAnswer("its message holds no text")
    return Completion(text, _usage_from(data.get("usage")))


def pick_from(text: str, *, allowed: Container[int]) -> Pick:
    """Raises BadAnswer."""
    fenced = FENCED.fullmatch(text)
    data = _json(fenced[1] if fenced else text)
    if not isinstance(data, dict):
        raise BadAnswer("it did not answer with a JSON object")
    index, rationale = data.get("chosen_index"), data.get("rationale")
    if type(index) is not int or not isinstance(rationale, str):  # True is an int to isinstance
        raise BadAnswer("its answer has a field that is missing or of the wrong type")
    if index != NONE_CHOSEN and index not in allowed:
        raise BadAnswer("it chose something that is not among the candidates")
    return Pick(index, cleaned(rationale, RATIONALE_CHARS))


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadAnswer("its answer is not JSON") from None


def _usage_from(value: object) -> Usage:
    data = value if isinstance(value, dict) else {}
    return Usage(_tokens(data.get("prompt_tokens")), _tokens(data.get("completion_tokens")))


def _tokens(value: object) -> int:
    return min(max(value, 0), MAX_TOKENS) if type(value) is int else 0
