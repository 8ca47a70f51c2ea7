"""What a supervisor must have for itself before it starts: its DATA_DIR and its ports."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import psutil
from django.core.management.base import CommandError

HOST = "127.0.0.1"


class StackError(CommandError):
    """The product cannot be started or kept running; the message says why and what to do."""


@contextmanager
def claim_data_dir(data_dir: Path) -> Iterator[None]:
    """One supervisor per DATA_DIR. The kernel drops the lock with its holder, so a file left over
    by a killed one is harmless."""
    with _open_lock(data_dir) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise StackError(
                f"Pointsman already runs on {data_dir} (process {lock.read().strip()}). "
                "End that one, or choose another DATA_DIR and PORT."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _open_lock(data_dir: Path) -> TextIO:
    try:
        data_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
        return (data_dir / "run.lock").open("a+")
    except OSError as error:
        raise StackError(
            f"{data_dir} cannot be written ({error.strerror}): run as its owner or set DATA_DIR."
        ) from error


def supervisor_of(data_dir: Path) -> int | None:
    """The process that holds DATA_DIR now."""
    try:
        with (data_dir / "run.lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return int((data_dir / "run.lock").read_text() or 0)
    except OSError:
        pass
    return None


def require_free_port(port: int, *, variable: str = "PORT") -> None:
    """Raises StackError that names the holder, where the system tells."""
    with socket.socket() as trial:
        # As the servers do: a port whose last connections are only fading away is free.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
        except OSError as error:
            raise StackError(
                f"Port {port} is not free{_holder(port)} ({error.strerror}). "
                f"Choose another one by putting {variable}={port + 10} before the command."
            ) from error


def _holder(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            listens = connection.status == psutil.CONN_LISTEN
            if listens and connection.laddr.port == port and connection.pid:
                name = psutil.Process(connection.pid).name()
                return f": {name} (process {connection.pid}) listens there"
    except psutil.Error:
        pass
    return ""
