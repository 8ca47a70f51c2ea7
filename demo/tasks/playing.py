"""One scripted agent plays one task, over REST and nothing else."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from demo.agents.pointsman import Answer, Pointsman, Refused, RoundOver
from demo.tasks.reading import Outcome, Script, Step, Task


@dataclass(frozen=True)
class Played:
    """`trouble` says what kept the script from its end; nothing came out then."""

    task: Task
    script: Script
    seconds: float
    outcome: Outcome | None = None
    trouble: str = ""

    @property
    def is_as_expected(self) -> bool:
        return self.outcome == self.script.must_be


def play(task: Task, script: Script, *, pointsman: Pointsman, shop: str) -> Played:
    began = time.monotonic()
    played = Played(task, script, 0.0)
    try:
        played = replace(played, outcome=_outcome_of(task, script, pointsman, shop))
    except RoundOver as over:
        played = replace(played, trouble=str(over))
    except Refused as refused:
        played = replace(played, trouble=f"{refused.code}: {refused}")
    finally:
        # Refused here means that the run is over already, which is what was wanted.
        with contextlib.suppress(Refused):
            pointsman.finish_run()
    return replace(played, seconds=time.monotonic() - began)


def _outcome_of(task: Task, script: Script, pointsman: Pointsman, shop: str) -> Outcome:
    label = f"{task.id}: {script.name}"
    pointsman.open_run(shop + task.start, label=label, task=task.body, **task.wishes)
    for number, step in enumerate(script.steps, start=1):
        _take(step, number, pointsman, shop)
    return read_outcome(pointsman.end_and_verify())


def _take(step: Step, number: int, pointsman: Pointsman, shop: str) -> None:
    answer = pointsman.send(_in_the_shop(step.call, shop), on_wait=_give_up)
    if answer.status != step.ends:
        said = answer.message or answer.error_code
        raise RoundOver(f"step {number}, {step.name}, ended as {answer.status}: {said}")


def _in_the_shop(call: dict[str, Any], shop: str) -> dict[str, Any]:
    """Addresses are written as paths of the shop."""
    params = call["params"]
    if str(params.get("url", "")).startswith("/"):
        return {**call, "params": {**params, "url": shop + params["url"]}}
    return call


def _give_up(answer: Answer) -> None:
    raise RoundOver("a person is asked here, and nobody is there")


def read_outcome(said: Mapping[str, Any]) -> Outcome:
    """What `GET /runs/{id}/verification` answered; every verifier of a task must agree."""
    failures = [one["failure_code"] for one in said["verifiers"] if one["status"] != "PASS"]
    latches = [one["backend_data"]["confirmation_violation"] for one in said["verifiers"]]
    return Outcome(
        verdict=failures[0] if failures else "PASS",
        completion=said["completion"],
        under_policy=said["completion_under_policy"],
        latch=latches[0] if latches else None,
        shaping=said["shaping"],
    )
