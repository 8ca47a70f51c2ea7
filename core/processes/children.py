"""One child process: started, listened to, started again with growing pauses, ended."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from core.processes.logs import ChildLog, Screen

PROJECT = Path(__file__).resolve().parents[2]
TETHER = Path(__file__).with_name("tether.py")
LONGEST_PAUSE_S = 30.0
STEADY_AFTER_S = 10.0


@dataclass(frozen=True)
class Child:
    """What to run. It counts as ready when `ready_url` answers (any answer but a server error),
    or when a line of its output has `ready_text`; without either, at once."""

    name: str
    argv: list[str]
    env: Mapping[str, str] = field(default_factory=dict)
    ready_url: str | None = None
    ready_text: str | None = None


class RunningChild:
    """A child and its present process, if it has one."""

    def __init__(self, child: Child, *, log: Path, screen: Screen) -> None:
        self.child = child
        self.process: subprocess.Popen[bytes] | None = None
        self.is_ready = False
        self.failures = 0
        self._log = ChildLog(log, child.name, screen)
        self._screen = screen
        self._started_at = 0.0
        self._start_again_at = 0.0

    def start(self) -> None:
        """In a session of its own, so that the terminal's Ctrl-C reaches only the supervisor."""
        tether = [sys.executable, "-I", "-S", str(TETHER), str(os.getpid())]
        self.process = subprocess.Popen(
            [*tether, *self.child.argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=PROJECT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **self.child.env},
            start_new_session=True,
        )
        os.set_blocking(self._output(), False)
        self._started_at = time.monotonic()
        self.is_ready = not (self.child.ready_url or self.child.ready_text)

    def outputs(self) -> list[int]:
        return [self._output()] if self.process else []

    def read(self) -> None:
        """Take what it wrote, without waiting."""
        while data := self._available():
            lines = self._log.take(data)
            text = self.child.ready_text
            self.is_ready |= text is not None and any(text in line for line in lines)

    def look_whether_ready(self) -> None:
        if self.process and not self.is_ready and self.child.ready_url:
            self.is_ready = answers(self.child.ready_url)

    def has_died(self) -> bool:
        """Says True once for each death, and sets when the next start is due."""
        if self.process is None or self.process.poll() is None:
            return False
        how = describe_exit(self.process.returncode)
        self._bury()
        steady = time.monotonic() - self._started_at > STEADY_AFTER_S
        pause_s = 1.0 if steady else min(LONGEST_PAUSE_S, 2.0**self.failures)
        self.failures = 1 if steady else self.failures + 1
        self._start_again_at = time.monotonic() + pause_s
        self._screen.say(self.child.name, f"{how}; starting it again in {pause_s:.0f} s")
        return True

    def is_due(self) -> bool:
        return self.process is None and time.monotonic() >= self._start_again_at

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        """Only the process itself: it ends its own children in its own way."""
        if self.process is not None and self.is_running():
            self.process.terminate()

    def end(self) -> None:
        """At once, with whatever is left of its group."""
        if self.process is not None:
            _kill_group(self.process.pid)
            self.process.wait()
            self._bury()

    def _bury(self) -> None:
        self.read()
        self._log.end()
        if self.process is not None:
            _kill_group(self.process.pid)
            os.close(self._output())
        self.process = None
        self.is_ready = False

    def _output(self) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def _available(self) -> bytes:
        try:
            return os.read(self._output(), 65536) if self.process else b""
        except BlockingIOError:
            return b""


def _kill_group(group: int) -> None:
    """Also after its leader's death, for children that the leader left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def answers(url: str) -> bool:
    """Whether a server answers there, were it with a refusal, but not with a failure of its own."""
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except (OSError, HTTPException):
        return False


def describe_exit(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"stopped with exit code {code}"
