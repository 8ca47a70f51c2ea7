"""Every flag as the settings page shows it: its value, where that comes from, and who set it."""

import os
from dataclasses import dataclass
from typing import Any

from confidence import flags
from confidence.domain.gate import ALL_TIERS
from confidence.models import FlagOverride


@dataclass(frozen=True)
class FlagLine:
    name: str
    about: str
    value: Any
    default: Any
    is_from_environment: bool
    override: FlagOverride | None

    @property
    def kind(self) -> str:
        """The control it takes: `boolean`, `tiers`, `choice` or `number`."""
        if isinstance(self.default, bool):
            return "boolean"
        if isinstance(self.default, list):
            return "tiers"
        return "choice" if flags.DEFINITIONS[self.name].choices else "number"

    @property
    def choices(self) -> tuple[str, ...]:
        if self.kind == "choice":
            return flags.DEFINITIONS[self.name].choices
        return ALL_TIERS if self.kind == "tiers" else ("true", "false")

    @property
    def chosen(self) -> list[str]:
        """Which of the choices hold now."""
        return list(self.value) if self.kind == "tiers" else [str(self.value).lower()]


def flag_lines() -> list[FlagLine]:
    overrides = {one.name: one for one in FlagOverride.objects.select_related("set_by")}
    return [_line(name, overrides.get(name)) for name in flags.DEFINITIONS]


def _line(name: str, override: FlagOverride | None) -> FlagLine:
    default = flags.default_of(name)
    return FlagLine(
        name=name,
        about=flags.DEFINITIONS[name].about,
        value=override.value if override else default,
        default=default,
        is_from_environment=bool(os.environ.get(name, "").strip()),
        override=override,
    )


def sent_value(name: str, sent: list[str]) -> Any:
    """What the form of this flag sent: any number of tiers, or one value."""
    if isinstance(flags.DEFINITIONS[name].default, list):
        return sent
    return sent[-1] if sent else ""
