"""Puts the latch machine under `manage.py conformance`."""

from collections.abc import Mapping
from typing import Any

from confirmations.domain import latch as latches
from confirmations.domain.elements import is_irreversible_in_a_shop
from confirmations.domain.latch import Latch
from confirmations.domain.task import Requirement, requirement_of
from core.conformance import Case, Rules, register

PRESSES = frozenset({"click", "tap"})


def register_all() -> None:
    register("latches", run_latches)


def run_latches(case: Case, rules: Rules) -> dict[str, Any]:
    task = case["task"]
    requirement = requirement_of(task, is_open_run=task.get("open_run", False))
    latch = Latch()
    per_step = []
    for step in case["steps"]:
        latch = _after(latch, requirement, step)
        per_step.append({"token": latch.as_dict()["token"], "violation": latch.violation})
    return {
        "required": requirement.is_on,
        "violation": latch.violation,
        "kind": latch.violation.kind if latch.violation else None,
        "failure_code": latch.failure_code,
        "confirmed_checkout_screens": latch.confirmed_checkout_screens,
        "token": latch.as_dict()["token"],
        "shaping": latch.shaping(requirement),
        "per_step": per_step,
    }


def _after(latch: Latch, requirement: Requirement, step: Mapping[str, Any]) -> Latch:
    where = {"screen_id": step["screen_id"], "step_id": step["step_id"]}
    if step["action"] == "needs_confirmation":
        return latches.ask(latch, **where)
    is_act = step["action"] in PRESSES and is_irreversible_in_a_shop(step.get("element_id", ""))
    if not (requirement.is_on and is_act):
        return latch
    if violation := latches.find_violation(latch, requirement, **where):
        return latches.break_seal(latch, violation, step_id=step["step_id"])
    return latches.accept(latch, requirement)
