"""Our own sentences, said in English by rules that know no page. Standard library only."""

from collections.abc import Mapping
from typing import Any


class Phrase(str):
    """The English text, which remembers what it was made of: a page says it in another language.

    `pattern` is as the catalogues hold it, with its values by name in braces."""

    pattern: str
    values: dict[str, object]


def phrase(pattern: str, /, **values: object) -> Phrase:
    """`makemessages` collects the pattern. A value that is a phrase itself is said anew with it."""
    said = Phrase(pattern.format(**values) if values else pattern)
    said.pattern, said.values = pattern, values
    return said


def kept(said: str) -> dict[str, Any]:
    """As JSON that `phrase_of` makes the same phrase of, however long it lay in between."""
    if not isinstance(said, Phrase):
        return {"pattern": "{text}", "values": {"text": said}}
    return {"pattern": said.pattern, "values": {k: _kept(v) for k, v in said.values.items()}}


def phrase_of(words: Mapping[str, Any]) -> Phrase:
    """Of what `kept` made."""
    values = {
        name: phrase_of(value) if isinstance(value, dict) else value
        for name, value in words["values"].items()
    }
    return phrase(words["pattern"], **values)


def _kept(value: object) -> object:
    if isinstance(value, Phrase):
        return kept(value)
    return value if isinstance(value, int | float) else str(value)
