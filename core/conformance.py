"""Runs vectors files (worked cases with right answers) through the product's own rules.

Each room registers a runner for its kinds; this file knows how to compare, not what is right.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Case = Mapping[str, Any]
Rules = Mapping[str, Any] | None
Runner = Callable[[Case, Rules], Mapping[str, Any]]

MISSING = "(missing)"


class BadVectors(Exception):
    """The file cannot be run at all; the message says why."""


@dataclass(frozen=True)
class Kind:
    """`answers` are the keys of a flat case that hold what is expected, beside its inputs.
    A case with an `expect` object needs none."""

    runner: Runner
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """`path` leads to the value: `per_step[0].token`."""

    path: str
    expected: Any
    actual: Any


@dataclass(frozen=True)
class Mismatch:
    """`case` is the 0-based place in the file. `error` is set if the rules raised."""

    case: int
    name: str
    differences: tuple[Difference, ...] = ()
    error: str = ""

    def as_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {"case": self.case}
        if self.name:
            told["name"] = self.name
        if self.error:
            return {**told, "error": self.error}
        return {**told, "differences": [vars(difference) for difference in self.differences]}


@dataclass(frozen=True)
class Report:
    """What one file came to."""

    kind: str
    case_count: int
    mismatches: tuple[Mismatch, ...]


_kinds: dict[str, Kind] = {}


def register(kind: str, runner: Runner, *, answers: Sequence[str] = ()) -> None:
    """Make `runner(case, rules)` answer for the vectors files of this kind.

    `rules` is the file's own `rules` object, or None: the runner then takes the defaults.
    """
    _kinds[kind] = Kind(runner=runner, answers=tuple(answers))


def run_file(path: Path) -> Report:
    """Run every case of one file. Raises BadVectors."""
    vectors = _read(path)
    kind = _kinds.get(vectors["kind"])
    if kind is None:
        known = ", ".join(sorted(_kinds)) or "none"
        raise BadVectors(f"unknown kind {vectors['kind']!r}; known kinds: {known}")
    cases, rules = vectors["cases"], vectors.get("rules")
    results = (_run_case(kind, i, case, rules) for i, case in enumerate(cases))
    return Report(
        kind=vectors["kind"],
        case_count=len(cases),
        mismatches=tuple(mismatch for mismatch in results if mismatch),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        vectors = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadVectors(f"cannot be read: {problem.strerror}") from problem
    except (ValueError, RecursionError) as problem:
        raise BadVectors(f"is not JSON: {problem}") from problem
    if not isinstance(vectors, dict) or not isinstance(vectors.get("kind"), str):
        raise BadVectors("is not a vectors file: it needs a `kind` and `cases`")
    cases = vectors.get("cases")
    if not isinstance(cases, list) or not cases or not all(isinstance(c, dict) for c in cases):
        raise BadVectors("has no `cases`: a list of objects is needed")
    return vectors


def _run_case(kind: Kind, place: int, case: Case, rules: Rules) -> Mismatch | None:
    name = str(case.get("name", ""))
    expected = case.get("expect") or {key: case[key] for key in kind.answers if key in case}
    if not expected:
        return Mismatch(case=place, name=name, error="the case expects nothing")
    try:
        actual = kind.runner(case, rules)
    except Exception as problem:  # the edge of the rules: one broken case must not hide the others
        return Mismatch(case=place, name=name, error=f"{type(problem).__name__}: {problem}")
    differences = tuple(differences_between(expected, actual))
    return Mismatch(case=place, name=name, differences=differences) if differences else None


def differences_between(expected: Any, actual: Any, path: str = "") -> Iterator[Difference]:
    """Where `actual` departs from `expected`. Keys that `expected` does not name are free."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key, value in expected.items():
            found = actual.get(key, MISSING)
            yield from differences_between(value, found, f"{path}.{key}" if path else key)
    elif _is_list(expected) and _is_list(actual) and len(expected) == len(actual):
        for place, (value, found) in enumerate(zip(expected, actual, strict=True)):
            yield from differences_between(value, found, f"{path}[{place}]")
    elif not _same(expected, actual):
        yield Difference(path=path, expected=expected, actual=actual)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _same(expected: Any, actual: Any) -> bool:
    """JSON's equality: true is not 1, a tuple is a list, and sums of floats may err a little."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, float) and isinstance(actual, int | float):
        return math.isclose(expected, actual, rel_tol=0, abs_tol=1e-9)
    return bool(expected == actual)
