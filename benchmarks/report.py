"""How results are shown and kept: one table, and one JSON file for each benchmark."""

import json
import os
import platform
import subprocess
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from benchmarks.measuring import Measure, Spread
from core.chromium import chromium_version, find_chromium

FOLDER = Path(__file__).with_name("results")
PACKAGES = ["Django", "celery", "channels", "playwright", "psycopg", "redis", "uvicorn"]
HEAD = ["", "measure", "min", "median", "p99", "plain median", "plain p99", "ratio"]


def arguments(about: str, *, rounds: int, **more: Mapping[str, Any]) -> Namespace:
    """What a benchmark may be told on the command line: --rounds, and what it adds."""
    parser = ArgumentParser(description=about)
    parser.add_argument("--rounds", type=int, default=rounds, help=f"samples ({rounds})")
    for name, settings in more.items():
        parser.add_argument(f"--{name.replace('_', '-')}", **settings)
    return parser.parse_args()


def run(name: str, measure: Callable[[], Sequence[Measure]]) -> None:
    """Measure, print the table and keep the results under `name`."""
    load_before = os.getloadavg()
    measures = measure()
    lines = [_as_dict(one) for one in measures]
    keep(name, {"measures": lines}, load_before=load_before)
    print(table(lines))


def keep(name: str, result: Mapping[str, Any], *, load_before: tuple[float, float, float]) -> None:
    """As JSON, with what the numbers depend on: code, machine, versions, and how busy it was."""
    facts = {
        "name": name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": _machine(),
        "load_average": {"before": load_before, "after": os.getloadavg()},
        "versions": _versions(),
    }
    FOLDER.mkdir(exist_ok=True)
    path_of(name).write_text(json.dumps({**facts, **result}, indent=1) + "\n")


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def _as_dict(measure: Measure) -> dict[str, Any]:
    return {
        "id": measure.id,
        "name": measure.name,
        "unit": measure.unit,
        "ours": _rounded(measure.ours),
        "peer": _rounded(measure.peer) if measure.peer else None,
        "ratio": round(measure.ratio, 3) if measure.ratio else None,
        "goals": [{**asdict(goal), "is_reached": goal.is_reached} for goal in measure.goals],
        "said": [str(goal) for goal in measure.goals],
        "parts": measure.parts,
        "note": measure.note,
    }


def _rounded(spread: Spread) -> dict[str, float]:
    return {name: round(value, 2) for name, value in asdict(spread).items()}


def _commit() -> str:
    """Empty outside a checkout; marked when files were changed since."""
    words = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        done = subprocess.run(
            words, cwd=FOLDER.parent, capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _machine() -> dict[str, Any]:
    return {
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _versions() -> dict[str, str | None]:
    chromium = find_chromium()
    return {
        "python": platform.python_version(),
        "chromium": chromium_version(chromium) if chromium else None,
        **{package: version(package) for package in PACKAGES},
    }


def table(measures: Sequence[Mapping[str, Any]]) -> str:
    """One line a measure, its goals and parts below it."""
    rows = [HEAD, *(_row(measure) for measure in measures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = [_aligned(rows[0], widths)]
    for measure, row in zip(measures, rows[1:], strict=True):
        lines.append(_aligned(row, widths))
        lines += [f"{'':6}{said}" for said in measure["said"]]
        if measure["parts"]:
            named = ", ".join(f"{name} {value:g}" for name, value in measure["parts"].items())
            lines.append(f"{'':6}of which (medians): {named}")
        if measure["note"]:
            lines.append(f"{'':6}{measure['note']}")
    return "\n".join(lines)


def _row(measure: Mapping[str, Any]) -> list[str]:
    ours, peer = measure["ours"], measure["peer"]
    spread = [_figure(ours[name]) for name in ("min", "median", "p99")]
    plain = [_figure(peer[name]) for name in ("median", "p99")] if peer else ["-", "-"]
    ratio = f"{measure['ratio']:.2f}" if peer else "-"
    name = f"{measure['name']} [{measure['unit']}]"
    return [measure["id"], name, *spread, *plain, ratio]


def _figure(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        text.ljust(width) if column < 2 else text.rjust(width)
        for column, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()
