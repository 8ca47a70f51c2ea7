"""Untrusted text in a prompt: cleaned, cut, inside one JSON block that no text can end."""

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

INVISIBLE = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")  # letters and marks with no ink


def messages(system: str, data: Mapping[str, Any]) -> list[dict[str, str]]:
    """`system` speaks of the block between <data> and </data>."""
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": data_block(data)},
    ]


def data_block(data: Mapping[str, Any]) -> str:
    block = json.dumps(data, ensure_ascii=False)
    sealed = block.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<data>\n{sealed}\n</data>"


def cleaned(text: str, limit: int) -> str:
    """One line, cut, with nothing that a reader would not see: control, bidi, zero-width."""
    line = " ".join(text[: 4 * limit].split())
    shown = "".join(character for character in line if _is_seen(character))
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def _is_seen(character: str) -> bool:
    is_selector = unicodedata.name(character, "").startswith("VARIATION SELECTOR")
    return character.isprintable() and character not in INVISIBLE and not is_selector
