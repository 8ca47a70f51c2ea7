"""The embedded PostgreSQL and Valkey under DATA_DIR: addresses, start, stop. No Django here.

`DATABASE_URL` and `REDIS_URL` in the environment replace them; then nothing is started.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.engines.addresses import celery_broker_url, database_url, redis_url, socket_dir
from core.engines.grounds import EngineError
from core.engines.postgres import postgres_program, postgres_runs, start_postgres, stop_postgres
from core.engines.valkey import start_valkey, stop_valkey, valkey_program, valkey_runs

__all__ = [
    "EngineError",
    "celery_broker_url",
    "database_url",
    "missing_engines",
    "postgres_program",
    "postgres_runs",
    "redis_url",
    "running_engines",
    "socket_dir",
    "start_engines",
    "start_postgres",
    "start_valkey",
    "stop_engines",
    "stop_postgres",
    "stop_valkey",
    "valkey_program",
    "valkey_runs",
]


def start_engines(data_dir: Path) -> list[str]:
    """Start what the environment does not replace. Returns the names of those that were not
    running already. Safe to call again."""
    started = []
    if not os.environ.get("DATABASE_URL") and start_postgres(data_dir):
        started.append("postgres")
    if not os.environ.get("REDIS_URL") and start_valkey(data_dir):
        started.append("valkey")
    return started


def missing_engines(data_dir: Path) -> list[str]:
    """Those that should run here and do not. Cheap: looks at processes, asks nothing."""
    missing = []
    if not os.environ.get("DATABASE_URL") and not postgres_runs(data_dir):
        missing.append("postgres")
    if not os.environ.get("REDIS_URL") and not valkey_runs(data_dir):
        missing.append("valkey")
    return missing


def stop_engines(data_dir: Path) -> None:
    """Stop both, whoever started them. Engines that do not run are left as they are."""
    stop_valkey(data_dir)
    stop_postgres(data_dir)


@contextmanager
def running_engines(data_dir: Path) -> Iterator[None]:
    """The engines run inside the block; afterwards only those that it started are stopped."""
    started = start_engines(data_dir)
    try:
        yield
    finally:
        if "valkey" in started:
            stop_valkey(data_dir)
        if "postgres" in started:
            stop_postgres(data_dir)
