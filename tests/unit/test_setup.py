"""The set-up on a bare machine: what it finds, keeps and says. Nothing is downloaded here."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from core.chromium import chromium_version, find_chromium

PROJECT = Path(__file__).resolve().parents[2]


def program(path: Path, body: str = "exit 0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty PATH and an empty home."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    monkeypatch.delenv("CHROMIUM_PATH", raising=False)
    return tmp_path


def test_no_chromium_is_said_as_none(bare: Path) -> None:
    assert find_chromium() is None


def test_chromium_on_path_is_found_by_its_first_name(bare: Path) -> None:
    program(bare / "bin" / "google-chrome")
    wanted = program(bare / "bin" / "chromium")
    assert find_chromium() == wanted


def test_playwrights_newest_build_goes_before_the_path(bare: Path) -> None:
    program(bare / "bin" / "chromium")
    program(bare / "browsers" / "chromium-999" / "chrome-linux" / "chrome")
    wanted = program(bare / "browsers" / "chromium-1200" / "chrome-linux64" / "chrome")
    assert find_chromium() == wanted


def test_chromium_path_decides_and_is_never_replaced_by_another(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bare / "bin" / "chromium")
    mine = program(bare / "mine")
    monkeypatch.setenv("CHROMIUM_PATH", str(mine))
    assert find_chromium() == mine
    mine.chmod(0o644)
    assert find_chromium() is None


def test_the_version_is_read_past_other_words(tmp_path: Path) -> None:
    loud = program(tmp_path / "a", "echo noise >&2; echo 'Chromium 140.0.1 built on Debian'")
    assert chromium_version(loud) == "Chromium 140.0.1"
    assert chromium_version(program(tmp_path / "b", "exit 3")) is None


def test_a_python_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "python3.13", "exit 1")
    good = program(tmp_path / "bin" / "python3.12", f'exec {sys.executable} "$@"')
    done = find_python(tmp_path)
    assert done.stdout.strip() == str(good)


def test_no_python_is_said_in_words_that_help(tmp_path: Path) -> None:
    done = find_python(tmp_path)
    assert done.returncode == 1
    assert "needs Python 3.11 to 3.14" in done.stderr
    assert "apt install python3" in done.stderr


def find_python(machine: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(PROJECT / "scripts" / "find_python.sh")],
        cwd=machine,
        env={"PATH": str(machine / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_package_is_pinned_and_says_why_it_is_here(name: str) -> None:
    lines = (PROJECT / name).read_text().splitlines()
    packages = [line for line in lines if not line.startswith(("#", "-r "))]
    assert len(packages) > 5
    for line in packages:
        assert re.fullmatch(r"[\w.\[\],-]+==[\w.]+  # .{10,}", line), line


def test_every_setting_is_listed_in_the_example() -> None:
    read = re.compile(r'env\.(?:text|integer|number|boolean|listing|secret_file)\(\s*"(\w+)"')
    names = {
        name
        for room in [*PROJECT.glob("*/*.py"), *PROJECT.glob("*/*/*.py")]
        if ".venv" not in room.parts
        for name in read.findall(room.read_text())
    }
    listed = set(re.findall(r"^# (\w+)=", (PROJECT / ".env.example").read_text(), re.MULTILINE))
    assert {"DATA_DIR", "PORT"} <= names
    assert names - listed == set()
