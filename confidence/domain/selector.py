"""Reads a target: a snapshot ref, or a selector as Playwright splits it into a chain of engines."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from confidence.domain import css, xpath
from confidence.domain.css import Unreadable

_REF = re.compile(r"(?:f[0-9]+)?e[0-9]+")
_ENGINE = re.compile(r"([A-Za-z0-9_+:*-]+)\s*=(.*)", re.DOTALL)
_OPEN_TEXT = re.compile(r"\s*text\s*=.([^\r\n]*)")
_OWN_ENGINE = "stash"  # what the resolver appends to a target; no agent may name it
_NTH = re.compile(r"-?[0-9]+")
_XPATH_START = re.compile(r"\(*//|\.\.")

_STRUCTURAL_ENGINES = frozenset(
    {
        "id",
        "data-testid",
        "data-test-id",
        "data-test",
        "role",
        "aria-ref",
        "internal:role",
        "internal:testid",
        "internal:label",
    }
)
_CSS_ENGINES = frozenset({"css", "internal:attr"})
_NARROWING_ENGINES = frozenset({"internal:and", "internal:chain"})
_UNION_ENGINE = "internal:or"


@dataclass(frozen=True)
class Part:
    """One link of a chain. A captured one (`*css=`) is the target; what follows it only says what
    the target holds, as `:has()` does."""

    engine: str
    body: str
    captured: bool


def is_ref(target: str) -> bool:
    """A snapshot ref: `e12`, or `f2e5` in a frame."""
    return _REF.fullmatch(target.strip()) is not None


def is_text_only(selector: str) -> bool:
    """Whether nothing in the selector anchors its target to the page's structure: no id, test id,
    ARIA label or role. Never raises: what cannot be read anchors nothing."""
    if is_ref(selector):
        return False
    try:
        return not _names_structure(selector, depth=0)
    except (Unreadable, RecursionError):
        return True


def _names_structure(selector: str, *, depth: int) -> bool:
    """Any part that narrows the chain is enough; a union needs an anchor on both sides."""
    if depth > css.MAX_DEPTH:
        raise Unreadable("nested too deeply")
    structural = False
    for part in split_chain(selector):
        if part.engine == _UNION_ENGINE:
            structural = structural and _is_inner_structural(part.body, depth=depth)
        else:
            structural = _is_part_structural(part, depth=depth) or structural
        if part.captured:
            break
    return structural


def _is_part_structural(part: Part, *, depth: int) -> bool:
    if part.engine in _STRUCTURAL_ENGINES:
        return True
    if part.engine in _CSS_ENGINES:
        return css.names_structure(part.body)
    if part.engine == "xpath":
        return xpath.names_structure(part.body)
    if part.engine in _NARROWING_ENGINES:
        return _is_inner_structural(part.body, depth=depth)
    return False


def _is_inner_structural(body: str, *, depth: int) -> bool:
    """The selector that Playwright's locator methods tuck into a part, as a JSON string."""
    try:
        inner = json.loads(body)
    except ValueError:
        raise Unreadable("the inner selector is not JSON") from None
    if not isinstance(inner, str):
        raise Unreadable("the inner selector is not text")
    return _names_structure(inner, depth=depth + 1)


def problem_of(selector: str) -> str:
    """What Playwright would silently take for something else than was meant; "" for nothing."""
    if not selector.strip():
        return "The target is empty: name an element."
    for part in split_chain(selector):
        if problem := _problem_of_part(part):
            return problem
    return ""


def _problem_of_part(part: Part) -> str:
    body = part.body.strip()
    if part.engine.startswith(_OWN_ENGINE):
        return f"There is no engine named {part.engine!r}."
    if not body:
        return f"A part of it is empty: write what to look for behind {part.engine + '='!r}."
    if part.engine == "nth" and not _NTH.fullmatch(body):
        return f"nth takes a whole number, not {body[:40]!r}."
    quoted = part.engine == "text" and len(body) > 1 and body[0] in "\"'"  # one alone is a letter
    if quoted and body.removesuffix("i").rstrip()[-1:] != body[0]:
        return f"The text {body[:40]!r} opens a quote that does not end."
    return ""


def is_closed(selector: str) -> bool:
    """Whether `>> more` can be appended. To `text="`, which looks for the letter itself, it would
    be more text; behind a captured part it would only say what the target holds."""
    *_, last = parts = list(split_chain(selector))
    ends_in_quote = last.engine == "text" and last.body.strip() in {'"', "'"}
    return not ends_in_quote and not any(part.captured for part in parts)


def split_chain(selector: str) -> Iterator[Part]:
    """The parts between `>>`. As in Playwright only quotes protect a `>>`, and an apostrophe in an
    unquoted `text=it's` is none."""
    start = at = 0
    quote = ""
    apostrophes = _apostrophes(selector, start)
    while at < len(selector):
        letter = selector[at]
        if letter == "\\":
            at += 2
            continue
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'`" and at not in apostrophes:
            quote = letter
        elif selector.startswith(">>", at):
            yield _part(selector[start:at])
            start = at = at + 2
            apostrophes = _apostrophes(selector, start)
            continue
        at += 1
    yield _part(selector[start:])


def _apostrophes(selector: str, start: int) -> range:
    """Where quotes are mere letters: in `text=...` on its line, behind the first letter."""
    open_text = _OPEN_TEXT.match(selector, start)
    return range(*open_text.span(1)) if open_text else range(0)


def _part(text: str) -> Part:
    text = text.strip()
    named = _ENGINE.fullmatch(text)
    if named:
        engine, body = named.groups()
    elif len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        engine, body = "text", text
    elif _XPATH_START.match(text):
        engine, body = "xpath", text
    else:
        engine, body = "css", text
    return Part(
        engine=engine.removeprefix("*").removesuffix(":light"),
        body=body,
        captured=engine.startswith("*"),
    )
