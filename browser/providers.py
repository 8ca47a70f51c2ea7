"""Where a run's Chromium comes from: started here with its keeper, or a remote CDP endpoint."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
from django.conf import settings

from browser.errors import BrowserLost
from core.chromium import find_chromium
from core.errors import Unavailable
from sandbox.domain import resolver_rules

START_TIMEOUT_S = 20
STOP_TIMEOUT_S = 4
KILL_TIMEOUT_S = 1
DEFAULT_PORTS = {"redis": 6379, "rediss": 6379, "postgres": 5432, "postgresql": 5432}
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication",
    "--disable-back-forward-cache",  # of a page taken out of it Playwright never hears
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--mute-audio",
    "--password-store=basic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--hide-scrollbars",
    "--window-size=1280,943",  # leaves a viewport of 1280 x 800
)


@dataclass(frozen=True)
class BrowserRef:
    """How any worker finds a run's browser. Kept on the run as JSON."""

    endpoint: str
    folder: str = ""
    pid: int = 0
    target: str = ""  # the run's own tab, among those its page may have opened

    @classmethod
    def of(cls, record: dict[str, Any]) -> "BrowserRef":
        """Raises BrowserLost when the run has no browser."""
        if not record.get("endpoint"):
            raise BrowserLost("This run has no browser any more: start a new run.")
        return cls(**record)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def start(name: str, *, allowed_hosts: Iterable[str]) -> BrowserRef:
    """A fresh Chromium of its own for one run; it can reach the allowed hosts only.

    It is detached: it lives on when this worker dies. Raises Unavailable with what to do.
    """
    if settings.BROWSER_CDP_ENDPOINT:
        raise Unavailable(
            "BROWSER_CDP_ENDPOINT is set, but remote browsers cannot enforce egress rules yet."
        )
    folder = Path(settings.DATA_DIR) / "browsers" / name
    command = _command(folder, allowed_hosts)
    folder.mkdir(parents=True)
    order = {
        "folder": str(folder),
        "command": command,
        "environment": _scrubbed_environment(folder),
    }
    keeper = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("keeper.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=_scrubbed_environment(folder),
    )
    answer = _first_words(keeper, order)
    if "endpoint" not in answer:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(keeper.pid, signal.SIGKILL)
        keeper.wait()
        shutil.rmtree(folder, ignore_errors=True)
        raise Unavailable(f"Chromium did not start: {answer.get('error') or 'no answer'}")
    return BrowserRef(answer["endpoint"], str(folder), answer["pid"])


def _command(folder: Path, allowed_hosts: Iterable[str]) -> list[str]:
    program = find_chromium()
    if program is None:
        raise Unavailable("No Chromium was found: run `make setup`, or set CHROMIUM_PATH.")
    rules = resolver_rules(allowed_hosts, own_ports=own_ports())
    command = [
        str(program),
        *FLAGS,
        f"--user-data-dir={folder / 'profile'}",
        f"--host-resolver-rules={rules}",
    ]
    if os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium's own sandbox refuses root
    return [*command, "about:blank"]


def own_ports() -> list[int]:
    """Ports of Pointsman itself that no browser may reach, even where loopback is allowed."""
    urls = [settings.REDIS_URL, settings.CELERY_BROKER_URL, os.environ.get("DATABASE_URL", "")]
    return [settings.PORT, *(port for url in urls if (port := _port_of(url)))]


def _port_of(url: str) -> int | None:
    """Written out or meant by the scheme; None for a socket file."""
    try:
        parts = urlsplit(url)
        return parts.port or (DEFAULT_PORTS.get(parts.scheme) if parts.hostname else None)
    except ValueError:
        return None


def _scrubbed_environment(folder: Path) -> dict[str, str]:
    """Nothing of ours: no keys, no database address."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ}
    return {**kept, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}


def _first_words(keeper: "subprocess.Popen[bytes]", order: dict[str, Any]) -> dict[str, Any]:
    """The keeper's one line; an empty answer when it says nothing in time."""
    if keeper.stdin is None or keeper.stdout is None:
        return {}
    with contextlib.suppress(BrokenPipeError):
        keeper.stdin.write(json.dumps(order).encode() + b"\n")
        keeper.stdin.close()
    ready, _, _ = select.select([keeper.stdout], [], [], START_TIMEOUT_S)
    line = keeper.stdout.readline() if ready else b""
    keeper.stdout.close()
    return json.loads(line) if line.strip() else {}


def is_alive(ref: BrowserRef) -> bool:
    """Whether the keeper of this browser still runs (and is no other process of that number)."""
    return bool(ref.pid) and _is_keeper(ref.pid)


def _is_keeper(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        words = process.cmdline()
        return process.status() != psutil.STATUS_ZOMBIE and any(
            word.endswith("browser/keeper.py") for word in words
        )
    except psutil.Error:
        return False


def stop(ref: BrowserRef) -> None:
    """End this browser and take its folder away. Safe to call twice."""
    if ref.pid and _is_keeper(ref.pid):
        _end_group(ref.pid)
    if ref.folder:
        shutil.rmtree(ref.folder, ignore_errors=True)


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while _is_keeper(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(pid, signal.SIGKILL)


def kill(ref: BrowserRef) -> list[int]:
    """End this browser at once, whatever it does; its folder stays for `stop`. Returns the numbers
    of those of its processes that still live a second later."""
    if not is_alive(ref):
        return []
    keeper = psutil.Process(ref.pid)
    family = [keeper, *keeper.children(recursive=True)]
    for process in family:
        with contextlib.suppress(psutil.Error):
            process.kill()
    deadline = time.monotonic() + KILL_TIMEOUT_S
    while any(map(_runs, family)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return [process.pid for process in family if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    """A zombie only waits to be counted by whoever started it."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def stop_all(data_dir: Path) -> int:
    """End every browser an earlier stack left under this folder. Returns how many there were."""
    count = 0
    for record in (data_dir / "browsers").glob("*/browser.json"):
        with contextlib.suppress(OSError, ValueError, KeyError):
            known = json.loads(record.read_text())
            stop(BrowserRef(known["endpoint"], str(record.parent), known["pid"]))
            count += 1
    for folder in (data_dir / "browsers").glob("*"):
        shutil.rmtree(folder, ignore_errors=True)
    return count
