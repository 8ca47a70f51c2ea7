"""Plain data that knows where it was written, so that an error can name the line and the key.

Standard library only. `core/placed_yaml.py` makes it of a text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.words import phrase

Content = str | int | float | bool | None | tuple["Placed", ...] | Mapping[str, "Placed"]


class Misplaced(ValueError):
    """What was written cannot be meant: `line` counts from 1, `key` leads there, `problem` is a
    sentence."""

    def __init__(self, problem: str, *, line: int, key: str) -> None:
        place = (
            phrase("line {line}, {key}", line=line, key=key)
            if key
            else phrase("line {line}", line=line)
        )
        self.said = phrase("{place}: {problem}", place=place, problem=problem)
        super().__init__(self.said)
        self.problem, self.line, self.key = problem, line, key


@dataclass(frozen=True)
class Placed:
    """One value. `key` is its path: `elements[2].selector`, nothing for the whole. `written` is a
    single value letter by letter: yes and no are truths to YAML."""

    content: Content
    line: int
    key: str = ""
    written: str = ""

    def wrong(self, problem: str) -> Misplaced:
        return Misplaced(problem, line=self.line, key=self.key)

    def text(self, *, longest: int) -> str:
        """Raises Misplaced for another kind of value, nothing at all and what is too long."""
        if not isinstance(self.content, str):
            raise self.wrong(phrase("A text belongs here; put it in quotes."))
        if not self.content.strip():
            raise self.wrong(phrase("A text belongs here, and there is none."))
        if len(self.content) > longest:
            raise self.wrong(phrase("Longer than {longest} letters.", longest=longest))
        return self.content

    def items(self, *, most: int) -> tuple["Placed", ...]:
        """Raises Misplaced for what is no list, and for a longer one."""
        if not isinstance(self.content, tuple):
            raise self.wrong(phrase("A list belongs here."))
        if len(self.content) > most:
            raise self.wrong(phrase("More than {most} entries.", most=most))
        return self.content

    def fields(
        self, *, required: Iterable[str], optional: Iterable[str] = ()
    ) -> Mapping[str, "Placed"]:
        """By their keys. Raises Misplaced for an unknown key and for a missing one."""
        content = self.content
        if not isinstance(content, Mapping):
            raise self.wrong(phrase("Keys with values belong here."))
        required = tuple(required)
        known = (*required, *optional)
        for name, value in content.items():
            if name not in known:
                said = phrase("There is no such key. Known here: {keys}.", keys=", ".join(known))
                raise value.wrong(said)
        for name in required:
            if name not in content:
                raise Misplaced(phrase("This key is missing."), line=self.line, key=self._of(name))
        return content

    def _of(self, name: str) -> str:
        return f"{self.key}.{name}" if self.key else name
