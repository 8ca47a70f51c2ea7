"""P13: `make demo` to its first question on the queue. --folder names a fresh clone."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from benchmarks.measuring import Goal, Measure, spread_of
from benchmarks.report import arguments, run
from tests.support.stack import ROOT, free_port, wait_until

LIMIT_S = 300
LINK = re.compile(r"/sign-in/once/\S+")


def measure(rounds: int, folder: Path) -> list[Measure]:
    samples = [first_question_s(folder) for _ in range(rounds)]
    took = spread_of(samples)
    name = "make demo to the first proposal"
    note = "environment in place" if folder == ROOT else "a fresh clone: the environment is made"
    return [Measure("P13", name, took, goals=[Goal("s", took.p99, 60)], unit="s", note=note)]


def first_question_s(folder: Path) -> float:
    """From the command to a row in the queue of somebody who took the printed link."""
    with tempfile.TemporaryDirectory(prefix="pm-", ignore_cleanup_errors=True) as data:
        began = time.perf_counter()
        with demo(folder, Path(data)) as (base, screen):
            _wait_for_a_question(base, screen)
            return time.perf_counter() - began


def _wait_for_a_question(base: str, screen: Path) -> None:
    wait_until(lambda: LINK.search(screen.read_text()), LIMIT_S, screen.read_text)
    found = LINK.search(screen.read_text())
    if found is None:
        raise SystemExit("The link went away.")
    with signed_in(base, found.group()) as http:
        wait_until(lambda: "data-row=" in http.get("/").text, LIMIT_S, screen.read_text)


@contextlib.contextmanager
def demo(folder: Path, data: Path) -> Iterator[tuple[str, Path]]:
    """Its address and the file that holds what it says. Ended as by Ctrl-C."""
    port, screen = free_port(), data / "screen"
    kept = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
    where = {"DATA_DIR": str(data / "data"), "PORT": str(port), "SHOP_PORT": str(free_port())}
    with screen.open("w") as output:
        process = subprocess.Popen(
            ["make", "demo"],
            cwd=folder,
            env={**kept, **where},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield f"http://127.0.0.1:{port}", screen
    finally:
        os.killpg(process.pid, signal.SIGINT)
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def signed_in(base: str, link: str) -> Iterator[httpx.Client]:
    """The link opens a page with one button; pressing it signs in."""
    with httpx.Client(base_url=base, trust_env=False, timeout=30) as http:
        http.get(link).raise_for_status()
        http.post(link, headers={"X-CSRFToken": http.cookies["csrftoken"], "Origin": base})
        if "sessionid" not in http.cookies:
            raise SystemExit("The printed link did not sign in.")
        yield http


def main() -> None:
    folder = {"type": Path, "default": ROOT, "help": "a fresh clone (this one)"}
    given = arguments(__doc__ or "", rounds=1, folder=folder)
    run(
        "demo" if given.folder == ROOT else "demo_fresh",
        lambda: measure(given.rounds, given.folder.resolve()),
    )


if __name__ == "__main__":
    main()
