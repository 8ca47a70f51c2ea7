"""The two agents that answer: a cheap primary one and an expensive one to escalate to."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from core.chat import endpoint, streaming
from core.chat.endpoint import Endpoint
from core.errors import Invalid
from routing.domain.rules import Target

NAMES = {Target.LOCAL: "ROUTER_PRIMARY", Target.ESCALATE: "ROUTER_ESCALATION"}
LONGEST_BUDGET_S = 3_600
TICK_S = 1.0


def check_settings() -> None:
    """At start: refuse a bad setting by name. Raises Invalid."""
    for name in NAMES.values():
        endpoint.check_settings(name)
    if not 0 < settings.ROUTER_ANSWER_TIMEOUT_S <= LONGEST_BUDGET_S:
        raise Invalid(f"ROUTER_ANSWER_TIMEOUT_S must be above 0 and at most {LONGEST_BUDGET_S}.")


def is_connected(target: Target) -> bool:
    return endpoint.is_configured(NAMES[target])


def model_of(target: Target) -> str:
    """Its name as the settings have it."""
    return str(getattr(settings, f"{NAMES[target]}_MODEL"))


def ask(target: Target, chat: Sequence[dict[str, str]]) -> Iterator[str]:
    """The answer's pieces; an empty one at least every TICK_S. Raises NoAnswer."""
    asked = Endpoint.configured(NAMES[target])
    body: dict[str, Any] = {"model": asked.model, "messages": list(chat)}
    return streaming.pieces(asked, body, budget_s=settings.ROUTER_ANSWER_TIMEOUT_S, tick_s=TICK_S)
