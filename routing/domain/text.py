"""How the router reads text: cleaned, in tokens, and by whole words from lists."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

CHARACTERS_PER_TOKEN = 4
QUOTED_CHARS = 200
CURLY_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇", "'"))

LETTER = r"[^\W_]"  # or a digit
MARK = r"[\u0300-\u036f]"  # an accent that has no letter of its own to melt into
GLUE = r"[-‐‑'_]"  # between two letters it makes one word of them
WORD_STARTS = rf"(?<!{LETTER})(?<!{LETTER}{GLUE})"
WORD_ENDS = rf"(?!{LETTER}|{MARK})(?!{GLUE}{LETTER})"

_between = re.compile(r"[\W_]*+")
_waiting = ("?", "？", "؟")


def clean(text: str) -> str:
    """NFC, straight apostrophes, one space for every run of white space, trimmed."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(CURLY_APOSTROPHES)
    return " ".join(text.split())


def lower(text: str) -> str:
    """In lower case and of the same length, so that places in it are places in `text`."""
    return text.replace("İ", "I").lower()


def count_tokens(cleaned: str) -> int:
    return len(cleaned) // CHARACTERS_PER_TOKEN


def skip_to_word(text: str, start: int = 0) -> int:
    """The place of the first letter or digit from `start` on; the end where there is none."""
    found = _between.match(text, start)
    return found.end() if found else start


def without_ornaments(text: str) -> str:
    """Without what is neither letter nor digit at either end."""
    end = len(text)
    while end and not text[end - 1].isalnum():
        end -= 1
    while end and end < len(text) and unicodedata.category(text[end]).startswith("M"):
        end += 1
    return text[skip_to_word(text, 0) : end]


def is_empty(text: str) -> bool:
    """No letter and no digit in it: white space, emoji, punctuation."""
    return skip_to_word(text) == len(text)


def shortened(text: str) -> str:
    """As much of it as a sentence can quote."""
    return text if len(text) <= QUOTED_CHARS else f"{text[: QUOTED_CHARS - 1]}…"


def asks_a_question(message: str) -> bool:
    """Its last line that is not empty ends in a question mark."""
    return message.rstrip().endswith(_waiting)


@dataclass(frozen=True)
class WordList:
    """Words and phrases that are found whole, whatever their case. Lowered texts are looked in."""

    entries: tuple[str, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[str]) -> "WordList":
        return cls(tuple(lower(clean(entry)) for entry in entries))

    def first_in(self, lowered: str) -> str | None:
        found = self._anywhere.search(lowered)
        return found[0] if found else None

    def at(self, lowered: str, start: int = 0) -> str | None:
        """The longest entry that begins at this very place."""
        found = self._here.match(lowered, start)
        return found[0] if found else None

    def __contains__(self, entry: str) -> bool:
        return entry in self._known

    def __or__(self, other: "WordList") -> "WordList":
        return WordList(self.entries + other.entries)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.entries)

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        return re.compile(WORD_STARTS + self._alternatives + WORD_ENDS)

    @cached_property
    def _here(self) -> re.Pattern[str]:
        return re.compile(self._alternatives + WORD_ENDS)

    @property
    def _alternatives(self) -> str:
        return _one_of(sorted(self._known)) if self.entries else "(?!)"


def _one_of(entries: Sequence[str]) -> str:
    """A pattern for any of them, longest first. Each place of a text is read once, however many
    entries begin alike."""
    tails: dict[str, list[str]] = {}
    for entry in filter(None, entries):
        tails.setdefault(entry[0], []).append(entry[1:])
    branches = [re.escape(first) + _one_of(rest) for first, rest in tails.items()]
    if "" in entries:
        return f"(?:{'|'.join(branches)})?" if branches else ""
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
