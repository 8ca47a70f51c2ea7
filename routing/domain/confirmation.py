"""Is this prompt a confirmation, what does it add in its own words, and does it take it back?"""

from dataclasses import dataclass

from routing.domain.rules import Rules
from routing.domain.text import WordList, clean, is_empty, lower, skip_to_word, without_ornaments


@dataclass(frozen=True)
class Detection:
    """`phrases` open the prompt, `scope` is what it says beyond them ("" for a pure yes), and
    `retraction` are the words that take it back: then it confirms nothing."""

    phrases: tuple[str, ...] = ()
    scope: str = ""
    retraction: str = ""

    @property
    def is_confirmation(self) -> bool:
        return bool(self.phrases) and not self.retraction

    @property
    def retracted(self) -> bool:
        return bool(self.retraction)

    @property
    def is_pure(self) -> bool:
        return self.is_confirmation and not self.scope

    def as_dict(self) -> dict[str, object]:
        return {
            "is_confirmation": self.is_confirmation,
            "phrases": list(self.phrases),
            "scope": self.scope,
            "retracted": self.retracted,
        }


NOT_A_CONFIRMATION = Detection()


def detect(text: str, rules: Rules) -> Detection:
    cleaned = clean(text)
    lowered = lower(cleaned)
    phrases, end = _phrases(lowered, rules)
    if not phrases:
        return NOT_A_CONFIRMATION
    if retraction := _retraction(lowered, end, rules):
        return Detection(phrases=phrases, retraction=retraction)
    start = _skip(lowered, end, rules.confirmation_fillers)
    return Detection(phrases=phrases, scope=without_ornaments(cleaned[start:]))


def _phrases(lowered: str, rules: Rules) -> tuple[tuple[str, ...], int]:
    """The phrases that open the text, and where the words after them and their connectors begin."""
    found = []
    place = skip_to_word(lowered)
    part = _counting(rules.confirmation_beginnings.at(lowered, place), lowered, place, rules)
    while part:
        if part in rules.confirmation_beginnings:
            found.append(part)
        place = skip_to_word(lowered, place + len(part))
        part = _counting(rules.confirmation_openings.at(lowered, place), lowered, place, rules)
    return tuple(found), place


def _counting(part: str | None, lowered: str, place: int, rules: Rules) -> str | None:
    """An exclamation confirms only where it stands alone: not in "correct the tests"."""
    if part is None or part in rules.confirmation_phrases or part in rules.confirmation_connectors:
        return part
    end = place + len(part)
    following = skip_to_word(lowered, end)
    stands_alone = following >= len(lowered) or not lowered[end:following].isspace()
    return part if stands_alone or rules.confirmation_openings.at(lowered, following) else None


def _retraction(lowered: str, start: int, rules: Rules) -> str:
    place = _skip(lowered, start, rules.retraction_openings)
    opened = rules.confirmation_retractions.at(lowered, place)
    if opened:
        return opened
    bare = rules.confirmation_bare_retractions.at(lowered, place)
    if bare and is_empty(lowered[_skip(lowered, place, rules.bare_retraction_parts) :]):
        return bare
    return ""


def _skip(lowered: str, start: int, words: WordList) -> int:
    place = start
    while part := words.at(lowered, place):
        place = skip_to_word(lowered, place + len(part))
    return place
