"""Sees to a Chromium: keeps the one that is there, else fetches one, else says what to install."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.chromium import chromium_version, find_chromium

FETCH_LIMIT_S = 300


def main() -> None:
    if find_chromium() or os.environ.get("BROWSER_CDP_ENDPOINT"):
        return
    if given := os.environ.get("CHROMIUM_PATH"):
        sys.exit(f"setup: CHROMIUM_PATH={given} is no program that can be run.")
    say("no Chromium found; fetching one")
    found = fetch_with_playwright() or install_with_apt()
    if found is None:
        sys.exit("setup: no Chromium: install one (apt install chromium) or set CHROMIUM_PATH.")
    if chromium_version(found) is None:
        sys.exit(
            f"setup: {found} lacks system libraries: "
            "sudo .venv/bin/python -m playwright install-deps chromium"
        )
    say(f"Chromium is {found}")


def fetch_with_playwright() -> Path | None:
    """Its own build, for this user alone; as root with the system libraries that it needs."""
    playwright = [sys.executable, "-m", "playwright"]
    if not runs([*playwright, "install", "--no-shell", "chromium"]):
        return None
    if os.geteuid() == 0:
        runs([*playwright, "install-deps", "chromium"])
    return find_chromium()


def install_with_apt() -> Path | None:
    """On Ubuntu the package may be a mere pointer to a snap; then it is not found afterwards."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    say("installing the distribution's chromium")
    runs(["apt-get", "update"])
    runs(["apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-liberation"])
    return find_chromium()


def runs(command: list[str]) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(
            command,
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=FETCH_LIMIT_S,
            env=environment,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def say(line: str) -> None:
    print(f"setup: {line}", flush=True)


if __name__ == "__main__":
    main()
