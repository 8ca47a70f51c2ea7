"""Reads a CSS selector, as far as needed to tell whether it names a structural anchor."""

STRUCTURAL_ATTRIBUTES = frozenset(
    {
        "id",
        "data-testid",
        "data-test-id",
        "data-test",
        "aria-label",
        "aria-labelledby",
        "role",
    }
)
MAX_DEPTH = 40

_SPACE = " \t\r\n\f"
_HEX = "0123456789abcdefABCDEF"
_SAME_ELEMENT = frozenset({"is", "where", "light"})  # what they hold is the target itself


class Unreadable(ValueError):
    """The selector is malformed, or nested beyond reason."""


def names_structure(selector: str) -> bool:
    """A union does only if every branch does. Raises Unreadable."""
    return is_union_structural(_Css(selector).read_union(depth=0))


def is_union_structural(branches: list[bool]) -> bool:
    return bool(branches) and all(branches)


class _Css:
    """A cursor over one selector."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def read_union(self, *, depth: int) -> list[bool]:
        """Is each branch structural? Ends behind the closing parenthesis, or at the end if none
        is open."""
        if depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")
        branches = [False]
        while self.at < len(self.text):
            if self.text[self.at] == ")" and depth:
                self.at += 1
                return branches
            if self._take(","):
                branches.append(False)
            elif self._read_simple(depth=depth):
                branches[-1] = True
        if depth:
            raise Unreadable("a parenthesis is never closed")
        return branches

    def _read_simple(self, *, depth: int) -> bool:
        """One simple selector, combinator or letter: does it name an anchor?"""
        if self._take("#"):
            return bool(self._read_name())
        if self._take("["):
            return self._read_attribute() in STRUCTURAL_ATTRIBUTES
        if self._take(":"):
            return self._read_pseudo(depth=depth)
        self._skip_one()
        return False

    def _read_attribute(self) -> str:
        """`[ns|name op "value" i]` behind its bracket: the name, in lower case."""
        self._skip_space()
        name = self._read_name()
        if not name:
            self._take("*")
        if self._peek() == "|" and self._peek(1) != "=":
            self.at += 1
            name = self._read_name()
        self._skip_to("]")
        return name.lower()

    def _read_pseudo(self, *, depth: int) -> bool:
        """`:name(...)` behind its colon. `:has()` and `:not()` speak of other elements."""
        self._take(":")
        name = self._read_name().lower()
        if not self._take("("):
            return False
        if name in _SAME_ELEMENT:
            return is_union_structural(self.read_union(depth=depth + 1))
        if name == "nth-match":  # its last argument is the number
            return is_union_structural(self.read_union(depth=depth + 1)[:-1])
        self._skip_parenthesis()
        return False

    def _read_name(self) -> str:
        letters = []
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == "\\":
                letters.append(self._read_escape())
            elif letter.isalnum() or letter in "-_" or letter >= "\x80":
                letters.append(letter)
                self.at += 1
            else:
                break
        return "".join(letters)

    def _read_escape(self) -> str:
        r"""`\#` is a plain #; `\23 ` is one too, by its code."""
        self.at += 1
        if self.at >= len(self.text):
            raise Unreadable("ends in a backslash")
        digits = ""
        while len(digits) < 6 and self._peek() and self._peek() in _HEX:
            digits += self.text[self.at]
            self.at += 1
        if not digits:
            self.at += 1
            return self.text[self.at - 1]
        if self._peek() and self._peek() in _SPACE:
            self.at += 1
        code = int(digits, 16)
        return chr(code) if 0 < code <= 0x10FFFF else "\ufffd"

    def _skip_one(self) -> None:
        """Past one letter, escape, string or comment."""
        letter = self.text[self.at]
        if letter == "\\":
            self._read_escape()
        elif letter in "\"'":
            self._skip_string(letter)
        elif self.text.startswith("/*", self.at):
            end = self.text.find("*/", self.at + 2)
            self.at = len(self.text) if end < 0 else end + 2
        else:
            self.at += 1

    def _skip_string(self, quote: str) -> None:
        self.at += 1
        while self.at < len(self.text):
            letter = self.text[self.at]
            self.at += 2 if letter == "\\" else 1
            if letter == quote:
                return
        raise Unreadable("a quote is never closed")

    def _skip_to(self, end: str) -> None:
        while self.at < len(self.text):
            if self._take(end):
                return
            self._skip_one()
        raise Unreadable(f"{end} is missing")

    def _skip_parenthesis(self) -> None:
        still_open = 1
        while still_open:
            if self.at >= len(self.text):
                raise Unreadable("a parenthesis is never closed")
            if self._take("("):
                still_open += 1
            elif self._take(")"):
                still_open -= 1
            else:
                self._skip_one()

    def _skip_space(self) -> None:
        while self._peek() and self._peek() in _SPACE:
            self.at += 1

    def _peek(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.text[place] if place < len(self.text) else ""

    def _take(self, letter: str) -> bool:
        if self._peek() != letter:
            return False
        self.at += 1
        return True
