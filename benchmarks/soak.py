"""Many actions over many runs, watched for what does not come back. Exits 1 on a leak."""

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from benchmarks import pages
from benchmarks.report import keep
from tests.support.site import Site
from tests.support.stack import Agent, Stack, wait_until

ROWS = 100
FORM = '<input aria-label="Note" id="note"><a href="/?again">Once more</a>'
WARM_RUNS = 0.25  # this share of the runs fills caches; growth is counted from there
GROWTH_MIB = 40  # web, worker or driver may grow by this much; a leak grows with the runs
GROWTH_SHARE = 0.20
GROWTH_FILES = 12
GROWTH_CONNECTIONS = 8
GONE_WITHIN_S = 20
HEAD = (
    "run  actions  web MiB  worker MiB  driver MiB  browser MiB"
    "  browsers  files  connections  zombies"
)


@dataclass(frozen=True)
class Reading:
    """What the product holds: memory in MiB (shared pages counted once), files, connections."""

    run: int
    actions: int
    web: float
    worker: float
    driver: float
    browser: float
    browsers: int
    files: int
    connections: int
    zombies: int

    def __str__(self) -> str:
        return (
            f"{self.run:3}  {self.actions:7}  {self.web:7.0f}  {self.worker:10.0f}"
            f"  {self.driver:10.0f}  {self.browser:11.0f}"
            f"  {self.browsers:8}  {self.files:5}  {self.connections:11}  {self.zombies:7}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--actions", type=int, default=2_000, help="in all (2000)")
    parser.add_argument("--runs", type=int, default=20, help="one after the other (20)")
    given = parser.parse_args()
    began, load_before = time.monotonic(), os.getloadavg()
    readings, leaks = soak(actions=given.actions, runs=given.runs)
    result = {
        "took_s": round(time.monotonic() - began, 1),
        "leaks": leaks,
        "readings": [asdict(reading) for reading in readings],
    }
    keep("soak", result, load_before=load_before)
    print("\n".join(leaks) if leaks else "nothing leaked")
    return 1 if leaks else 0


def soak(*, actions: int, runs: int) -> tuple[list[Reading], list[str]]:
    with tempfile.TemporaryDirectory(prefix="pm-soak-", ignore_cleanup_errors=True) as temporary:
        # The product's own temporary files, apart from everybody else's.
        os.chmod(temporary, 0o1777)
        with Stack.started(TMPDIR=temporary, LEASE_SECONDS="30") as stack, Site.started() as site:
            site.folder({"/": pages.rows_page(ROWS).replace("<table>", f"{FORM}<table>")})
            readings = list(_readings(stack, site, actions=actions, runs=runs))
            leaks = _growth(readings) + _left_by_runs(stack)
            data_dir = stack.data_dir
        leaks += _left_by_all(data_dir, Path(temporary))
    return readings, leaks


def _readings(stack: Stack, site: Site, *, actions: int, runs: int) -> Iterator[Reading]:
    """One at the end of each run, before its browser goes."""
    print(HEAD)
    with stack.agent(tier="autonomous", hosts=[site.host]) as agent:
        for run in range(1, runs + 1):
            agent.open_run(f"http://{site.host}/")
            for number in range(actions // runs):
                _act(agent, site, number)
            reading = _read(stack, run, run * (actions // runs))
            print(reading, flush=True)
            yield reading
            agent.finish_all()


def _act(agent: Agent, site: Site, number: int) -> None:
    """What an agent does all day. Each must succeed: a failing run would prove nothing."""
    row = f'[data-testid="open-{number * 37 % ROWS}"]'
    match number % 8:
        case 0:
            answer = agent.send("browser_navigate", url=f"http://{site.host}/?{number}")
        case 3:
            answer = agent.send("browser_type", target="#note", text=f"note {number}")
        case 5:
            answer = agent.send("browser_snapshot")
        case 6:
            answer = agent.send("browser_extract_text", target="td")
        case 7:
            answer = agent.send("browser_take_screenshot")
        case _:
            answer = agent.send("browser_click", target=row)
    if answer.json().get("status") != "succeeded":
        raise SystemExit(f"Action {number} did not succeed: {answer.text}")


def _read(stack: Stack, run: int, actions: int) -> Reading:
    memory = {"web": 0.0, "worker": 0.0, "driver": 0.0, "browser": 0.0}
    browsers = files = zombies = 0
    for process in psutil.Process(stack.process.pid if stack.process else 0).children(True):
        with contextlib.suppress(psutil.Error):
            kind = _kind_of(process)
            if process.status() == psutil.STATUS_ZOMBIE:
                zombies += 1
            elif kind:
                memory[kind] += _memory_mib(process)
                browsers += any(word.endswith("keeper.py") for word in process.cmdline())
                files += process.num_fds() if kind != "browser" else 0
    connections = stack.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
    )[0][0]
    return Reading(
        run,
        actions,
        **memory,
        browsers=browsers,
        files=files,
        connections=connections,
        zombies=zombies,
    )


def _kind_of(process: psutil.Process) -> str:
    """Beat, the engines and the supervisor are left out."""
    words = " ".join(process.cmdline())
    if "uvicorn" in words:
        return "web"
    if "celery" in words and " worker " in words:
        return "worker"
    if "playwright/driver" in words:
        return "driver"
    return "browser" if "keeper.py" in words or "--user-data-dir=" in words else ""


def _memory_mib(process: psutil.Process) -> float:
    info = process.memory_full_info()
    return float(getattr(info, "pss", info.uss)) / 2**20


def _growth(readings: list[Reading]) -> list[str]:
    warm, last = readings[int(len(readings) * WARM_RUNS)], readings[-1]
    leaks = []
    for kind in ("web", "worker", "driver"):
        before, after = getattr(warm, kind), getattr(last, kind)
        if after - before > max(GROWTH_MIB, before * GROWTH_SHARE):
            leaks.append(f"{kind} grew from {before:.0f} to {after:.0f} MiB")
    for kind, limit in (("files", GROWTH_FILES), ("connections", GROWTH_CONNECTIONS)):
        before, after = getattr(warm, kind), getattr(last, kind)
        if after - before > limit:
            leaks.append(f"open {kind} grew from {before} to {after}")
    if last.browsers > 1:
        leaks.append(f"{last.browsers} browsers were open in the last of runs one after the other")
    if last.zombies > warm.zombies + 2:
        leaks.append(f"{last.zombies} ended processes were never waited for")
    return leaks


def _left_by_runs(stack: Stack) -> list[str]:
    """Every run is over while the product still runs: no browser may be left."""
    folder = stack.data_dir / "browsers"
    with contextlib.suppress(AssertionError):
        wait_until(lambda: not _names(folder) and not _named_after(folder), GONE_WITHIN_S)
    return [
        *_left("browser folders", _names(folder)),
        *_left("processes of browsers", _named_after(folder)),
    ]


def _left_by_all(data_dir: Path, temporary: Path) -> list[str]:
    """The product has stopped: nothing may be left of it."""
    return [
        *_left("processes, after the stop", _named_after(data_dir)),
        *_left("temporary files, after the stop", _names(temporary)),
    ]


def _left(what: str, found: list[str]) -> list[str]:
    return [f"left: {len(found)} {what}, such as {found[0]}"] if found else []


def _names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.exists() else []


def _named_after(folder: Path) -> list[str]:
    """The command lines of living processes that name this folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = " ".join(process.cmdline())
            if str(folder) in words and process.status() != psutil.STATUS_ZOMBIE:
                found.append(words[:160])
    return found


if __name__ == "__main__":
    sys.exit(main())
