"""Reads a file of router rules, YAML or JSON. What is wrong in it is told with its line and key."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from core import placed_yaml
from core.placed import Misplaced, Placed
from routing.domain.rules import BadRules, Rules

MAX_BYTES = 1024 * 1024
BLOCK = "rules"
DEFAULT = Path(__file__).with_name("default_rules.yaml")
EXTENDED = Path(__file__).with_name("extended_rules.yaml")


@cache
def default_rules() -> Rules:
    """What the vectors are worked with."""
    return read(DEFAULT, base=Rules())


@cache
def extended_rules() -> Rules:
    """What the product ships: the same, with more of what people say when they agree."""
    return read(EXTENDED, base=default_rules())


def read(path: Path, *, base: Rules) -> Rules:
    """`base` with every key of the file replaced. Raises BadRules."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        return parse(content.decode(), base=base)
    except OSError as error:
        raise BadRules(f"the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadRules("the file is not UTF-8 text") from error


def parse(text: str, *, base: Rules) -> Rules:
    """`base` with every key of the YAML text replaced. Raises BadRules."""
    try:
        block = _block(placed_yaml.read(text, largest=MAX_BYTES))
    except Misplaced as error:
        raise BadRules(error.problem, key=error.key, line=error.line) from error
    try:
        return base.changed({key: _plain(value) for key, value in block.items()})
    except BadRules as error:
        error.line = _line_of(error, block)
        raise


def _block(whole: Placed) -> Mapping[str, Placed]:
    if whole.content is None:
        return {}
    keys = _keys(whole)
    return _keys(keys[BLOCK]) if list(keys) == [BLOCK] else keys


def _keys(placed: Placed) -> Mapping[str, Placed]:
    if not isinstance(placed.content, Mapping):
        raise BadRules("a block of `key: value` lines is needed", line=placed.line)
    return placed.content


def _plain(placed: Placed) -> Any:
    """In a list an unquoted yes, no or on stays the word it is; 1:30 and 0o17 are numbers to YAML
    and mistakes to everybody else."""
    if isinstance(placed.content, tuple):
        return [entry.written or entry.content for entry in placed.content]
    is_itself = not isinstance(placed.content, int) or str(placed.content) == placed.written
    return placed.content if is_itself else placed.written


def _line_of(error: BadRules, block: Mapping[str, Placed]) -> int | None:
    blamed = block.get(error.key)
    if blamed and error.place is not None and isinstance(blamed.content, tuple):
        return blamed.content[error.place].line
    return blamed.line if blamed else None
