"""URL globs: `http://*.shop.example/orders/*`. A star is one step of the host or the path, or a
part of one; two stars, once in each, are one step or several.

Query and fragment say nothing here: the pages that they tell apart, a selector tells apart. An
address is read as its server reads it, so that writing it otherwise does not lead past a glob.
"""

import re
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from confidence.domain import step_glob
from confidence.domain.step_glob import STAR, STARS
from core.words import phrase

LONGEST = 500
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_ORIGIN = re.compile(r"(https?|\*)://([\w.*-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}|\*))?", re.I | re.A)
_SLASHES = re.compile("/+")


class BadGlob(ValueError):
    """It names no scheme or no host, has a query, or too many stars."""


@dataclass(frozen=True)
class UrlGlob:
    """A glob, or an address, taken apart. `port` is empty where it goes without saying."""

    scheme: str
    labels: tuple[str, ...]
    port: str
    steps: tuple[str, ...]

    def matches(self, url: str) -> bool:
        address = _address(url)
        return (
            address is not None
            and self.scheme in (STAR, address.scheme)
            and self.port in (STAR, address.port)
            and step_glob.covers(self.labels, address.labels)
            and step_glob.covers(self.steps, address.steps)
        )

    @property
    def specificity(self) -> tuple[int, int]:
        """The letters that are no stars: of the host first, then of the path."""
        host = "".join((self.scheme, *self.labels, self.port))
        return len(host.replace(STAR, "")), len("".join(self.steps).replace(STAR, ""))


def url_glob(text: str) -> UrlGlob:
    """Raises BadGlob."""
    origin, path = _split(text.strip())
    found = _ORIGIN.fullmatch(origin)
    if not found:
        raise BadGlob(phrase("Write scheme and host in full, as in http://shop.example/orders/*."))
    scheme, host, port = found[1].lower(), found[2], found[3] or ""
    glob = UrlGlob(scheme, _labels(host), _said_port(port, scheme), _steps(path))
    return _checked(glob, path=path)


def site_glob(text: str) -> UrlGlob:
    """A site: a star at its end is all that follows, and so is a slash. Raises BadGlob."""
    glob = url_glob(text)
    if glob.steps[-1] in ("", STAR):
        glob = replace(glob, steps=(*glob.steps[:-1], STARS))
    return _checked(glob, path="")


def path_glob(path: str, *, site: UrlGlob) -> UrlGlob:
    """`/checkout/*` on the host of a site. Raises BadGlob."""
    return _checked(replace(site, steps=_steps(path.strip())), path=path)


def _split(text: str) -> tuple[str, str]:
    at = text.find("/", text.find("://") + 3)
    return (text, "/") if at < 0 else (text[:at], text[at:])


def _checked(glob: UrlGlob, *, path: str) -> UrlGlob:
    if set(path) & set("?#"):
        raise BadGlob(phrase("Leave out query and fragment: a selector tells such pages apart."))
    if max(glob.labels.count(STARS), glob.steps.count(STARS)) > 1:
        raise BadGlob(phrase("Write ** once at most in the host, and once in the path."))
    if any(STARS in one and one != STARS for one in (*glob.labels, *glob.steps)):
        raise BadGlob(phrase("Write ** alone between two slashes, or between two dots."))
    return glob


# --- taken apart ------------------------------------------------------------------------
def _address(url: str) -> UrlGlob | None:
    """None for what no server is asked for. A page's own stars are written otherwise."""
    try:
        parts = urlsplit(url.removeprefix("blob:"))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS:
        return None
    name = f"[{host}]" if ":" in host else host.replace(STAR, "%2A")
    said_port = _said_port(str(port or ""), parts.scheme)
    return UrlGlob(parts.scheme, _labels(name), said_port, _steps(parts.path, star="%2A"))


def _labels(host: str) -> tuple[str, ...]:
    """A dot at the end leads to the same host."""
    name = host.lower()
    return (name,) if name.startswith("[") else tuple(name.removesuffix(".").split("."))


def _said_port(port: str, scheme: str) -> str:
    return "" if port == _DEFAULT_PORTS.get(scheme) else port


def _steps(path: str, *, star: str = STAR) -> tuple[str, ...]:
    """Behind the first slash. Servers read `%72` as r, and many read two slashes as one."""
    plain = _SLASHES.sub("/", unquote(path).replace(STAR, star))
    return tuple(plain.removeprefix("/").split("/"))
