"""The soft score: what in a text speaks for the expensive agent (+) or the cheap one (-)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.words import Phrase, phrase
from routing.domain.rules import Rules
from routing.domain.text import shortened, skip_to_word

LOCAL_VERB, ESCALATE_VERB, PATH, CODE_FENCE, OPEN_QUESTION = -3, 4, -2, -2, 3
FENCE = "```"

_path = re.compile(
    r"""
    (?<!\S) [(\[{"'`]*+            # a word begins; it may be quoted
    (?! \w++:// | www\. )           # not an address in the web
    (?:
        (?: \.\.? | ~ )? / [\w.~-]  # ./x  ../x  ~/x  /x
      | (?= \S*? [^\W\d] )          # 9/15/2026 is a date
        [\w.@+~-]++ (?: / [\w.@+~-]++ ){2}
      | [\w.@+~-]++ / [\w@+~-] [\w.@+~-]*? \. [^\W\d_] \w{0,9}+ (?![\w/])
    )
    [\w./@+~-]*+                    # the rest of it
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Point:
    """One thing that counts, in its own words."""

    points: int
    said: Phrase


def score_of(text: str, lowered: str, rules: Rules) -> tuple[Point, ...]:
    """Every point of a cleaned text; their sum is its score."""
    return tuple(_points(text, lowered, rules))


def _points(text: str, lowered: str, rules: Rules) -> Iterator[Point]:
    if verb := rules.local_verbs.first_in(lowered):
        yield Point(LOCAL_VERB, phrase("easy work, “{word}”", word=verb))
    if verb := rules.escalate_verbs.first_in(lowered):
        yield Point(ESCALATE_VERB, phrase("hard work, “{word}”", word=verb))
    if path := _path.search(text):
        yield Point(PATH, phrase("a path, “{word}”", word=shortened(path[0])))
    if FENCE in text:
        yield Point(CODE_FENCE, phrase("a block of code"))
    if prefix := rules.open_question_prefixes.at(lowered, skip_to_word(lowered)):
        yield Point(OPEN_QUESTION, phrase("an open question, “{word}”", word=prefix))
