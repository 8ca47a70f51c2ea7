"""Tasks as they are written: one YAML file each, beside this one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from runs.gym import ACTIONS, SAME

FOLDER = Path(__file__).parent
OF_THE_RUN = ("confirmation_mode",)
OF_A_STEP = ("turn", "ends")
MAIN_PARAMETER = {
    "browser_navigate": "url",
    "browser_press_key": "key",
    "needs_confirmation": "content",
    "message_user": "content",
    "finished": "content",
}


@dataclass(frozen=True)
class Step:
    """One call of an agent, and the status it must end with."""

    name: str
    params: Mapping[str, Any]
    turn: str = ""
    ends: str = "succeeded"

    @property
    def call(self) -> dict[str, Any]:
        """As `POST /runs/{id}/actions` takes it."""
        in_the_gym = self.name in ACTIONS and self.name not in SAME
        turn = {"turn": self.turn} if self.turn else {}
        return {("action" if in_the_gym else "tool"): self.name, "params": self.params, **turn}


@dataclass(frozen=True)
class Outcome:
    """What the verifiers say of one run."""

    verdict: str
    completion: bool | None
    under_policy: bool | None
    latch: str | None = None
    shaping: float = 0.0


@dataclass(frozen=True)
class Script:
    """An agent that does the same every time, and what must come of it."""

    name: str
    steps: tuple[Step, ...]
    must_be: Outcome


@dataclass(frozen=True)
class Task:
    """`body` is what `POST /runs` gets as the task, `wishes` what it gets beside."""

    id: str
    start: str
    body: Mapping[str, Any]
    scripts: tuple[Script, ...]
    wishes: Mapping[str, Any] = field(default_factory=dict)


def all_tasks() -> tuple[Task, ...]:
    """By id."""
    return tuple(read_task(path.read_text()) for path in sorted(FOLDER.glob("*.yaml")))


def read_task(text: str) -> Task:
    written = yaml.safe_load(text)
    scripts = tuple(_script(one) for one in written.pop("scripts"))
    wishes = {name: written.pop(name) for name in OF_THE_RUN if name in written}
    return Task(written["id"], written.pop("start"), written, scripts, wishes)


def _script(written: Mapping[str, Any]) -> Script:
    return Script(
        name=written["name"],
        steps=tuple(_step(one) for one in _flat(written["does"])),
        must_be=_outcome(written),
    )


def _outcome(written: Mapping[str, Any]) -> Outcome:
    """Only a wrong state fails the task itself, unless the file says otherwise."""
    verdict = written["verdict"]
    return Outcome(
        verdict=verdict,
        completion=written.get("completion", verdict != "STATE_MISMATCH"),
        under_policy=verdict == "PASS",
        latch=written.get("latch"),
        shaping=written.get("shaping", 0.0),
    )


def _flat(written: Iterable[Any]) -> Iterable[Mapping[str, Any]]:
    """What several scripts do alike is written once, as a list among the steps."""
    for one in written:
        if isinstance(one, list):
            yield from _flat(one)
        else:
            yield one


def _step(written: Mapping[str, Any]) -> Step:
    """`{tool: parameters}`, or only the parameter that matters most."""
    manner = {name: written[name] for name in OF_A_STEP if name in written}
    [(name, said)] = ((name, said) for name, said in written.items() if name not in OF_A_STEP)
    params = said if isinstance(said, dict) else {MAIN_PARAMETER.get(name, "target"): said}
    return Step(name, params, **manner)
