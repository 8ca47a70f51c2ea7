"""The ground both engines stand on: their account, their folders, their lock, their traces."""

import fcntl
import logging
import os
import pwd
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil

ACCOUNT = "pointsman-db"
LOG_TAIL_LINES = 6
STRAYS_LIMIT_S = 5

logger = logging.getLogger(__name__)


class EngineError(RuntimeError):
    """An embedded engine cannot be started or stopped; the message says why and what to do."""


@contextmanager
def engine_lock(data_dir: Path) -> Iterator[None]:
    """One starter or stopper at a time, over processes. The kernel drops it with its holder."""
    try:
        data_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
        lock = (data_dir / "engines.lock").open("a")
    except PermissionError as error:
        raise EngineError(
            f"{data_dir} belongs to another user: run as that user or set DATA_DIR."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def wheel_folder(package: str) -> Path:
    """The folder of an installed wheel, found without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EngineError(f"The package {package} is not installed: run `make setup`.")
    return Path(spec.submodule_search_locations[0])


def engine_uid(folder: Path) -> int:
    """Who runs the engine that lives in `folder`: ourselves, or, as PostgreSQL refuses root, the
    folder's owner, else an account made for it."""
    if os.geteuid() != 0:
        return os.geteuid()
    if folder.exists() and folder.stat().st_uid != 0:
        return folder.stat().st_uid
    try:
        return pwd.getpwnam(ACCOUNT).pw_uid
    except KeyError:
        return _make_account()


def _make_account() -> int:
    command = ["useradd", "--system", "--user-group", "--no-create-home"]
    try:
        subprocess.run(
            [*command, "--shell", "/usr/sbin/nologin", ACCOUNT], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise EngineError(
            "PostgreSQL refuses to run as root and no account could be made for it: "
            "run as another user, or set DATABASE_URL and REDIS_URL."
        ) from error
    return pwd.getpwnam(ACCOUNT).pw_uid


def as_engine(uid: int) -> dict[str, Any]:
    """Arguments of subprocess.run that start a program as the engine's account."""
    if uid == os.geteuid():
        return {}
    return {"user": uid, "group": _group_of(uid), "extra_groups": []}


def _group_of(uid: int) -> int:
    """The account's group; an owner unknown to this machine keeps its number."""
    try:
        return pwd.getpwuid(uid).pw_gid
    except KeyError:
        return uid


def private_folder(folder: Path, uid: int) -> None:
    """Make `folder`, for the engine's account alone. A folder of somebody else is refused: names
    under /tmp can be taken by anybody."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        os.chown(folder, uid, _group_of(uid))
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {uid, os.geteuid()}:
        raise EngineError(f"{folder} is in the way: it is not a folder of ours. Move it away.")
    if found.st_uid != uid:
        os.chown(folder, uid, _group_of(uid))
    folder.chmod(0o700)


def open_the_way(uid: int, *paths: Path) -> None:
    """As root, let the engine's account pass through the folders above `paths`."""
    if uid == os.geteuid():
        return
    above = {parent for path in paths for parent in path.resolve().parents}
    closed = sorted(folder for folder in above if not _can_pass(uid, folder))
    for folder in closed:
        folder.chmod(folder.stat().st_mode | stat.S_IXOTH)
    if closed:
        names = ", ".join(map(str, closed))
        logger.warning("PostgreSQL runs as another account, which may now pass through %s", names)


def _can_pass(uid: int, folder: Path) -> bool:
    found = folder.stat()
    return found.st_uid == uid or bool(found.st_mode & stat.S_IXOTH)


def open_the_programs(uid: int, program: Path, *folders: Path) -> None:
    """As root under a strict umask pip leaves programs that the engine's account cannot run:
    give others what the owner has, in the folders that hold the program and its libraries."""
    open_to_all = stat.S_IROTH | stat.S_IXOTH
    if uid == os.geteuid() or program.stat().st_mode & open_to_all == open_to_all:
        return
    for folder in folders:
        for path in [folder, *folder.rglob("*")]:
            mode = path.stat().st_mode
            path.chmod(mode | (mode & 0o500) >> 6)


def process_in(folder: Path, pid_file: Path) -> psutil.Process | None:
    """The live process that `pid_file` names, if it really works in `folder`: a number left over
    from a crash may belong to a stranger by now."""
    try:
        process = psutil.Process(int(pid_file.read_text().split()[0]))
    except (OSError, ValueError, IndexError, psutil.Error):
        return None
    return process if _works_in(process, folder) else None


def end_strays(folder: Path) -> None:
    """Wait for the processes that a killed server left working in `folder`, then kill the rest:
    a new server beside them would spoil its files."""
    strays = [process for process in psutil.process_iter() if _works_in(process, folder)]
    _, stubborn = psutil.wait_procs(strays, timeout=STRAYS_LIMIT_S)
    for process in stubborn:
        process.kill()
    psutil.wait_procs(stubborn, timeout=STRAYS_LIMIT_S)


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()) == folder.resolve()
    except (OSError, psutil.Error):
        return False


def log_file(data_dir: Path, name: str) -> Path:
    folder = data_dir / "logs"
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    return folder / f"{name}.log"


def log_tail(log: Path) -> str:
    """The last lines of a log, for the message of a failure."""
    if not log.exists():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:])


def within(limit_s: float, happened: Callable[[], bool]) -> bool:
    """Wait for it; whether it came in time."""
    deadline = time.monotonic() + limit_s
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
