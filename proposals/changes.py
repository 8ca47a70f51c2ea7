"""What a reviewer may write differently, and what was changed: the agent's beside theirs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext

from proposals.call_words import listed

MASKED = "•••"  # stands where a secret is not kept
LONGEST_EDIT = 20_000  # letters; what is longer is no work for a small field


class Kind(StrEnum):
    TEXT = "text"
    SECRET = "secret"
    SWITCH = "switch"


@dataclass(frozen=True)
class Writable:
    """A value of the call that a reviewer may replace; `field_name` is its name in the form."""

    field_name: str
    label: str
    value: str
    kind: Kind

    @property
    def is_secret(self) -> bool:
        return self.kind is Kind.SECRET

    def is_changed_by(self, given: str) -> bool:
        """A secret is never shown, so nothing given means that it stays."""
        return bool(given) if self.is_secret else one_newline(given) != one_newline(self.value)

    def read(self, given: str) -> str | bool:
        return given == "yes" if self.kind is Kind.SWITCH else one_newline(given)


@dataclass(frozen=True)
class Change:
    """One line of a diff."""

    name: str
    before: str
    after: str
    is_selector: bool = False

    @property
    def is_secret(self) -> bool:
        return self.after == MASKED and not self.is_selector


def one_newline(text: str) -> str:
    """A browser's form sends every line end as two letters."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


# --- before a decision ------------------------------------------------------------------
def writable_text(tool: str, params: Mapping[str, Any]) -> Writable | None:
    """What is typed."""
    text = params.get("text")
    return _writable("text", gettext("text"), text) if tool == "browser_type" else None


def writable_values(tool: str, params: Mapping[str, Any]) -> dict[int, Writable]:
    """A form's values by their field; lists and files are left to the agent."""
    given = params.get("fields") or [] if tool == "browser_fill_form" else []
    found = {
        index: _writable(value_name(index), _label(one), one.get("value"))
        for index, one in enumerate(given)
        if one.get("type") != "file"
    }
    return {index: writable for index, writable in found.items() if writable}


def value_name(index: int) -> str:
    return f"value-{index}"


def _writable(field_name: str, label: str, value: object) -> Writable | None:
    if isinstance(value, bool):
        return Writable(field_name, label, "yes" if value else "no", Kind.SWITCH)
    if not isinstance(value, str) or len(value) > LONGEST_EDIT:
        return None
    kind = Kind.SECRET if value == MASKED else Kind.TEXT
    return Writable(field_name, label, "" if kind is Kind.SECRET else value, kind)


def _label(given: Mapping[str, Any]) -> str:
    return str(given.get("name") or given.get("target") or gettext("field"))


# --- after it ---------------------------------------------------------------------------
def changes_of(
    params: Mapping[str, Any], modifications: Mapping[str, Any], *, named: str
) -> list[Change]:
    """The diff of a decision. `named` is how the agent named the target that is shown."""
    return [
        *_of_element(modifications, named),
        *_of_text(params, modifications),
        *_of_values(params, modifications.get("fields") or []),
    ]


def _of_element(modifications: Mapping[str, Any], named: str) -> Iterator[Change]:
    if modifications.get("selector"):
        yield Change(gettext("element"), named, str(modifications["selector"]), is_selector=True)
    elif modifications.get("preview"):
        picked = gettext("picked on the picture")
        yield Change(gettext("element"), named, picked, is_selector=True)


def _of_text(params: Mapping[str, Any], modifications: Mapping[str, Any]) -> Iterator[Change]:
    if "text" in modifications:
        yield Change(gettext("text"), str(params.get("text") or ""), str(modifications["text"]))


def _of_values(params: Mapping[str, Any], changed: Sequence[Mapping[str, Any]]) -> Iterator[Change]:
    given = params.get("fields") or []
    for one in changed:
        if "value" in one and one["index"] < len(given):
            before = given[one["index"]]
            yield Change(_label(before), listed(before.get("value")), listed(one["value"]))
