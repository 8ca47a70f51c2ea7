"""The supervisor, run for real as a process of its own with small children of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from core import engines
from core.processes.claims import StackError, require_free_port
from core.processes.logs import ChildLog, Screen

PROJECT = Path(__file__).resolve().parents[2]
SLEEPER = "import time; print('INFO: quiet'); print('WARNING: loud'); time.sleep(600)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPER}"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEPER!r}])"
LIMIT_S = 20


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Not pytest's tmp_path: another pytest of root closes it to the engines' account."""
    with TemporaryDirectory(prefix="pointsman-test-") as folder:
        yield Path(folder)
        engines.stop_engines(Path(folder))


@pytest.fixture
def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


class Supervisor:
    """A Stack in a process of its own; its screen goes into a file."""

    def __init__(self, data_dir: Path, port: int, ready: str | None, children: object) -> None:
        self.screen_file = data_dir / f"screen-{time.monotonic_ns()}"
        spec = json.dumps([str(data_dir), port, ready, children])
        program = (
            "import json, sys; from pathlib import Path; from core.processes import Child, Stack\n"
            "data_dir, port, ready, children = json.loads(sys.argv[1])\n"
            "children = [Child(name, [sys.executable, '-c', code], ready_text=ready)\n"
            "            for name, code in children.items()]\n"
            "note = lambda folder: print('cleaned up', flush=True)\n"
            "stack = Stack(Path(data_dir), port=port, children=children, steps=[], cleanup=note)\n"
            "stack.run_until_signal()\n"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, spec],
            stdout=self.screen_file.open("w"),
            stderr=subprocess.STDOUT,
            cwd=PROJECT,
        )

    def screen(self) -> str:
        return self.screen_file.read_text()

    def until_it_says(self, words: str) -> None:
        within(LIMIT_S, lambda: words in self.screen() or self.process.poll() is not None)
        assert words in self.screen(), self.screen()

    def children(self) -> dict[str, psutil.Process]:
        """By the argument that tells them apart."""
        found = psutil.Process(self.process.pid).children()
        return {" ".join(child.cmdline()): child for child in found if child.cmdline()}

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(LIMIT_S)


@pytest.fixture
def run(data_dir: Path, free_port: int) -> Iterator[Callable[..., Supervisor]]:
    running: list[Supervisor] = []

    def start(ready: str | None = None, **children: str) -> Supervisor:
        running.append(Supervisor(data_dir, free_port, ready, children))
        return running[-1]

    yield start
    for supervisor in running:
        if supervisor.process.poll() is None:
            supervisor.stop(signal.SIGTERM)


def within(limit_s: float, happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + limit_s
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.05)


def is_alive(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


def everything_under(supervisor: Supervisor) -> list[psutil.Process]:
    return list(psutil.Process(supervisor.process.pid).children(recursive=True))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(
    run: Callable[..., Supervisor], data_dir: Path, number: int
) -> None:
    supervisor = run(one=SLEEPER, parent=PARENT)
    supervisor.until_it_says("is ready")
    within(LIMIT_S, lambda: len(everything_under(supervisor)) == 3)
    family = everything_under(supervisor)
    assert len(family) == 3
    assert supervisor.stop(number) == 0
    within(2, lambda: not any(map(is_alive, family)))
    assert not any(map(is_alive, family))
    assert engines.missing_engines(data_dir) == ["postgres", "valkey"]
    assert supervisor.screen().count("cleaned up") == 2


def test_a_child_that_will_not_stop_is_killed_in_time(run: Callable[..., Supervisor]) -> None:
    supervisor = run(deaf=DEAF, other=SLEEPER)
    supervisor.until_it_says("loud")
    began = time.monotonic()
    assert supervisor.stop() == 0
    assert time.monotonic() - began < 8
    assert "killing deaf" in supervisor.screen()
    assert "killing other" not in supervisor.screen()


def test_a_child_that_dies_is_started_again(run: Callable[..., Supervisor]) -> None:
    supervisor = run(one=SLEEPER)
    supervisor.until_it_says("is ready")
    (first,) = supervisor.children().values()
    first.kill()
    supervisor.until_it_says("was ended by SIGKILL; starting it again in 1 s")
    within(LIMIT_S, lambda: supervisor.children())
    assert first.pid not in {child.pid for child in supervisor.children().values()}


def test_an_engine_that_dies_is_started_again(
    run: Callable[..., Supervisor], data_dir: Path
) -> None:
    supervisor = run(one=SLEEPER)
    supervisor.until_it_says("is ready")
    os.kill(int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0]), 9)
    supervisor.until_it_says("postgres stopped")
    within(LIMIT_S, lambda: not engines.missing_engines(data_dir))
    assert engines.missing_engines(data_dir) == []


def test_a_killed_supervisor_leaves_no_child_and_the_next_one_starts(
    run: Callable[..., Supervisor],
) -> None:
    first = run(one=SLEEPER)
    first.until_it_says("is ready")
    children = list(first.children().values())
    assert first.stop(signal.SIGKILL) == -signal.SIGKILL
    within(2, lambda: not any(map(is_alive, children)))
    assert not any(map(is_alive, children))
    second = run(one=SLEEPER)
    second.until_it_says("is ready")
    assert second.stop() == 0


def test_a_second_supervisor_of_the_same_data_is_refused(
    run: Callable[..., Supervisor], data_dir: Path
) -> None:
    first = run(one=SLEEPER)
    first.until_it_says("is ready")
    second = run(one=SLEEPER)
    assert second.process.wait(LIMIT_S) != 0
    assert f"already runs on {data_dir} (process {first.process.pid})" in second.screen()
    assert first.process.poll() is None
    assert engines.missing_engines(data_dir) == []


def test_with_given_urls_no_engine_is_started_and_logs_are_kept(
    run: Callable[..., Supervisor], data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/pointsman")
    monkeypatch.setenv("REDIS_URL", "redis://queue.example")
    supervisor = run(one=SLEEPER)
    supervisor.until_it_says("loud")
    assert not (data_dir / "postgres").exists()
    assert not (data_dir / "valkey").exists()
    assert "loud" in (data_dir / "logs" / "one.log").read_text()


def test_it_is_ready_when_its_children_say_so(run: Callable[..., Supervisor]) -> None:
    late = "import time; time.sleep(1.5); print('here I am'); time.sleep(600)"
    supervisor = run(ready="I am", late=late)
    supervisor.until_it_says("started postgres and valkey")
    time.sleep(0.5)
    assert "is ready" not in supervisor.screen()
    supervisor.until_it_says("is ready")


def test_what_cannot_start_is_given_up_and_the_rest_is_stopped(
    run: Callable[..., Supervisor], data_dir: Path
) -> None:
    supervisor = run(ready="never", one="raise SystemExit('no such thing')", two=SLEEPER)
    assert supervisor.process.wait(LIMIT_S) != 0
    assert "one   | no such thing" in supervisor.screen()
    assert "one stopped 3 times while starting" in supervisor.screen()
    assert engines.missing_engines(data_dir) == ["postgres", "valkey"]


def test_the_screen_shows_warnings_and_the_file_shows_all(
    run: Callable[..., Supervisor], data_dir: Path
) -> None:
    supervisor = run(one=SLEEPER)
    supervisor.until_it_says("WARNING: loud")
    assert "one   | WARNING: loud" in supervisor.screen()
    assert "quiet" not in supervisor.screen()
    assert (data_dir / "logs" / "one.log").read_text() == "INFO: quiet\nWARNING: loud\n"


def test_a_taken_port_is_named_with_its_holder() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(StackError, match=f"Port {port} is not free: .* \\(process"):
            require_free_port(port)


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ("2026-01-31 12:00:00,123 INFO a quiet\n", []),
        ("[2026-01-31 12:00:00,123: WARNING/MainProcess] a\n", ["a"]),
        ("INFO:     Started\n  more\nERROR:    a\n  b\n", ["a", "b"]),
        ("[2026-01-31 12:00:00,123: INFO/MainProcess] x\nTraceback a\n", ["a"]),
    ],
)
def test_only_what_matters_reaches_the_screen(tmp_path: Path, lines: str, shown: list[str]) -> None:
    with (tmp_path / "screen").open("w") as out:
        log = ChildLog(tmp_path / "one.log", "one", Screen(out, 3))
        for byte in lines.encode():
            log.take(bytes([byte]))
    assert [line[-1] for line in (tmp_path / "screen").read_text().splitlines()] == shown
    assert (tmp_path / "one.log").read_text() == lines
