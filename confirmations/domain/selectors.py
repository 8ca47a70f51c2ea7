"""Which CSS a profile may hold: what every browser reads. A selector that a page cannot read finds
nothing and guards nothing, so it is refused when it is written."""

import re

from core.words import phrase

DEEPEST = 8
_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}[ \t\n]?|[^\n\r\f0-9a-fA-F])"
_NAME = rf"(?:--|-?(?:[A-Za-z_\u00a0-\U0010ffff]|{_ESCAPE}))(?:[\w\u00a0-\U0010ffff-]|{_ESCAPE})*"
_STRING = rf""""(?:[^"\\\n\r\f]|{_ESCAPE})*"|'(?:[^'\\\n\r\f]|{_ESCAPE})*'"""
_SPACE = r"[ \t\n]*"


def _token(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


_TYPE = _token(rf"\*|{_NAME}")
_ANCHOR = _token(rf"[#.]{_NAME}")
_ATTRIBUTE = _token(
    rf"\[{_SPACE}{_NAME}{_SPACE}(?:[~|^$*]?={_SPACE}(?:{_NAME}|{_STRING}){_SPACE}[iIsS]?{_SPACE})?\]"
)
_PSEUDO = _token(r":([A-Za-z-]+)(\(?)")
_COMBINATOR = _token(rf"{_SPACE}[>+~]{_SPACE}|[ \t\n]+(?![,)>+~]|\Z)")
_COMMA = _token(rf"{_SPACE},{_SPACE}")
_CLOSE = _token(rf"{_SPACE}\)")
_NO_LEAD = _token(_SPACE)
_RELATIVE_LEAD = _token(rf"{_SPACE}[>+~]?{_SPACE}")
_NTH = _token(rf"{_SPACE}(?:odd|even|[+-]?\d*n(?:{_SPACE}[+-]{_SPACE}\d+)?|[+-]?\d+){_SPACE}\)")
_PLAIN_PSEUDOS = frozenset(
    {"checked", "default", "disabled", "empty", "enabled", "indeterminate", "link", "optional"}
    | {"read-only", "read-write", "required", "root"}
    | {"first-child", "first-of-type", "last-child", "last-of-type", "only-child", "only-of-type"}
)
_NTH_PSEUDOS = frozenset({"nth-child", "nth-last-child", "nth-last-of-type", "nth-of-type"})
_UNION_PSEUDOS = frozenset({"has", "is", "not", "where"})


class BadSelector(ValueError):
    """No CSS, or CSS that does not say for sure what an element is."""


def checked_selector(text: str) -> str:
    """Without the space around it. Raises BadSelector."""
    selector = text.strip(" \t\n")
    reader = _Reader(selector)
    reader.read_union(depth=0)
    if reader.at < len(selector):
        raise reader.stuck()
    return selector


class _Reader:
    """A cursor over one selector."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.is_in_has = False

    def read_union(self, *, depth: int, lead: re.Pattern[str] = _NO_LEAD) -> None:
        """`lead` is how each branch may begin."""
        if depth > DEEPEST:
            raise BadSelector(phrase("Nested too deeply."))
        self._read_branch(depth=depth, lead=lead)
        while self._take(_COMMA):
            self._read_branch(depth=depth, lead=lead)

    def _read_branch(self, *, depth: int, lead: re.Pattern[str]) -> None:
        self._take(lead)
        self._read_compound(depth=depth)
        while self._take(_COMBINATOR):
            self._read_compound(depth=depth)

    def _read_compound(self, *, depth: int) -> None:
        """`button.remove[data-line]:enabled`: at least one part."""
        start = self.at
        self._take(_TYPE)
        while self._take(_ANCHOR) or self._take(_ATTRIBUTE) or self._read_pseudo(depth=depth):
            pass
        if self.at == start:
            raise self.stuck()

    def _read_pseudo(self, *, depth: int) -> bool:
        start = self.at
        found = self._take(_PSEUDO)
        if not found:
            return False
        name, has_arguments = found[1].lower(), bool(found[2])
        if has_arguments and name in _UNION_PSEUDOS:
            self._read_inner(name, depth=depth)
        elif has_arguments and name in _NTH_PSEUDOS:
            self._need(_NTH)
        elif has_arguments or name not in _PLAIN_PSEUDOS:
            self.at = start
            raise self.stuck()
        return True

    def _read_inner(self, name: str, *, depth: int) -> None:
        """What is in the parentheses; `:has()` in `:has()` no browser reads."""
        if name == "has" and self.is_in_has:
            raise self.stuck()
        before, self.is_in_has = self.is_in_has, self.is_in_has or name == "has"
        self.read_union(depth=depth + 1, lead=_RELATIVE_LEAD if name == "has" else _NO_LEAD)
        self._need(_CLOSE)
        self.is_in_has = before

    def _need(self, token: re.Pattern[str]) -> None:
        if not self._take(token):
            raise self.stuck()

    def _take(self, token: re.Pattern[str]) -> re.Match[str] | None:
        found = token.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def stuck(self) -> BadSelector:
        rest = self.text[self.at : self.at + 40]
        if not rest:
            return BadSelector(phrase("The selector ends too early."))
        return BadSelector(
            phrase("This is no CSS that a page is asked about, from “{rest}” on.", rest=rest)
        )
