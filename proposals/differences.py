"""What sets candidates apart. Pure rules over their JSON, but for the words of a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from django.utils.translation import gettext_lazy

FIELDS = ("role", "name", "text", "context", "frame")
TIRING_CHARS = 20
LABELS = {
    "role": gettext_lazy("role"),
    "name": gettext_lazy("name"),
    "text": gettext_lazy("text"),
    "context": gettext_lazy("context"),
    "frame": gettext_lazy("frame"),
    "box": gettext_lazy("place on the page"),
}


@dataclass(frozen=True)
class Differences:
    """The fields, and the attributes by name, that are not the same in every candidate."""

    fields: frozenset[str] = frozenset()
    attributes: tuple[str, ...] = ()
    name_head: int = 0  # first characters of the names that are the same in all

    @property
    def words(self) -> list[str]:
        """For a sentence, the telling ones first: `context`, `href`, `place on the page`."""
        ordered = [field for field in (*FIELDS, "box") if field in self.fields]
        at = ordered.index("box") if "box" in ordered else len(ordered)
        attributes = [f"{name}=" if name in FIELDS else name for name in self.attributes]
        named = [*ordered[:at], *attributes, *ordered[at:]]
        return [str(LABELS.get(word, word)) for word in named]


def differences(candidates: Sequence[Mapping[str, Any]]) -> Differences:
    """Nothing differs among fewer than two."""
    if len(candidates) < 2:
        return Differences()
    fields = {field for field in (*FIELDS, "box") if _differs(candidates, field)}
    attributes = tuple(
        name
        for name in attribute_names(candidates)
        if len({_attributes(candidate).get(name) for candidate in candidates}) > 1
    )
    if attributes:
        fields.add("attributes")
    return Differences(frozenset(fields), attributes, shared_head(candidates, "name"))


def shared_head(candidates: Sequence[Mapping[str, Any]], field: str) -> int:
    """How many first characters of `field` are the same in all, if that is long enough to tire."""
    texts = [str(candidate.get(field) or "") for candidate in candidates]
    columns = zip(*texts, strict=False)
    head = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
    return head if head >= TIRING_CHARS else 0


def attribute_names(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    """In the order in which they first appear."""
    return list(dict.fromkeys(name for candidate in candidates for name in _attributes(candidate)))


def _attributes(candidate: Mapping[str, Any]) -> Mapping[str, Any]:
    return candidate.get("attributes") or {}


def _differs(candidates: Sequence[Mapping[str, Any]], field: str) -> bool:
    first, *others = (candidate.get(field) or "" for candidate in candidates)
    return any(other != first for other in others)
