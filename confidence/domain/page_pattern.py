"""Which pages are of one kind: host, path and query, a star for what is another number each time.

`shop.example/orders/*?tab=items`: a star is exactly one step of a path, or any number in a query.
Two stars, written by a person only, are one step or several; `?**` at the end is any query. An
address without a query is another page than one with it: many sites tell their pages apart by it.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from confidence.domain import step_glob
from confidence.domain.step_glob import STAR, STARS
from core.words import phrase

_NUMBER = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,}")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.\[\]-]{0,39}|")
_ROUTES = ("/", "!/")  # how the fragment of a page begins that keeps its address there
_LONGEST = 500


class BadPattern(ValueError):
    """A page pattern names no host, has too many stars, or is too long."""


@dataclass(frozen=True)
class _Kind:
    """A pattern or an address, taken apart. `query` None: any."""

    steps: tuple[str, ...]
    query: tuple[tuple[str, str], ...] | None


def pattern_of(url: str) -> str:
    """`https://shop.example/orders/17?page=2` as `shop.example/orders/*?page=*`. Raises
    BadPattern for an address that is too long."""
    held = _address(url)
    host, *steps = held.steps
    pattern = _text([host, *(_starred(step) for step in steps)], held.query or ())
    if len(pattern) > _LONGEST:
        raise BadPattern(phrase("This page's address is too long to be remembered."))
    return pattern


def matches(pattern: str, url: str) -> bool:
    return _covers(_read(pattern), _address(url))


def is_within(pattern: str, wider: str) -> bool:
    """Whether every page of the one is a page of the other."""
    return _covers(_read(wider), _read(pattern))


def host_of(pattern: str) -> str:
    return pattern.partition("/")[0]


def checked_pattern(pattern: str) -> str:
    """As a person wrote it: the host in full, stars in path and query only. Raises BadPattern."""
    host, slash, rest = pattern.strip().partition("/")
    if not slash or not host or set(host) & set("*?[") or len(pattern) > _LONGEST:
        raise BadPattern(
            phrase("Write host and path, as in shop.example/orders/*: the host in full.")
        )
    if rest.partition("?")[0].split("/").count(STARS) > 1:
        raise BadPattern(phrase("Write ** once at most."))
    return f"{host.lower()}/{rest}"


# --- taken apart ------------------------------------------------------------------------
def _read(pattern: str) -> _Kind:
    path, _, query = pattern.partition("?")
    pairs = (one.partition("=") for one in query.split("&") if one)
    held = tuple(sorted((name, value) for name, _, value in pairs))
    return _Kind(tuple(path.split("/")), None if query == STARS else held)


def _address(url: str) -> _Kind:
    """A page's own stars are written otherwise, so that they mean nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return _Kind(("",), ())
    is_route = parts.fragment.startswith(_ROUTES)
    route, _, more = parts.fragment.partition("?") if is_route else ("", "", "")
    path = (parts.path or "/") + (f"#{route}" if route else "")
    pairs = parse_qsl(f"{parts.query}&{more}", keep_blank_values=True)
    query = sorted((_told(name), _told(value)) for name, value in pairs)
    steps = path.replace(STAR, "%2A").split("/")
    host = parts.netloc.rpartition("@")[2].lower()
    return _Kind((host, *steps[1:]), tuple(query))


def _told(text: str) -> str:
    """A query may hold secrets: what is no plain word and no number is known by its digest."""
    if _NUMBER.fullmatch(text) or _PLAIN.fullmatch(text):
        return text
    return "~" + hashlib.sha256(text.encode()).hexdigest()[:12]


def _text(steps: Sequence[str], query: Sequence[tuple[str, str]]) -> str:
    told = "&".join(f"{name}={_starred(value)}" for name, value in query)
    return "/".join(steps) + (f"?{told}" if told else "")


def _starred(text: str) -> str:
    return STAR if _NUMBER.fullmatch(text) else text


# --- compared ---------------------------------------------------------------------------
def _covers(wide: _Kind, narrow: _Kind) -> bool:
    return step_glob.covers(wide.steps, narrow.steps) and _covers_query(wide.query, narrow.query)


def _covers_query(
    wide: Sequence[tuple[str, str]] | None, narrow: Sequence[tuple[str, str]] | None
) -> bool:
    if wide is None or narrow is None:
        return wide is None
    pairs = zip(wide, narrow, strict=False)
    return len(wide) == len(narrow) and all(_covers_value(*pair) for pair in pairs)


def _covers_value(wide: tuple[str, str], narrow: tuple[str, str]) -> bool:
    is_number = wide[1] == STAR and _NUMBER.fullmatch(narrow[1]) is not None
    return wide == narrow or (wide[0] == narrow[0] and is_number)
