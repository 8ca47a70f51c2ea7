"""What changed between two texts, line by line."""

import difflib
from dataclasses import dataclass

AROUND = 3  # lines that stayed, before and after a change


@dataclass(frozen=True)
class DiffLine:
    """`kind` is `added`, `removed`, `same`, or `gap` where lines are left out."""

    kind: str
    text: str


_KINDS = {"+": "added", "-": "removed", " ": "same", "@": "gap"}


def diff_lines(before: str, after: str) -> list[DiffLine]:
    """Nothing where both are the same. The gap before the first change goes without saying."""
    told = list(
        difflib.unified_diff(before.splitlines(), after.splitlines(), n=AROUND, lineterm="")
    )
    lines = [DiffLine(_KINDS[line[0]], line[1:]) for line in told[2:]]
    return [line for at, line in enumerate(lines) if at or line.kind != "gap"]
