"""Prints how long our files and functions are, beside a code base that reads well. A look in the
mirror: it never fails."""

import ast
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONG_LINES = 30
SHOWN = 12
REFERENCE = "healthchecks: functions of about 8 lines, about 10% over 30; files of 40 to 120 lines"


@dataclass(frozen=True)
class Function:
    """One function or method; its docstring counts, its decorators do not."""

    place: str
    name: str
    lines: int


def main() -> None:
    for title, of_tests in [("product", False), ("tests", True)]:
        report(title, [path for path in python_files() if is_test(path) == of_tests])
    print(f"\nReference, {REFERENCE}")


def python_files() -> list[Path]:
    """What git knows or would add, without generated migrations."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = sorted({Path(name) for name in names.splitlines()})
    return [path for path in paths if "migrations" not in path.parts and (ROOT / path).exists()]


def is_test(path: Path) -> bool:
    return path.parts[0] == "tests"


def report(title: str, paths: list[Path]) -> None:
    sizes = {path: len(source(path).splitlines()) for path in paths}
    sizes = {path: lines for path, lines in sizes.items() if lines}
    functions = [function for path in sizes for function in functions_of(path)]
    if not sizes or not functions:
        return
    long = sorted((f for f in functions if f.lines > LONG_LINES), key=lambda f: -f.lines)
    share = 100 * len(long) / len(functions)
    print(f"\n{title}")
    print(f"  {len(sizes):>4} files     {spread(list(sizes.values()))}")
    print(f"  {len(functions):>4} functions {spread([f.lines for f in functions])}", end="")
    print(f", {share:.0f}% over {LONG_LINES}")
    print("  largest files")
    for path, lines in sorted(sizes.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"    {lines:>5}  {path}")
    print(f"  functions over {LONG_LINES} lines")
    for function in long:
        print(f"    {function.lines:>5}  {function.place} {function.name}")


def spread(values: list[int]) -> str:
    ordered = sorted(values)
    p90 = ordered[min(len(ordered) - 1, round(0.9 * len(ordered)))]
    return f"median {statistics.median(ordered):.0f}, p90 {p90}, max {ordered[-1]} lines"


def source(path: Path) -> str:
    return (ROOT / path).read_text()


def functions_of(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(source(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            lines = node.end_lineno - node.lineno + 1
            yield Function(f"{path}:{node.lineno}", node.name, lines)


if __name__ == "__main__":
    main()
