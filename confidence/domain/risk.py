"""Which controls cannot be taken back, by what they say. A guess for sites without a profile: it
may ask a person once too often, never once too little on purpose."""

import re
from collections.abc import Iterable

from confidence.domain.candidate import MatchCandidate
from confidence.domain.irreversible_words import WORDS


def _pattern(phrase: str) -> str:
    words = re.escape(phrase).replace("'", "['’]")
    return words.replace(r"\ \*", r"(?:\s+[\w'’]+)?").replace(r"\ ", r"\s+")


_ACTS = "|".join(_pattern(phrase) for phrases in WORDS.values() for phrase in phrases)
_WORDS = re.compile(rf"(?<!\w)(?:{_ACTS})(?!\w)", re.IGNORECASE)
_LONGEST = 60  # a control says what it does in a few words; a paragraph merely mentions it


def looks_irreversible(candidate: MatchCandidate) -> bool:
    """Judged by its name, its text, the words a button carries as its value, and those of the
    controls that Enter in it presses."""
    value = candidate.attributes.get("value", "")
    pressed = candidate.sets_off.words if candidate.sets_off else ()
    said = (candidate.name, candidate.text, value, *pressed)
    return any(len(words) <= _LONGEST and _WORDS.search(words) for words in said)


def any_irreversible(candidates: Iterable[MatchCandidate]) -> bool:
    return any(looks_irreversible(candidate) for candidate in candidates)


def is_unforeseeable(candidate: MatchCandidate) -> bool:
    """Enter in it does what only the page's scripts know: perhaps what cannot be taken back."""
    return candidate.sets_off is not None and not candidate.sets_off.is_known


def only_a_person_settles(candidates: Iterable[MatchCandidate]) -> bool:
    """Nothing is taught of such a call and no pick settles it; a pick is a hint at most."""
    return any(looks_irreversible(one) or is_unforeseeable(one) for one in candidates)
