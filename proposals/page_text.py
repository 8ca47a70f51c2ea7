"""Text that others wrote, made safe to read: nothing invisible, nothing that turns the line."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

# Control, format (bidi and zero-width), private, unpaired and line or paragraph separators.
UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
# Letters and symbols that draw nothing.
UNSEEN_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
SPACES = frozenset(" \t\n\r\u00a0")


@dataclass(frozen=True)
class Piece:
    """A run of plain text, or one unseen character under its name."""

    text: str
    name: str = ""


def pieces(text: str) -> Iterator[Piece]:
    """The text in order, with white space as one space and every unseen character on its own."""
    plain = ""
    for character in one_line(text):
        if not is_unseen(character):
            plain += character
            continue
        if plain:
            yield Piece(plain)
        plain = ""
        yield Piece(f"⟦U+{ord(character):04X}⟧", unicodedata.name(character, "control character"))
    if plain:
        yield Piece(plain)


def visible(text: str) -> str:
    """The same as one plain string."""
    return "".join(piece.text for piece in pieces(text))


def visible_lines(text: str) -> str:
    """The same with its lines and their inner spaces as they are: every other unseen character is
    named. Nothing depends on where the text was cut."""
    return "".join(
        f"⟦U+{ord(letter):04X}⟧" if letter not in SPACES and is_unseen(letter) else letter
        for letter in text
    )


def is_unseen(character: str) -> bool:
    return character in UNSEEN_LETTERS or unicodedata.category(character) in UNSEEN_CATEGORIES


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, the last one an ellipsis when something was left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def one_line(text: str) -> str:
    """White space as single spaces. Unlike str.split() it leaves separators that draw nothing."""
    spaced = "".join(" " if character in SPACES else character for character in text)
    return " ".join(word for word in spaced.split(" ") if word)


@dataclass(frozen=True)
class Address:
    """A URL as a person should read it: the host stands out, query and fragment are left out."""

    scheme: str
    host: str
    path: str
    has_more: bool


def address(url: str) -> Address:
    """Never raises; what is no URL is all path."""
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return Address("", "", url, False)
    if not host:
        path = f"{parts.scheme}:{parts.path}" if parts.scheme else parts.path
        return Address("", "", path, bool(parts.query or parts.fragment))
    return Address(
        scheme=parts.scheme,
        host=f"{host}{port}",
        path=parts.path,
        has_more=bool(parts.query or parts.fragment),
    )
