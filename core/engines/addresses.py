"""Where the embedded engines listen: known from DATA_DIR alone, running or not."""

import hashlib
import os
import re
from pathlib import Path

POSTGRES_PORT = 5432  # only a part of the socket's name: nothing listens on TCP
POSTGRES_SOCKET = f".s.PGSQL.{POSTGRES_PORT}"
VALKEY_SOCKET = "valkey.sock"
DATABASE = "pointsman"
ROLE = "pointsman"
QUEUE_DB = 1  # apart from the cache, whose clear() empties the whole number 0

SOCKET_PATH_LIMIT = 103  # bytes: macOS; Linux allows 107
PLAIN_PATH = re.compile(r"[\w./-]+", re.ASCII)


def socket_dir(data_dir: Path) -> Path:
    """`DATA_DIR/sockets`, or a short folder under /tmp when a socket's path would be longer than
    the system allows or would need quoting in a URL. Not TMPDIR: it differs between shells."""
    data_dir = data_dir.resolve()
    folder = data_dir / "sockets"
    longest = os.fsencode(folder / POSTGRES_SOCKET)
    if len(longest) <= SOCKET_PATH_LIMIT and PLAIN_PATH.fullmatch(str(folder)):
        return folder
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path("/tmp") / f"pointsman-{digest}"


def valkey_socket(data_dir: Path) -> Path:
    return socket_dir(data_dir) / VALKEY_SOCKET


def database_url(data_dir: Path, *, role: str = ROLE, name: str = DATABASE) -> str:
    """For psycopg and Django. The port is named so that a PGPORT of the shell cannot matter."""
    return f"postgresql://{role}@:{POSTGRES_PORT}/{name}?host={socket_dir(data_dir)}"


def redis_url(data_dir: Path, *, db: int = 0) -> str:
    """For redis-py, Django's cache and channels-redis."""
    return f"unix://{valkey_socket(data_dir)}?db={db}"


def celery_broker_url(data_dir: Path) -> str:
    """For Celery, which spells a socket in its own way."""
    return f"redis+socket://{valkey_socket(data_dir)}?virtual_host={QUEUE_DB}"
