"""The tools an agent may call and the parameters each takes. Unknown keys are refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from confidence.domain.gate import ToolKind, kind_of
from core.errors import Invalid
from runs.sealing import MASK

TARGET_NAMES = ("target", "ref", "selector")
MAX_TARGET = 4_000
BUTTONS = ("left", "right", "middle")
MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses keys it does not know, by name."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = sorted(str(key) for key in set(data) - set(self.fields))
            if unknown:
                raise serializers.ValidationError(
                    {key[:80]: ["Unknown key: it was not read."] for key in unknown[:20]}
                )
        return super().to_internal_value(data)


class TextField(serializers.CharField):
    """Text as it is: not trimmed, and without the NUL that no database keeps."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)


class Nothing(StrictSerializer):
    pass


class Navigate(StrictSerializer):
    url = serializers.CharField(max_length=8_000)


class Targeted(StrictSerializer):
    """`target` is a snapshot ref or a selector; it may also be sent as `ref` or `selector`."""

    target = TextField(max_length=MAX_TARGET)
    element = TextField(max_length=500, required=False, allow_blank=True)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            named = [name for name in TARGET_NAMES if name in data]
            if len(named) > 1:
                raise serializers.ValidationError(
                    {"target": ["Name the target once: target, ref or selector."]}
                )
            if named and named != ["target"]:
                data = {**data, "target": data[named[0]]}
                data.pop(named[0])
        return super().to_internal_value(data)


class Click(Targeted):
    doubleClick = serializers.BooleanField(required=False)
    button = serializers.ChoiceField(choices=BUTTONS, required=False)
    modifiers = serializers.ListField(
        child=serializers.ChoiceField(choices=MODIFIERS), max_length=5, required=False
    )


class Type(Targeted):
    text = TextField(max_length=100_000, allow_blank=True)
    submit = serializers.BooleanField(required=False)
    slowly = serializers.BooleanField(required=False)
    secret = serializers.BooleanField(required=False)


TOOLS: Mapping[str, type[StrictSerializer]] = {
    "browser_navigate": Navigate,
    "browser_click": Click,
    "browser_type": Type,
    "browser_extract_text": Targeted,
    "browser_take_screenshot": Nothing,
    "browser_snapshot": Nothing,
}


@dataclass(frozen=True)
class Call:
    """A checked tool call. `shown` may be stored and seen; `secrets` only sealed."""

    tool: str
    shown: Mapping[str, Any]
    secrets: Mapping[str, Any]

    @property
    def kind(self) -> ToolKind:
        return kind_of(self.tool, self.shown)

    @property
    def is_read(self) -> bool:
        return self.kind is ToolKind.READ


def read_call(tool: str, params: Any) -> Call:
    """Raises Invalid for an unknown tool and ValidationError for bad parameters."""
    if tool not in TOOLS:
        raise Invalid(f"There is no tool {tool[:80]!r}: use one of {', '.join(TOOLS)}.")
    if not isinstance(params, Mapping):
        raise serializers.ValidationError({"params": ["It must be an object."]})
    checked = TOOLS[tool](data=params)
    if not checked.is_valid():
        raise serializers.ValidationError({"params": checked.errors})
    values = dict(checked.validated_data)
    secrets = {"text": values["text"]} if "text" in values else {}
    return Call(tool, {**values, **dict.fromkeys(secrets, MASK)}, secrets)
