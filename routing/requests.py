"""What somebody sends to have a prompt routed, read strictly."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from core.bodies import StrictSerializer, TextField
from routing import rules as rules_in_force
from routing.domain.rules import BadRules, Rules, Target
from routing.domain.turn import Message, Role, State, Turn

MAX_TEXT = 1_000_000
MAX_MESSAGES = 2_000
TARGETS = [target.value for target in Target]


class MessageBody(StrictSerializer):
    role = serializers.ChoiceField(choices=[role.value for role in Role])
    content = TextField(max_length=MAX_TEXT, allow_blank=True)


class RouteBody(StrictSerializer):
    """`history` is oldest first. `pin` holds for the conversation, `override` for this turn.
    Each of the `rules` replaces that rule of those in force."""

    prompt = TextField(max_length=MAX_TEXT, allow_blank=True)
    history = serializers.ListField(
        child=MessageBody(), max_length=MAX_MESSAGES, required=False, default=list
    )
    state = serializers.ChoiceField(
        choices=[state.value for state in State if state],
        required=False,
        allow_blank=True,
        allow_null=True,
    )
    pin = serializers.ChoiceField(choices=TARGETS, required=False, allow_null=True)
    override = serializers.ChoiceField(choices=TARGETS, required=False, allow_null=True)
    sticky = serializers.BooleanField(required=False, default=False)
    rules = serializers.DictField(required=False, allow_null=True)


@dataclass(frozen=True)
class RouteRequest:
    turn: Turn
    rules: Rules


def read(data: Any) -> RouteRequest:
    """Raises ValidationError, which names every field that does not fit."""
    body = RouteBody(data=data)
    body.is_valid(raise_exception=True)
    given = body.validated_data
    return RouteRequest(_turn_of(given), _rules_of(given.get("rules") or {}))


def _turn_of(given: Mapping[str, Any]) -> Turn:
    return Turn(
        prompt=given["prompt"],
        history=tuple(Message(Role(one["role"]), one["content"]) for one in given["history"]),
        state=State(given.get("state") or ""),
        pin=_target_of(given.get("pin")),
        override=_target_of(given.get("override")),
        sticky=given["sticky"],
    )


def _target_of(given: str | None) -> Target | None:
    return Target(given) if given else None


def _rules_of(given: Mapping[str, Any]) -> Rules:
    rules = rules_in_force.current()
    try:
        return rules.changed(given) if given else rules
    except BadRules as error:
        raise serializers.ValidationError({"rules": [str(error)]}) from error
