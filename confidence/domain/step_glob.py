"""Globs over steps, as of a path: a star is one step or a part of one, two stars one or several."""

import fnmatch
from collections.abc import Sequence

STAR, STARS = "*", "**"


def covers(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Whether everything that the one means, another glob or plain steps, the wide one means too.
    It may hold two stars once."""
    if STARS not in wide:
        pairs = zip(wide, narrow, strict=False)
        return len(wide) == len(narrow) and all(_covers_step(*pair) for pair in pairs)
    at = wide.index(STARS)
    after = len(wide) - at - 1
    middle_end = len(narrow) - after
    return (
        middle_end > at
        and covers(wide[:at], narrow[:at])
        and covers(wide[at + 1 :], narrow[middle_end:])
    )


def _covers_step(wide: str, narrow: str) -> bool:
    if wide == narrow:
        return True
    if narrow == STARS or not narrow:
        return False
    literal = wide.replace("[", "[[]").replace("?", "[?]")
    return wide == STAR or (STAR not in narrow and fnmatch.fnmatchcase(narrow, literal))
