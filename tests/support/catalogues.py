"""The catalogues as the tests read them, and English that a page in another language still shows."""

import re
from collections.abc import Iterator
from pathlib import Path

import polib

from tests.support.stack import ROOT

LOCALE = Path(ROOT) / "locale"
HOLES = re.compile(r"%\(\w+\)s|\{\w+\}|<[^>]+>")
# Words that no Italian sentence of ours has.
ENGLISH = re.compile(
    r"\b(the|of|and|is|are|to|with|it|its|this|that|not|was|were|has|have|from|on|for|by|you|your"
    r"|who|which|when|they|than|what|an|be|been|will|there)\b",
    re.IGNORECASE,
)
LONG_ENOUGH = 10


def catalogues(kind: str = "po") -> list[Path]:
    return sorted(LOCALE.glob(f"*/LC_MESSAGES/*.{kind}"))


def entries_of(language: str) -> Iterator[polib.POEntry]:
    for path in sorted((LOCALE / language / "LC_MESSAGES").glob("*.po")):
        yield from polib.pofile(path)


def english_words(language: str) -> tuple[set[str], set[str]]:
    """Whole texts, and long pieces between what is filled in, that must not be on its pages."""
    entries = [entry for entry in entries_of(language) if entry.msgid != entry.msgstr]
    own = {entry.msgstr for entry in entries_of(language)}
    whole = {entry.msgid for entry in entries if not HOLES.search(entry.msgid)} - own
    pieces = {
        piece.strip(" .,:;")
        for entry in entries
        for text in (entry.msgid, entry.msgid_plural)
        for piece in HOLES.split(text)
    }
    return whole, {piece for piece in pieces if " " in piece and len(piece) >= LONG_ENOUGH}


def holes(text: str) -> list[str]:
    return sorted(re.findall(r"%\(\w+\)s|\{\w+\}", text))
