"""The tools an agent may call and the parameters each takes. Unknown keys are refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from confidence.domain.gate import ToolKind, kind_of
from core.bodies import StrictSerializer, TextField
from core.errors import Invalid
from core.sealing import MASK
from core.text import storable
from runs.keys import is_key, writes

TARGET_NAMES = ("target", "ref", "selector")
MAX_TARGET = 4_000
MAX_TEXT = 100_000
BUTTONS = ("left", "right", "middle")
MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")
FIELD_TYPES = ("textbox", "checkbox", "radio", "combobox", "slider", "file")
TAB_ACTIONS = ("list", "new", "select", "close")
MAX_FIELDS = 60
LONGEST_WAIT_S = 20
MAX_SAID = 4_000


class FieldValue(serializers.Field[Any, Any, Any, Any]):
    """Text, true or false, or a list of texts; a number is taken as its text."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, bool):
            return data
        if isinstance(data, str):
            return _checked_text(data)
        if isinstance(data, int | float):
            return str(data)
        if isinstance(data, list) and data and all(isinstance(one, str) for one in data):
            return [_checked_text(one) for one in data[:100]]
        raise serializers.ValidationError("It must be text, true or false, or a list of texts.")

    def to_representation(self, value: Any) -> Any:
        return value


def _checked_text(text: str) -> str:
    if len(text) > MAX_TEXT or storable(text) != text:
        raise serializers.ValidationError(
            f"At most {MAX_TEXT} characters, without NUL and half characters."
        )
    return text


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
    text = TextField(max_length=MAX_TEXT, allow_blank=True)
    submit = serializers.BooleanField(required=False)
    slowly = serializers.BooleanField(required=False)
    secret = serializers.BooleanField(required=False)


class Select(Targeted):
    values = serializers.ListField(
        child=TextField(max_length=1_000, allow_blank=True), min_length=1, max_length=100
    )


class PressKey(StrictSerializer):
    """A key by Playwright's name, with modifiers before it: `Enter`, `a`, `Control+A`."""

    key = TextField(max_length=60)
    element = TextField(max_length=500, required=False, allow_blank=True)

    def validate_key(self, key: str) -> str:
        if not is_key(key):
            raise serializers.ValidationError(
                "There is no such key: write Enter, ArrowDown, a, Control+A and the like."
            )
        return key


class Coordinates(StrictSerializer):
    """A point of the viewport in CSS px."""

    x = serializers.FloatField(min_value=0, max_value=100_000)
    y = serializers.FloatField(min_value=0, max_value=100_000)
    element = TextField(max_length=500, required=False, allow_blank=True)


class Drag(StrictSerializer):
    startTarget = TextField(max_length=MAX_TARGET)
    startElement = TextField(max_length=500, required=False, allow_blank=True)
    endTarget = TextField(max_length=MAX_TARGET)
    endElement = TextField(max_length=500, required=False, allow_blank=True)


class Field(Targeted):
    """One field of a form. `value` is text, true or false, or a list of options or files."""

    name = TextField(max_length=200, required=False, allow_blank=True)
    type = serializers.ChoiceField(choices=FIELD_TYPES, required=False)
    value = FieldValue()
    secret = serializers.BooleanField(required=False)


class FillForm(StrictSerializer):
    fields = serializers.ListField(  # type: ignore[assignment]  # a parameter, not DRF's mapping
        child=Field(), min_length=1, max_length=MAX_FIELDS
    )
    submit = TextField(max_length=MAX_TARGET, required=False)


class Upload(Targeted):
    """Without a target the files go to the field whose chooser the last press opened."""

    target = TextField(max_length=MAX_TARGET, required=False)
    paths = serializers.ListField(child=TextField(max_length=1_000), min_length=1, max_length=20)


class AnswerDialog(StrictSerializer):
    accept = serializers.BooleanField()
    promptText = TextField(max_length=10_000, required=False, allow_blank=True)


class WaitFor(StrictSerializer):
    """Exactly one of the three; `time` in seconds."""

    time = serializers.FloatField(min_value=0, max_value=LONGEST_WAIT_S, required=False)
    text = TextField(max_length=1_000, required=False)
    textGone = TextField(max_length=1_000, required=False)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if len(values) != 1:
            raise serializers.ValidationError("Name one of time, text, textGone.")
        return values


class Find(StrictSerializer):
    text = TextField(max_length=500)


class Tabs(StrictSerializer):
    action = serializers.ChoiceField(choices=TAB_ACTIONS)
    index = serializers.IntegerField(min_value=0, max_value=1_000, required=False)
    url = serializers.CharField(max_length=8_000, required=False)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["action"] == "select" and "index" not in values:
            raise serializers.ValidationError({"index": ["Which tab? Count from 0."]})
        if "url" in values and values["action"] != "new":
            raise serializers.ValidationError({"url": ["Only a new tab opens an address."]})
        return values


class Saying(StrictSerializer):
    """Words of the agent to a person."""

    content = TextField(max_length=MAX_SAID)


class Finished(StrictSerializer):
    content = TextField(max_length=MAX_SAID, required=False, allow_blank=True)


TOOLS: Mapping[str, type[StrictSerializer]] = {
    "browser_navigate": Navigate,
    "browser_navigate_back": Nothing,
    "browser_click": Click,
    "browser_mouse_click_xy": Coordinates,
    "browser_hover": Targeted,
    "browser_drag": Drag,
    "browser_type": Type,
    "browser_press_key": PressKey,
    "browser_select_option": Select,
    "browser_fill_form": FillForm,
    "browser_file_upload": Upload,
    "browser_handle_dialog": AnswerDialog,
    "browser_tabs": Tabs,
    "browser_wait_for": WaitFor,
    "browser_find": Find,
    "browser_extract_text": Targeted,
    "browser_take_screenshot": Nothing,
    "browser_snapshot": Nothing,
    "needs_confirmation": Saying,
    "message_user": Saying,
    "finished": Finished,
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
    def is_free(self) -> bool:
        """It may come at any time, also while a person decides: nothing changes by it."""
        return self.kind is ToolKind.READ or self.tool == "message_user"


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
    secrets = _secrets_in(tool, values)
    return Call(tool, {**values, **_masked(secrets)}, secrets)


def _secrets_in(tool: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """What is typed may be a secret; the field it goes to tells, and that is known later."""
    match tool:
        case "browser_type" | "browser_fill_form":
            name = "text" if tool == "browser_type" else "fields"
            return {name: values[name]}
        case "browser_press_key" if writes(values["key"]):
            return {"key": values["key"]}
    return {}


def _masked(secrets: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: masked_fields(value) if name == "fields" else MASK for name, value in secrets.items()
    }


def masked_fields(fields: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**one, "value": MASK} for one in fields]
