"""What a browser may reach. Pure rules; the browser process itself enforces them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import urlsplit

NAVIGABLE = frozenset({"http", "https"})
DEVTOOLS_PORTS = "23???"  # the band that browser/keeper.py takes its ports from
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Refusal:
    """Why a call may not happen."""

    violation_type: str
    detail: str


def refuse_navigation(url: str, *, allowed: Iterable[str]) -> Refusal | None:
    """None when the address may be opened: http(s) to a listed host, or about:blank."""
    if url == "about:blank":
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return Refusal("tripwire", "This is not an address a browser can open.")
    if parts.scheme.lower() not in NAVIGABLE:
        return Refusal("tripwire", "Only http and https addresses can be opened.")
    if not host:
        return Refusal("tripwire", "The address names no host.")
    port = port or DEFAULT_PORTS[parts.scheme.lower()]
    if any(_matches(entry, host, port) for entry in allowed):
        return None
    return Refusal("egress_host", f"{host}:{port} is not on this agent's list of hosts.")


def _matches(entry: str, host: str, port: int) -> bool:
    name, entry_port = split_host(entry)
    if entry_port is not None and entry_port != port:
        return False
    bare = name.strip("[]")
    if bare.startswith("*."):
        return host.endswith(bare[1:])
    return host == bare


def split_host(entry: str) -> tuple[str, int | None]:
    """`host:port` in two; an IPv6 host keeps its brackets."""
    name, colon, port = entry.rpartition(":")
    if colon and port.isdigit() and not name.endswith(":"):
        return name, int(port)
    return entry, None


def resolver_rules(allowed: Iterable[str], *, own_ports: Iterable[int]) -> str:
    """Chromium's --host-resolver-rules: only the listed hosts have an address.

    Our own ports and every DevTools port come first, so that listing loopback never opens them.
    The first rule that fits a host decides.
    """
    rules = [
        f"MAP {name}:{port} ~NOTFOUND"
        for name in LOOPBACK
        for port in (*(str(own) for own in sorted(set(own_ports))), DEVTOOLS_PORTS)
    ]
    rules += [f"MAP {entry} {entry}" for entry in allowed if not entry.startswith("*.")]
    rules += [f"EXCLUDE {entry}" for entry in allowed if entry.startswith("*.")]
    return ", ".join([*rules, "MAP * ~NOTFOUND"])


def refuse_path(path: str, *, folder: PurePath, resolved: PurePath) -> Refusal | None:
    """None when the file lies in the run's own folder; `resolved` is where its links lead."""
    if PurePath(path).is_absolute() or ".." in PurePath(path).parts:
        return Refusal("fs_path", "Name a file of this run's own folder, without .. or a root.")
    if folder not in resolved.parents:
        return Refusal("fs_path", "The file lies outside this run's own folder.")
    return None
