"""Killing parts of a running product, and what its rows then say."""

import contextlib
import json
from pathlib import Path
from typing import Any

import psutil

from tests.support.stack import Agent, Stack, wait_until

FINAL = {"succeeded", "failed", "rejected", "blocked", "outcome_unknown"}
SETTLED_WITHIN_S = 60
TWINS = """<button class="go" id="first">Go</button><button class="go" id="second">Go</button>
<script>counts(first, "first"); counts(second, "second")</script>"""


def start(agent: Agent, tool: str = "browser_click", **params: Any) -> str:
    """Send an action without waiting for it; returns its id."""
    answer = agent.post({"tool": tool, "params": params, "wait_s": 0})
    assert answer.status_code in {200, 202}, answer.text
    return answer.json()["action_id"]


def ended(stack: Stack, action_id: str, within_s: float = SETTLED_WITHIN_S) -> dict[str, Any]:
    """What the rows say of an action once it is over, whatever is down meanwhile."""
    found: list[Any] = []

    def is_over() -> bool:
        with contextlib.suppress(Exception):
            found[:] = stack.sql("SELECT status, error FROM runs_action WHERE id = %s", action_id)
        return bool(found) and found[0][0] in FINAL

    wait_until(is_over, within_s, lambda: f"{action_id}: {found}")
    return {"status": found[0][0], "code": (found[0][1] or {}).get("code")}


def of_stack(stack: Stack, *words: str) -> list[psutil.Process]:
    """Processes of this very stack: by its own folder, or started by it."""
    own = {p.pid for p in psutil.Process(stack.process.pid).children(True)}  # type: ignore[union-attr]
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        is_ours = process.pid in own or str(stack.data_dir) in line
        if is_ours and all(word in line for word in words):
            found.append(process)
    return found


def kill(processes: list[psutil.Process]) -> None:
    assert processes, "there is nothing to kill"
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def browser_of(stack: Stack, run_id: str) -> tuple[Path, int]:
    """The run's folder and its keeper's pid."""
    folder = next((stack.data_dir / "browsers").glob(f"{run_id}*"))
    return folder, json.loads((folder / "browser.json").read_text())["pid"]


def chromium_of(folder: Path, kind: str = "") -> list[psutil.Process]:
    """Chromium's main process, or its children of a kind; by the run's own profile folder."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or [])
        if f"--user-data-dir={folder}" in line and "keeper.py" not in line:
            is_main = "--type=" not in line
            if (kind and f"--type={kind}" in line) or (not kind and is_main):
                found.append(process)
    return found
