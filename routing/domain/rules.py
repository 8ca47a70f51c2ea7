"""The router's rules as one frozen value, read from a plain mapping. A given list replaces the
list before it; nothing is merged."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from routing.domain.text import WordList, is_empty

MAX_ENTRIES = 1000
MAX_ENTRY_LENGTH = 100
MAX_NUMBER = 10_000_000
NO_WORDS = WordList()


class Target(StrEnum):
    """Which agent answers: the cheap primary one, or the expensive one."""

    LOCAL = "local"
    ESCALATE = "escalate"


class BadRules(Exception):
    """A rule cannot be what was given. `place` is the 0-based entry of a list, `line` that of the
    file it was read from."""

    def __init__(
        self, problem: str, *, key: str = "", place: int | None = None, line: int | None = None
    ) -> None:
        self.problem, self.key, self.place, self.line = problem, key, place, line
        super().__init__(problem)

    def __str__(self) -> str:
        where = self.key if self.place is None else f"{self.key}[{self.place}]"
        parts = [f"line {self.line}" if self.line else "", where, self.problem]
        return ": ".join(part for part in parts if part)


@dataclass(frozen=True)
class Rules:
    """Tokens are counted by `count_tokens`; 0 switches `local_below_tokens` off."""

    escalate_above_tokens: int = 2000
    local_below_tokens: int = 30
    escalate_threshold: int = 6
    local_threshold: int = -4
    classifier_fallback: Target = Target.LOCAL
    escalate_keywords: WordList = NO_WORDS
    local_verbs: WordList = NO_WORDS
    escalate_verbs: WordList = NO_WORDS
    open_question_prefixes: WordList = NO_WORDS
    confirmation_phrases: WordList = NO_WORDS
    confirmation_exclamations: WordList = NO_WORDS
    confirmation_connectors: WordList = NO_WORDS
    confirmation_fillers: WordList = NO_WORDS
    confirmation_adversatives: WordList = NO_WORDS
    confirmation_new_scope_markers: WordList = NO_WORDS
    confirmation_retractions: WordList = NO_WORDS
    confirmation_bare_retractions: WordList = NO_WORDS

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "Rules":
        """Rules that hold what is given and nothing more. Raises BadRules."""
        return cls().changed(given)

    def changed(self, given: Mapping[str, Any]) -> "Rules":
        """These rules with every given key replaced. Raises BadRules."""
        values = {key: _value(key, value) for key, value in given.items()}
        rules = replace(self, **values)
        _check_order(rules, given)
        return rules

    def as_dict(self) -> dict[str, Any]:
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    @cached_property
    def confirmation_openings(self) -> WordList:
        """What a confirmation may go on with: another phrase, or a connector."""
        return self.confirmation_beginnings | self.confirmation_connectors

    @cached_property
    def confirmation_beginnings(self) -> WordList:
        """What a confirmation may begin with."""
        return self.confirmation_phrases | self.confirmation_exclamations

    @cached_property
    def retraction_openings(self) -> WordList:
        """What may stand before the words that take a confirmation back."""
        return self.confirmation_adversatives | self.confirmation_connectors

    @cached_property
    def bare_retraction_parts(self) -> WordList:
        """What a text may hold that is nothing but a bare retraction: "no, no", "stop, please"."""
        return self.confirmation_bare_retractions | self.confirmation_connectors


_kinds = {field.name: field.type for field in fields(Rules)}


def _value(key: str, value: Any) -> Any:
    if key not in _kinds:
        raise BadRules("there is no such rule", key=str(key))
    if _kinds[key] is int:
        return _number(key, value)
    if _kinds[key] is Target:
        return _target(key, value)
    return _word_list(key, value)


def _number(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadRules("a whole number is needed", key=key)
    if key.endswith("_tokens") and value < 0:
        raise BadRules("a number of tokens is never below 0", key=key)
    if abs(value) > MAX_NUMBER:
        raise BadRules("the number is too large", key=key)
    return value


def _target(key: str, value: Any) -> Target:
    try:
        return Target(value)
    except ValueError:
        raise BadRules("either local or escalate is needed", key=key) from None


def _word_list(key: str, value: Any) -> WordList:
    if not isinstance(value, list | tuple):
        raise BadRules("a list of words is needed", key=key)
    if len(value) > MAX_ENTRIES:
        raise BadRules(f"more than {MAX_ENTRIES} entries", key=key)
    for place, entry in enumerate(value):
        if problem := _problem_of(entry):
            raise BadRules(problem, key=key, place=place)
    return WordList.of(value)


def _problem_of(entry: Any) -> str:
    if not isinstance(entry, str):
        return "a word or phrase is needed"
    if is_empty(entry):
        return "it holds no letter and no digit, so no text could match it"
    return f"longer than {MAX_ENTRY_LENGTH} characters" if len(entry) > MAX_ENTRY_LENGTH else ""


def _check_order(rules: Rules, given: Mapping[str, Any]) -> None:
    """Blames the key that was given."""
    if rules.local_threshold >= rules.escalate_threshold:
        key = "local_threshold" if "local_threshold" in given else "escalate_threshold"
        raise BadRules("local_threshold must be below escalate_threshold", key=key)
    if rules.local_below_tokens > rules.escalate_above_tokens:
        key = "local_below_tokens" if "local_below_tokens" in given else "escalate_above_tokens"
        raise BadRules("local_below_tokens must not be above escalate_above_tokens", key=key)


def _plain(value: Any) -> Any:
    if isinstance(value, WordList):
        return list(value.entries)
    return value.value if isinstance(value, Target) else value
