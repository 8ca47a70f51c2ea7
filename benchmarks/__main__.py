"""`python -m benchmarks [names] [--rounds N]`: all of them, or those named, then one table."""

import argparse
import json
import subprocess
import sys
import time
from importlib import import_module

from benchmarks.report import path_of, table

NAMES = ["resolve", "click", "start", "live", "audit", "router", "demo"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="name", help=", ".join(NAMES))
    parser.add_argument("--rounds", help="more or fewer samples; each has a modest default")
    given, others = parser.parse_known_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}: use {', '.join(NAMES)}")
    words = [*(["--rounds", given.rounds] if given.rounds else []), *others]
    failed = [name for name in given.names if not measured(name, words)]
    print()
    print(table([one for name in given.names if name not in failed for one in kept(name)]))
    if failed:
        print(f"\nnot measured: {', '.join(failed)}")
    return 1 if failed else 0


def measured(name: str, words: list[str]) -> bool:
    """Each in a process of its own, so that none inherits another's threads and settings."""
    about = (import_module(f"benchmarks.{name}").__doc__ or "").split("\n")[0]
    print(f"{name}: {about}", flush=True)
    began = time.monotonic()
    command = [sys.executable, "-m", f"benchmarks.{name}", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took_s = time.monotonic() - began
    if done.returncode:
        print(f"   failed after {took_s:.0f} s: {(done.stderr or done.stdout)[-2000:]}")
        return False
    print(f"   {took_s:.0f} s", flush=True)
    return True


def kept(name: str) -> list[dict[str, object]]:
    measures: list[dict[str, object]] = json.loads(path_of(name).read_text())["measures"]
    return measures


if __name__ == "__main__":
    sys.exit(main())
