"""The embedded engines, really started: addresses, reuse, and every kind of wreck left behind."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import psycopg
import pytest
import redis

from core import engines
from core.engines.addresses import POSTGRES_SOCKET, SOCKET_PATH_LIMIT, valkey_socket


@pytest.fixture
def place() -> Iterator[Path]:
    """Not pytest's tmp_path: another pytest of root closes it to the engines' account."""
    with TemporaryDirectory(prefix="pointsman-test-") as folder:
        yield Path(folder)


@pytest.fixture
def data_dir(place: Path) -> Iterator[Path]:
    yield place / "d"
    engines.stop_engines(place / "d")


def query(data_dir: Path, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(engines.database_url(data_dir), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def valkey(data_dir: Path) -> redis.Redis:
    return redis.Redis.from_url(engines.redis_url(data_dir))


def postmaster(data_dir: Path) -> psutil.Process:
    return psutil.Process(int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0]))


def test_both_answer_at_the_addresses_known_before_they_started(data_dir: Path) -> None:
    database, queue = engines.database_url(data_dir), engines.redis_url(data_dir)
    assert engines.start_engines(data_dir) == ["postgres", "valkey"]
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("pointsman",)
    assert redis.Redis.from_url(queue).ping()


def test_a_second_start_finds_them_running(data_dir: Path) -> None:
    engines.start_engines(data_dir)
    first = postmaster(data_dir)
    assert engines.start_engines(data_dir) == []
    assert postmaster(data_dir) == first


def test_nothing_runs_after_stop_and_the_data_is_there_after_the_next_start(data_dir: Path) -> None:
    engines.start_engines(data_dir)
    server = postmaster(data_dir)
    query(data_dir, "CREATE TABLE kept (id int)")
    valkey(data_dir).set("kept", "yes")
    engines.stop_engines(data_dir)
    assert not server.is_running() or server.status() == psutil.STATUS_ZOMBIE
    with pytest.raises(redis.ConnectionError):
        valkey(data_dir).ping()
    engines.start_engines(data_dir)
    assert query(data_dir, "SELECT count(*) FROM kept") == [(0,)]
    assert valkey(data_dir).get("kept") == b"yes"


def test_no_tcp_port_is_opened_and_no_other_account_may_enter(data_dir: Path) -> None:
    engines.start_engines(data_dir)
    pid = valkey(data_dir).info("server")["process_id"]
    for process in [postmaster(data_dir), psutil.Process(pid)]:
        assert process.net_connections("inet") == []
    assert engines.socket_dir(data_dir).stat().st_mode & 0o077 == 0


def test_a_killed_postgres_is_started_again_with_its_committed_rows(data_dir: Path) -> None:
    engines.start_engines(data_dir)
    query(data_dir, "CREATE TABLE kept AS SELECT 7 AS id")
    postmaster(data_dir).send_signal(signal.SIGKILL)
    assert engines.start_postgres(data_dir)
    assert query(data_dir, "SELECT id FROM kept") == [(7,)]


def test_a_pid_file_that_names_a_stranger_does_not_stop_the_start(data_dir: Path) -> None:
    """As after a container's restart, where small numbers come back."""
    engines.start_postgres(data_dir)
    engines.stop_postgres(data_dir)
    stranger = f"{os.getpid()}\n{data_dir}/postgres\n{int(time.time())}\n5432\n\n\n 0 0\nready\n"
    (data_dir / "postgres" / "postmaster.pid").write_text(stranger)
    assert engines.start_postgres(data_dir)
    assert query(data_dir, "SELECT 1") == [(1,)]


def test_a_server_whose_socket_was_swept_away_is_replaced(data_dir: Path) -> None:
    engines.start_postgres(data_dir)
    (engines.socket_dir(data_dir) / POSTGRES_SOCKET).unlink()
    assert engines.start_postgres(data_dir)
    assert query(data_dir, "SELECT 1") == [(1,)]


def test_a_killed_valkey_leaves_a_socket_file_that_is_no_obstacle(data_dir: Path) -> None:
    engines.start_valkey(data_dir)
    os.kill(valkey(data_dir).info("server")["process_id"], signal.SIGKILL)
    assert valkey_socket(data_dir).exists()
    assert engines.start_valkey(data_dir)
    assert valkey(data_dir).ping()


def test_a_half_made_cluster_is_made_anew(data_dir: Path) -> None:
    (data_dir / "postgres.new").mkdir(parents=True)
    (data_dir / "postgres.new" / "PG_VERSION").write_text("18\n")
    assert engines.start_postgres(data_dir)
    assert not (data_dir / "postgres.new").exists()


def test_a_cluster_of_another_version_is_refused_in_postgres_own_words(data_dir: Path) -> None:
    engines.start_postgres(data_dir)
    engines.stop_postgres(data_dir)
    (data_dir / "postgres" / "PG_VERSION").write_text("12\n")
    with pytest.raises(engines.EngineError, match="not compatible with this version"):
        engines.start_postgres(data_dir)
    (data_dir / "postgres" / "PG_VERSION").write_text("18\n")


def test_a_link_in_place_of_the_socket_folder_is_refused(data_dir: Path, place: Path) -> None:
    data_dir.mkdir()
    (data_dir / "sockets").symlink_to(place)
    with pytest.raises(engines.EngineError, match="in the way"):
        engines.start_valkey(data_dir)


@pytest.mark.parametrize("name", ["x" * 120, "with space", "per%cent?#"])
def test_an_awkward_data_dir_still_works(place: Path, name: str) -> None:
    data_dir = place / name
    sockets = engines.socket_dir(data_dir)
    assert sockets.parent == Path("/tmp")
    assert len(str(sockets / POSTGRES_SOCKET)) <= SOCKET_PATH_LIMIT
    with engines.running_engines(data_dir):
        assert query(data_dir, "SELECT 1") == [(1,)]
        assert valkey(data_dir).ping()
    shutil.rmtree(sockets)


def test_given_urls_replace_the_engines(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/pointsman")
    monkeypatch.setenv("REDIS_URL", "redis://queue.example")
    assert engines.start_engines(data_dir) == []
    assert not data_dir.exists()
