"""How one audit entry is sealed to the one before it. Pure rules, standard library only."""

import hashlib
import hmac
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.text import storable

GENESIS = "0" * 64


@dataclass(frozen=True)
class Link:
    """The sealed part of one entry: its place in the chain, its content and its hash."""

    sequence: int
    content: Mapping[str, Any]
    previous_hash: str
    hash: str


@dataclass(frozen=True)
class Break:
    """A place where a chain does not hold. `sequence` counts from 1."""

    chain: str
    sequence: int
    problem: str


def plain(value: Any) -> Any:
    """The same value as the database will give it back: storable text, and 2.0 as 2."""
    if isinstance(value, Mapping):
        return {storable(str(name)): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return _plain_number(value)
    if value is None or isinstance(value, bool | int):
        return value
    return storable(str(value))


def _plain_number(value: float) -> int | float | str:
    if not math.isfinite(value):
        return str(value)
    return int(value) if value.is_integer() else value


def canonical(content: Mapping[str, Any]) -> bytes:
    """JSON with sorted keys, no spaces and no escapes: the same bytes for the same content."""
    return json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def seal(
    key: str, *, chain: str, sequence: int, previous_hash: str, content: Mapping[str, Any]
) -> str:
    """HMAC-SHA-256 over the chain's name, the place, the former hash and the content."""
    head = f"{chain}\n{sequence}\n{previous_hash}\n".encode()
    return hmac.new(key.encode(), head + canonical(content), hashlib.sha256).hexdigest()


def seal_head(key: str, *, chain: str, count: int, head: str) -> str:
    """Seal of a chain's length and last hash, so that a cut tail cannot be re-counted."""
    message = f"head\n{chain}\n{count}\n{head}".encode()
    return hmac.new(key.encode(), message, hashlib.sha256).hexdigest()


def find_break(
    key: str, *, chain: str, links: Iterable[Link], count: int, head: str, head_seal: str
) -> Break | None:
    """The first place where the chain does not hold, or None. Links come in order of sequence."""
    previous, expected = GENESIS, 1
    for link in links:
        problem = _problem_of(key, chain, link, expected, previous)
        if problem:
            return Break(chain, link.sequence, problem)
        previous, expected = link.hash, expected + 1
    if expected - 1 != count or not hmac.compare_digest(previous, head):
        return Break(chain, expected, f"the chain ends at {expected - 1}, its head says {count}")
    if not hmac.compare_digest(seal_head(key, chain=chain, count=count, head=head), head_seal):
        return Break(chain, count, "the head was changed")
    return None


def _problem_of(key: str, chain: str, link: Link, expected: int, previous: str) -> str:
    if link.sequence != expected:
        return f"entry {expected} is missing or out of order"
    if not hmac.compare_digest(link.previous_hash, previous):
        return "it does not follow the entry before it"
    right = seal(
        key,
        chain=chain,
        sequence=link.sequence,
        previous_hash=link.previous_hash,
        content=link.content,
    )
    return "" if hmac.compare_digest(right, link.hash) else "its content was changed"
