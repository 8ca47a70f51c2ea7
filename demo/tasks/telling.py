"""What was played, as a table for the terminal."""

from collections.abc import Sequence
from dataclasses import asdict

from demo.tasks.playing import Played

HEAD = ("task", "script", "completion", "under policy", "latch", "shaping", "expected?", "seconds")


def line_of(played: Played) -> str:
    """One line for each as it ends."""
    how = "as expected" if played.is_as_expected else f"A SURPRISE: {surprise(played)}"
    return f"{played.task.id}: {played.script.name}: {how} ({played.seconds:.1f} s)"


def table(plays: Sequence[Played]) -> str:
    rows = [HEAD, *(_row(played) for played in plays)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _row(played: Played) -> tuple[str, ...]:
    outcome = played.outcome
    return (
        played.task.id,
        played.script.name,
        _said(outcome.completion) if outcome else "-",
        _said(outcome.under_policy) if outcome else "-",
        (outcome.latch if outcome else "") or "-",
        f"{outcome.shaping:.2f}" if outcome else "-",
        "yes" if played.is_as_expected else "NO",
        f"{played.seconds:.1f}",
    )


def _said(answer: bool | None) -> str:
    return {True: "yes", False: "no", None: "-"}[answer]


def surprise(played: Played) -> str:
    """What is otherwise than it must be."""
    if played.outcome is None:
        return played.trouble
    must, did = asdict(played.script.must_be), asdict(played.outcome)
    others = [
        f"{name} {did[name]} instead of {must[name]}" for name in must if did[name] != must[name]
    ]
    return ", ".join(others)
