"""Reads YAML as plain data with places: no tags, no anchors, nothing built, nothing run."""

from typing import Any

import yaml

from core.placed import Content, Misplaced, Placed
from core.words import phrase

DEEPEST = 12
LONGEST_KEY = 60
_TEXT, _NOTHING = "tag:yaml.org,2002:str", "tag:yaml.org,2002:null"
_OTHERS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float"))


class _Loader(yaml.SafeLoader):
    """Composes nodes. An alias may stand for a thousand others, so none is taken."""

    deep = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()
        line = event.start_mark.line + 1
        if event.anchor is not None:
            raise _wrong(phrase("Anchors and aliases are not read here."), line=line)
        if getattr(event, "tag", None) is not None:
            raise _wrong(phrase("Tags are not read here."), line=line)
        if self.deep >= DEEPEST:
            raise _wrong(phrase("Nested too deeply."), line=line)
        self.deep += 1
        node = super().compose_node(parent, index)
        self.deep -= 1
        return node


def read(text: str, *, largest: int) -> Placed:
    """The one document of `text`. Raises Misplaced for what is no YAML, and beyond `largest`
    bytes."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > largest:
        said = phrase("The text has {size} bytes; {most} are the most.", size=size, most=largest)
        raise _wrong(said, line=1)
    try:
        node = _Loader(text).get_single_node()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _wrong(phrase("There is a letter that YAML does not know."), line=line) from None
    except yaml.MarkedYAMLError as error:
        raise _no_yaml(error) from None
    return _placed(node, key="") if node else Placed(None, line=1)


def _no_yaml(error: yaml.MarkedYAMLError) -> Misplaced:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    problem = error.problem or error.context or ""
    return _wrong(phrase("This is no YAML: {problem}.", problem=problem), line=line)


def _wrong(problem: str, *, line: int) -> Misplaced:
    """Where there is no key to name."""
    return Misplaced(problem, line=line, key="")


def _placed(node: yaml.Node, *, key: str) -> Placed:
    return _placed_at(node, line=node.start_mark.line + 1, key=key)


def _placed_at(node: yaml.Node, *, line: int, key: str) -> Placed:
    written = str(node.value) if isinstance(node, yaml.ScalarNode) else ""
    return Placed(_content(node, key), line=line, key=key, written=written)


def _content(node: yaml.Node, key: str) -> Content:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, key)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_placed(one, key=f"{key}[{at}]") for at, one in enumerate(node.value))
    if node.tag == _NOTHING:
        return None
    return _other(node) if node.tag in _OTHERS else str(node.value)


def _other(node: yaml.Node) -> Content:
    """A number or a truth; what only looks like one is a text."""
    try:
        made: Content = _Loader("").construct_object(node)
    except (ValueError, OverflowError):
        return str(node.value)
    return made


def _mapping(node: yaml.MappingNode, key: str) -> dict[str, Placed]:
    fields: dict[str, Placed] = {}
    for name_node, value_node in node.value:
        name, line = name_node.value, name_node.start_mark.line + 1
        if not isinstance(name, str) or len(name) > LONGEST_KEY:
            raise Misplaced(phrase("A key is a short text."), line=line, key=key)
        path = f"{key}.{name}" if key else name
        if name in fields:
            raise Misplaced(phrase("This key is written twice."), line=line, key=path)
        fields[name] = _placed_at(value_node, line=line, key=path)
    return fields
