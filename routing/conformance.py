"""Puts the router under `manage.py conformance`."""

from typing import Any

from core.conformance import Case, register
from core.conformance import Rules as GivenRules
from routing.domain.deciding import decide
from routing.domain.rules import Target
from routing.domain.turn import Message, Role, State, Turn
from routing.rules_file import default_rules


def register_all() -> None:
    register("routing", run_routing)


def run_routing(case: Case, given: GivenRules) -> dict[str, Any]:
    rules = default_rules().changed(given) if given else default_rules()
    told = decide(_turn_of(case), rules).as_dict()
    return {**told, **told["confirmation"]}


def _turn_of(case: Case) -> Turn:
    return Turn(
        prompt=case["prompt"],
        history=tuple(
            Message(Role(message["role"]), message["content"])
            for message in case.get("history", [])
        ),
        state=State(case.get("state") or ""),
        pin=_target_of(case, "pin"),
        override=_target_of(case, "override"),
        sticky=case.get("sticky", False),
    )


def _target_of(case: Case, name: str) -> Target | None:
    return Target(case[name]) if case.get(name) else None
