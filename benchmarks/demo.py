"""P13: `make demo` to its first question on the queue. --folder names a fresh clone to run it in."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from benchmarks.measuring import Goal, Measure, spread_of, timed_ms
from benchmarks.report import arguments, run
from tests.support.stack import ROOT, free_port, wait_until

LIMIT_S = 300
LINK = re.compile(r"/sign-in/once/\S+")


def measure(rounds: int, folder: Path) -> list[Measure]:
    samples = [first_question_s(folder) for _ in range(rounds)]
    took = spread_of(samples)
    name = "make demo to the first proposal"
    note = "environment in place" if folder == ROOT else "the first sample makes the environment"
    return [Measure("P13", name, took, goals=[Goal("s", took.p99, 60)], unit="s", note=note)]


def first_question_s(folder: Path) -> float:
    """From the command to a row in the queue of somebody who took the printed link."""
    with tempfile.TemporaryDirectory(prefix="pm-") as temporary:
        return timed_ms(lambda: _run_until_asked(folder, Path(temporary))) / 1000


def _run_until_asked(folder: Path, data: Path) -> None:
    with demo(folder, data) as (base, screen):
        wait_until(lambda: LINK.search(screen.read_text()), LIMIT_S, screen.read_text)
        found = LINK.search(screen.read_text())
        if found is None:
            raise SystemExit("The link went away.")
        with signed_in(base, found.group()) as http:
            wait_until(lambda: "data-row=" in http.get("/").text, LIMIT_S, screen.read_text)


@contextlib.contextmanager
def demo(folder: Path, data: Path) -> Iterator[tuple[str, Path]]:
    """Its address and the file that holds what it says."""
    raise NotImplementedError
