"""Our own sentences, said in English by rules that know no page. Standard library only."""


class Phrase(str):
    """The English text, which remembers what it was made of: a page says it in another language.

    `pattern` is as the catalogues hold it, with its values by name in braces."""

    pattern: str
    values: dict[str, object]


def phrase(pattern: str, /, **values: object) -> Phrase:
    """`makemessages` collects the pattern. A value that is a phrase itself is said anew with it."""
    said = Phrase(pattern.format(**values) if values else pattern)
    said.pattern, said.values = pattern, values
    return said
