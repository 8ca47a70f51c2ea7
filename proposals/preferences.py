"""How somebody likes their desk: which key does what, and whether a new card may call them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.utils.translation import gettext_lazy

from agents.models import Person
from core.errors import Invalid
from core.words import phrase

NAME = "desk"
DEFAULT_KEYS = {
    "next": "j",
    "previous": "k",
    "undo": "u",
    "approve": "a",
    "modify": "m",
    "point": "p",
    "full": "v",
    "reject": "r",
    "filter": "f",
    "help": "?",
}
ACT_WORDS = {
    "next": gettext_lazy("next card"),
    "previous": gettext_lazy("the card before"),
    "undo": gettext_lazy("back to what is starred"),
    "approve": gettext_lazy("approve; with several targets, go to the one that lacks a pick"),
    "modify": gettext_lazy("approve your change; without one, name another element by a selector"),
    "point": gettext_lazy("pick a point of the picture"),
    "full": gettext_lazy("the whole page, or only what its window showed"),
    "reject": gettext_lazy("reject, with a reason"),
    "filter": gettext_lazy("filter the queue"),
    "help": gettext_lazy("this sheet"),
}
# The digits pick a candidate, and the slash always filters.
TAKEN = frozenset("123456789/")


@dataclass(frozen=True)
class Preferences:
    keys: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_KEYS))
    sound: bool = False
    notify: bool = False

    @property
    def acts(self) -> list[tuple[str, str, str]]:
        """Name, key and words of every act, in the order of the sheet."""
        return [(name, self.keys[name], str(ACT_WORDS[name])) for name in DEFAULT_KEYS]

    def as_json(self) -> dict[str, Any]:
        changed = {name: key for name, key in self.keys.items() if key != DEFAULT_KEYS[name]}
        return {**asdict(self), "keys": changed}


def preferences_of(person: Person) -> Preferences:
    """An act that came after somebody chose keys has its usual one."""
    kept = person.preferences.get(NAME, {})
    known = {name: key for name, key in kept.get("keys", {}).items() if name in DEFAULT_KEYS}
    return Preferences(
        keys={**DEFAULT_KEYS, **known},
        sound=bool(kept.get("sound")),
        notify=bool(kept.get("notify")),
    )


def checked_keys(asked: Mapping[str, str]) -> dict[str, str]:
    """A key for every act. Raises Invalid for what is no single visible key, or is given twice."""
    keys = {name: asked.get(name, default) for name, default in DEFAULT_KEYS.items()}
    for name, key in keys.items():
        if len(key) != 1 or not key.isprintable() or key.isspace():
            raise Invalid(phrase("{key} is not one visible key.", key=repr(key)), field=name)
        if key in TAKEN:
            raise Invalid(phrase("The key {key} has a meaning of its own.", key=key), field=name)
    for name, key in keys.items():
        others = [other for other, same in keys.items() if same == key and other != name]
        if others:
            words = str(ACT_WORDS[others[0]]).split(";")[0]
            said = phrase("The key {key} already means: {words}.", key=key, words=words)
            raise Invalid(said, field=name)
    return keys
