"""Samples, their spread, and the goals they are held against. No browser and no Django here."""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Samples = list[float]


@dataclass(frozen=True)
class Spread:
    """In the unit of the measure. With fewer than 100 samples `p99` is the largest."""

    count: int
    min: float
    median: float
    p99: float


@dataclass(frozen=True)
class Goal:
    """What the specification asks of one figure: at most `limit`, or at least when `is_floor`."""

    words: str
    value: float
    limit: float
    is_floor: bool = False

    @property
    def is_reached(self) -> bool:
        return self.value >= self.limit if self.is_floor else self.value <= self.limit

    def __str__(self) -> str:
        sign = ">=" if self.is_floor else "<="
        verdict = "yes" if self.is_reached else "NO"
        return f"{self.words} {self.value:.4g} {sign} {self.limit:g}: {verdict}"


@dataclass(frozen=True)
class Measure:
    """One line of the table. `parts` say where the time of ours goes (medians)."""

    id: str
    name: str
    ours: Spread
    peer: Spread | None = None
    goals: Sequence[Goal] = ()
    parts: dict[str, float] = field(default_factory=dict)
    unit: str = "ms"
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours to the peer's, of the medians."""
        return self.ours.median / self.peer.median if self.peer else None


def spread_of(samples: Sequence[float]) -> Spread:
    ordered = sorted(samples)
    last_but_one_percent = ordered[math.ceil(len(ordered) * 0.99) - 1]
    return Spread(len(ordered), ordered[0], statistics.median(ordered), last_but_one_percent)


def timed_ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def alternate(
    ours: Callable[[int], float],
    peer: Callable[[int], float],
    *,
    rounds: int,
    warm_up: int = 5,
) -> tuple[Samples, Samples]:
    """Both by turns, A B A B, so that a noisy machine is noisy for both. Each call says what it
    took; it is given its round. The first `warm_up` rounds do not count."""
    mine: Samples = []
    theirs: Samples = []
    for number in range(warm_up + rounds):
        mine.append(ours(number))
        theirs.append(peer(number))
    return mine[warm_up:], theirs[warm_up:]


def medians(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of each named part over all rows."""
    names = rows[0] if rows else {}
    return {name: round(statistics.median(row[name] for row in rows), 2) for name in names}
