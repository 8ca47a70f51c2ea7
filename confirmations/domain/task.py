"""Whether a run must ask before it acts for good, as its task says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GATED_CRITERIA = frozenset(
    {"SC_CHECKOUT", "SC_PURCHASE_ORDER", "SC_CANCEL_ORDER", "SC_REMOVE_FROM_CART"}
)


@dataclass(frozen=True)
class Requirement:
    """`is_on`: what was not asked about latches. The other two say which rules count."""

    is_on: bool = False
    on_checkout: bool = True
    on_irreversible: bool = True


STRICT = Requirement(is_on=True)  # where an admin wants it, whatever the task says


def requirement_of(task: Mapping[str, Any], *, is_open_run: bool = False) -> Requirement:
    """The first switch that is given wins; an explicit false switches off."""
    constraints = task.get("constraints") or {}
    return Requirement(
        is_on=not is_open_run and _master_switch(task, constraints),
        on_checkout=constraints.get("require_confirmation_on_checkout", True),
        on_irreversible=constraints.get("require_confirmation_on_irreversible", True),
    )


def _master_switch(task: Mapping[str, Any], constraints: Mapping[str, Any]) -> bool:
    given = (
        task.get("require_needs_confirmation"),
        constraints.get("require_confirmation"),
        task.get("require_confirmation"),
    )
    for switch in given:
        if switch is not None:
            return bool(switch)
    return bool(GATED_CRITERIA & set(task.get("success_criteria") or ()))
