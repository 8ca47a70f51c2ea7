"""Which pages are of one kind: host and path, with a star for what is another number each time."""

import fnmatch
import re
from urllib.parse import urlsplit

from core.words import phrase

_NUMBER = re.compile(r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,}")
_LONGEST = 500


class BadPattern(ValueError):
    """A page pattern names no host, or is too long."""


def pattern_of(url: str) -> str:
    """`https://shop.example/orders/17?x=1` as `shop.example/orders/*`."""
    host, path = _host_and_path(url)
    steps = ["*" if _NUMBER.fullmatch(step) else step for step in path.split("/")]
    return f"{host}{'/'.join(steps)}"


def matches(pattern: str, url: str) -> bool:
    """A star stands for anything, also for several steps of a path."""
    return fnmatch.fnmatchcase("".join(_host_and_path(url)), pattern)


def checked_pattern(pattern: str) -> str:
    """As a person wrote it: the host in full, stars in the path only. Raises BadPattern."""
    host, slash, path = pattern.strip().partition("/")
    if not slash or not host or set(host) & set("*?[") or len(pattern) > _LONGEST:
        raise BadPattern(
            phrase("Write host and path, as in shop.example/orders/*: the host in full.")
        )
    return f"{host.lower()}/{path}"


def _host_and_path(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", "/"
    return parts.netloc.lower(), parts.path or "/"
