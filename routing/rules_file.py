"""Reads a file of router rules, YAML or JSON. What is wrong in it is told with its line and key."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from routing.domain.rules import BadRules, Rules

MAX_BYTES = 1024 * 1024
BLOCK = "rules"
DEFAULT = Path(__file__).with_name("default_rules.yaml")


@cache
def default_rules() -> Rules:
    return read(DEFAULT, base=Rules())


def read(path: Path, *, base: Rules) -> Rules:
    """`base` with every key of the file replaced. Raises BadRules."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadRules(f"the file cannot be read: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise BadRules(f"the file is larger than {MAX_BYTES} bytes")
    return parse(content, base=base)


def parse(content: str | bytes, *, base: Rules) -> Rules:
    """`base` with every key of the YAML text replaced. Raises BadRules."""
    block = _block(_compose(content))
    try:
        return base.changed({key.value: _plain(value) for key, value in block})
    except BadRules as error:
        error.line = _line_of(error, block)
        raise


# The nodes are read rather than the values that YAML makes of them: they know their lines, and an
# unquoted yes, no or on stays the word it is.
Block = list[tuple[yaml.ScalarNode, yaml.Node]]


def _compose(content: str | bytes) -> yaml.Node | None:
    try:
        return yaml.compose(content, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = f"this is not YAML: {error.problem or error.context}"
        raise BadRules(problem, line=mark.line + 1 if mark else None) from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise BadRules("this is not YAML: it holds what is no text") from error
    except RecursionError as error:
        raise BadRules("this is too deeply nested") from error


def _block(node: yaml.Node | None) -> Block:
    if node is None:
        return []
    keys = _keys(node)
    if len(keys) == 1 and keys[0][0].value == BLOCK:
        return _keys(keys[0][1])
    return keys


def _keys(node: yaml.Node) -> Block:
    if not isinstance(node, yaml.MappingNode):
        raise BadRules("a block of `key: value` lines is needed", line=_line(node))
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise BadRules("a key must be a word", line=_line(key))
        if key.value in seen:
            raise BadRules("the key is there twice", key=key.value, line=_line(key))
        seen.add(key.value)
    return node.value


def _plain(node: yaml.Node) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_word(entry) for entry in node.value]
    if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:int":
        return _whole_number(node.value)
    return node.value if isinstance(node, yaml.ScalarNode) else None


def _word(node: yaml.Node) -> str | None:
    return node.value if isinstance(node, yaml.ScalarNode) else None


def _whole_number(written: str) -> int | str:
    """Decimal only: 1:30 and 0o17 are numbers to YAML and mistakes to everybody else."""
    try:
        return int(written)
    except ValueError:
        return written


def _line_of(error: BadRules, block: Block) -> int | None:
    return next(_lines(error, block), None)


def _lines(error: BadRules, block: Block) -> Iterator[int]:
    for key, value in block:
        if key.value == error.key:
            is_entry = error.place is not None and isinstance(value, yaml.SequenceNode)
            yield _line(value.value[error.place] if is_entry else key)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
