"""Reads what the model answered. Anything but a listed index or -1 is a bad answer."""

import re
from collections.abc import Container
from dataclasses import dataclass

from confidence.domain.confidence import NONE_CHOSEN
from core.chat.errors import BadAnswer
from core.chat.prompt import cleaned
from core.chat.reply import json_of

RATIONALE_CHARS = 200
FENCED = re.compile(r"\s*```(?:json)?\s*(.*?)\s*```\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Pick:
    """`chosen_index` -1 = the model cannot tell."""

    chosen_index: int
    rationale: str

    @property
    def is_undecided(self) -> bool:
        return self.chosen_index == NONE_CHOSEN


def pick_from(text: str, *, allowed: Container[int]) -> Pick:
    """Raises BadAnswer."""
    fenced = FENCED.fullmatch(text)
    data = json_of(fenced[1] if fenced else text)
    if not isinstance(data, dict):
        raise BadAnswer("it did not answer with a JSON object")
    index, rationale = data.get("chosen_index"), data.get("rationale")
    if type(index) is not int or not isinstance(rationale, str):  # True is an int to isinstance
        raise BadAnswer("its answer has a field that is missing or of the wrong type")
    if index != NONE_CHOSEN and index not in allowed:
        raise BadAnswer("it chose something that is not among the candidates")
    return Pick(index, cleaned(rationale, RATIONALE_CHARS))
