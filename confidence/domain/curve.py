"""The score curve: three penalties, added up in whole hundredths so that floats cannot err."""

from dataclasses import dataclass

LATE_AFTER_MS = 1000
_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@dataclass(frozen=True)
class Penalty:
    """`label` is for the equation, `clause` for the rationale. Hundredths of the score."""

    hundredths: int
    label: str
    clause: str

    @property
    def amount(self) -> str:
        return f"-{self.hundredths / 100:.2f}"


def penalties(
    match_count: int, *, is_text_only: bool, appeared_after_ms: float
) -> tuple[Penalty, ...]:
    """Every penalty that applies. `match_count` is the number of visible matches."""
    if match_count < 1:
        return (Penalty(100, "no match", "no visible match"),)
    found = []
    if match_count > 1:
        matches = f"{count_in_words(match_count)} matches"
        visible = f"{count_in_words(match_count)} visible matches"
        found.append(Penalty(30 * (match_count - 1), matches, visible))
    if is_text_only:
        found.append(Penalty(15, "text only", "the selector is text only"))
    if appeared_after_ms > LATE_AFTER_MS:
        shown_ms = max(appeared_after_ms, LATE_AFTER_MS + 1)  # 1000.4 must not read as 1000
        late = f"it appeared late, after {shown_ms:.0f} ms"
        found.append(Penalty(10, "appeared late", late))
    return tuple(found)


def score_of(applied: tuple[Penalty, ...]) -> float:
    return _floored(applied) / 100


def equation_of(applied: tuple[Penalty, ...]) -> list[tuple[str, str]]:
    """The terms that add up to the score: ("1.00", "start"), ("-0.15", "text only")."""
    terms = [("1.00", "start"), *((penalty.amount, penalty.label) for penalty in applied)]
    lifted = _floored(applied) - _sum(applied)
    return [*terms, (f"+{lifted / 100:.2f}", "never below zero")] if lifted else terms


def _sum(applied: tuple[Penalty, ...]) -> int:
    return 100 - sum(penalty.hundredths for penalty in applied)


def _floored(applied: tuple[Penalty, ...]) -> int:
    return max(0, _sum(applied))


def count_in_words(count: int) -> str:
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)
