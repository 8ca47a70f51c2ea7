"""Finds a Chromium on this machine. Standard library only: the set-up asks before any install."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
MAC_APPS = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]
PLAYWRIGHT_PROGRAMS = [
    "chrome-linux/chrome",
    "chrome-linux64/chrome",
    "chrome-mac*/*.app/Contents/MacOS/*",
]


def find_chromium() -> Path | None:
    """CHROMIUM_PATH, else the one Playwright fetched, else one on PATH. A CHROMIUM_PATH that
    cannot be run gives None: another browser than the one asked for would be a surprise."""
    given = os.environ.get("CHROMIUM_PATH", "").strip()
    if given:
        return _program(given)
    return _fetched_by_playwright() or _on_path()


def chromium_version(program: Path) -> str | None:
    """What it says of itself ("Chromium 140.0.1"), or None if it does not start."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(?:Chromium|Google Chrome)\S* [\d.]+", done.stdout)
    return found.group() if found else done.stdout.strip() or None


def _program(path: str) -> Path | None:
    found = shutil.which(path)
    return Path(found) if found else None


def _fetched_by_playwright() -> Path | None:
    """The newest one in Playwright's folder; folders are named by revision, `chromium-1234`."""
    builds = sorted(_playwright_folder().glob("chromium-*"), key=_revision, reverse=True)
    for build in builds:
        for pattern in PLAYWRIGHT_PROGRAMS:
            for path in build.glob(pattern):
                if _program(str(path)):
                    return path
    return None


def _revision(build: Path) -> int:
    number = build.name.rpartition("-")[2]
    return int(number) if number.isdigit() else 0


def _playwright_folder() -> Path:
    given = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if given not in {"", "0"}:
        return Path(given)
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path.home() / caches / "ms-playwright"


def _on_path() -> Path | None:
    return next((found for name in [*NAMES, *MAC_APPS] if (found := _program(name))), None)
