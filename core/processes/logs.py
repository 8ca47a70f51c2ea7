"""What children say: all of it into DATA_DIR/logs, only what a person should see on the screen."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TextIO

ROTATE_AT_BYTES = 20_000_000
# The opening of a log line: uvicorn's "INFO:  ...", logging's "2026-01-31 12:00:00,123 INFO ...",
# Celery's "[2026-01-31 12:00:00,123: INFO/MainProcess] ...".
RECORD = re.compile(r"\[?(?:\d{4}-\S+ [\d:,.]+ ?)?(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b")
QUIET = {"DEBUG", "INFO"}


class Screen:
    """The terminal. It may go away while we run; that is no reason to stop."""

    def __init__(self, out: TextIO, width: int) -> None:
        self._out: TextIO | None = out
        self._width = width
        self._silenced: frozenset[str] = frozenset()

    def silence(self, *names: str) -> None:
        """From here on these children's lines go to their files only."""
        self._silenced |= set(names)

    def say(self, name: str, line: str) -> None:
        if name in self._silenced:
            return
        self.show(f"{name:<{self._width}} | {line}")

    def show(self, text: str) -> None:
        if self._out is None:
            return
        try:
            print(text, file=self._out, flush=True)
        except OSError:
            self._out = None


class ChildLog:
    """Takes the bytes of one child's output, whole lines at a time."""

    def __init__(self, path: Path, name: str, screen: Screen) -> None:
        self._path = path
        self._name = name
        self._screen = screen
        self._rest = b""
        self._record_is_quiet = False

    def take(self, data: bytes) -> list[str]:
        """Write what came, show what matters, return the new lines."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        texts = [line.decode(errors="replace").rstrip("\r") for line in lines]
        if texts:
            self._write(texts)
        for text in texts:
            if self._matters(text):
                self._screen.say(self._name, text)
        return texts

    def end(self) -> None:
        """The child is gone; its last line may lack a line end."""
        if self._rest:
            self.take(b"\n")

    def _write(self, lines: list[str]) -> None:
        """A full disk costs the record, never the supervisor."""
        with suppress(OSError):
            if self._path.exists() and self._path.stat().st_size > ROTATE_AT_BYTES:
                os.replace(self._path, self._path.with_suffix(".log.1"))
            with self._path.open("a") as log:
                log.write("".join(f"{line}\n" for line in lines))

    def _matters(self, line: str) -> bool:
        """Warnings and worse, with the indented lines that follow them, and what is no log line
        at all: a traceback, a print."""
        record = RECORD.match(line)
        if record:
            self._record_is_quiet = record.group(1) in QUIET
        elif line[:1].strip():
            self._record_is_quiet = False
        return bool(line.strip()) and not self._record_is_quiet
