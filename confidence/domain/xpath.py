"""Reads an XPath, as far as needed to tell whether a predicate names a structural anchor.

Mirrors CSS: a union or an `or` is structural only if every branch is; `not(...)`, `!=` and paths
that lead down from the target (`[.//*[@id="x"]]`, XPath's :has) do not name the target.
"""

import re

from confidence.domain.css import (
    MAX_DEPTH,
    STRUCTURAL_ATTRIBUTES,
    Unreadable,
    is_union_structural,
)

_TOKEN = re.compile(
    r"""\s+                                    # dropped
    | "[^"]*" | '[^']*'
    | \.\. | :: | // | [!<>]=
    | \w[\w.\-]* (?: : (?:\* | \w[\w.\-]*) )?  # a name, maybe with a prefix, or a number
    | .                                        # any other single letter
    """,
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = frozenset({"=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "div", "mod"})
_NODE_TYPES = frozenset({"node", "text", "comment", "processing-instruction"})
_NOT_DOWN = frozenset(
    {"self", "parent", "ancestor", "ancestor-or-self", "preceding", "preceding-sibling"}
)


def names_structure(selector: str) -> bool:
    """Raises Unreadable."""
    tokens = [token for token in _TOKEN.findall(selector) if not token.isspace()]
    reader = _XPath(tokens)
    structural = reader.read_expression(in_predicate=False)
    if reader.peek():
        raise Unreadable(f"unexpected {reader.peek()!r}")
    return structural


class _XPath:
    """A cursor over the tokens. Outside a predicate lies the path to the target itself."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def read_expression(self, *, in_predicate: bool) -> bool:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        branches = [self._read_and(in_predicate=in_predicate)]
        while self._take("or"):
            branches.append(self._read_and(in_predicate=in_predicate))
        self.depth -= 1
        return is_union_structural(branches)

    def _read_and(self, *, in_predicate: bool) -> bool:
        structural = self._read_comparison(in_predicate=in_predicate)
        while self._take("and"):
            structural = self._read_comparison(in_predicate=in_predicate) or structural
        return structural

    def _read_comparison(self, *, in_predicate: bool) -> bool:
        structural, differs = self._read_union(in_predicate=in_predicate), False
        while self.peek() in _OPERATORS:
            differs = self._next() == "!=" or differs
            structural = self._read_union(in_predicate=in_predicate) or structural
        return structural and not differs

    def _read_union(self, *, in_predicate: bool) -> bool:
        branches = [self._read_operand(in_predicate=in_predicate)]
        while self._take("|"):
            branches.append(self._read_operand(in_predicate=in_predicate))
        return is_union_structural(branches)

    def _read_operand(self, *, in_predicate: bool) -> bool:
        while self._take("-"):
            pass
        if self.peek()[:1] in {"'", '"'} or self.peek()[:1].isdigit():
            if self._next() in {"'", '"'}:
                raise Unreadable("a quote is never closed")
            return False
        if self._take("$"):
            self._next()
            return False
        if self.peek() == "(":
            return self._read_group(in_predicate=in_predicate)
        if self._is_call():
            return self._read_call(in_predicate=in_predicate)
        return self._read_path(in_predicate=in_predicate)

    def _read_group(self, *, in_predicate: bool) -> bool:
        """`(//button)[2]/span`: a path that starts from what the parenthesis holds."""
        self._expect("(")
        structural = self.read_expression(in_predicate=in_predicate)
        self._expect(")")
        structural = self._read_predicates() or structural
        if self.peek() in {"/", "//"}:
            structural = self._read_path(in_predicate=in_predicate) or structural
        return structural

    def _read_call(self, *, in_predicate: bool) -> bool:
        name = self._next()
        self._expect("(")
        structural = False
        while not self._take(")"):
            structural = self.read_expression(in_predicate=True) or structural
            if self.peek() != ")":
                self._expect(",")
        structural = self._read_predicates() or structural
        return structural and name != "not"

    def _read_path(self, *, in_predicate: bool) -> bool:
        """Steps joined by slashes. In a predicate only what is not below the target counts, and
        not what an absolute path finds elsewhere."""
        absolute = self.peek() in {"/", "//"}
        if absolute:
            self._next()
        names_target = not (absolute and in_predicate)
        structural = False
        while True:
            axis, name = self._read_step()
            if in_predicate and axis not in _NOT_DOWN and axis != "attribute":
                names_target = False
            found = self._read_predicates()
            if in_predicate and axis == "attribute":
                found = name.lower() in STRUCTURAL_ATTRIBUTES
            structural = structural or (found and names_target)
            if self.peek() == "//" and in_predicate:
                names_target = False
            if not (self._take("/") or self._take("//")):
                return structural

    def _read_step(self) -> tuple[str, str]:
        """One step as its axis and name: `.`, `..`, `@id`, `ancestor::form`, `button`, `text()`."""
        if self._take("."):
            return "self", "node"
        if self._take(".."):
            return "parent", "node"
        axis = "child"
        if self._take("@"):
            axis = "attribute"
        elif self.peek(1) == "::":
            axis = self._next()
            self._expect("::")
        name = self._next()
        if not (name == "*" or name[0].isalpha() or name[0] == "_"):
            raise Unreadable(f"unexpected {name!r}")
        if self._take("("):
            while not self._take(")"):
                self._next()
        return axis, name

    def _read_predicates(self) -> bool:
        structural = False
        while self._take("["):
            structural = self.read_expression(in_predicate=True) or structural
            self._expect("]")
        return structural

    def _is_call(self) -> bool:
        return self.peek(1) == "(" and self.peek()[0].isalpha() and self.peek() not in _NODE_TYPES

    def peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def _next(self) -> str:
        token = self.peek()
        if not token:
            raise Unreadable("ends too early")
        self.at += 1
        return token

    def _take(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def _expect(self, token: str) -> None:
        if not self._take(token):
            raise Unreadable(f"{token} is missing")
