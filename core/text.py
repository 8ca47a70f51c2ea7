"""Text from pages and agents as every part of ours can keep it."""

from collections.abc import Mapping
from typing import Any

NUL = "\x00"
SHOWN = "\ufffd"  # the replacement character


def storable(text: str) -> str:
    """No NUL, which PostgreSQL refuses, and no half of a surrogate pair, which UTF-8 does."""
    return text.replace(NUL, SHOWN).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable_all(value: Any) -> Any:
    """The same for every text inside JSON data, keys included."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): storable_all(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable_all(part) for part in value]
    return value
