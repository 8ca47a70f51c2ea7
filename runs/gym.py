"""The gym's form of an action: the same tools under other names."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from core.errors import Invalid

SAME = ("needs_confirmation", "message_user", "finished")
ACTIONS = ("click", "tap", "type", "wait", "start_app", *SAME)
WAIT_S = 1.0


def in_our_words(
    action: str, params: Mapping[str, Any], *, start_url: str
) -> tuple[str, dict[str, Any]]:
    """Tool and parameters. Raises Invalid for an action that the gym does not have."""
    given = dict(params)
    match action:
        case "click" | "tap" if "point_2d" in given:
            return "browser_mouse_click_xy", {**_point(given.pop("point_2d")), **given}
        case "click" | "tap":
            return "browser_click", given
        case "type":
            return "browser_type", given
        case "wait":
            return "browser_wait_for", given or {"time": WAIT_S}
        case "start_app" if not start_url:
            raise Invalid("This run has no start page: open one with start_url.")
        case "start_app" if given:
            raise Invalid("start_app takes no parameters: it opens the run's start page.")
        case "start_app":
            return "browser_navigate", {"url": start_url}
        case _ if action in SAME:
            return action, given
    raise Invalid(f"There is no action {action[:80]!r}: use one of {', '.join(ACTIONS)}.")


def _point(value: Any) -> dict[str, Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise serializers.ValidationError({"params": {"point_2d": ["It must be [x, y]."]}})
    return {"x": value[0], "y": value[1]}
