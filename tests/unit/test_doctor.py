"""The doctor, asked about machines that lack something. No engine runs here."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings

from core import doctor


@pytest.fixture(autouse=True)
def empty_machine(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing was ever started here."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("REDIS_URL", raising=False)
    with TemporaryDirectory() as folder:
        settings.DATA_DIR = Path(folder)
        yield


def test_engines_that_do_not_run_are_no_fault_and_it_says_how_to_start_them() -> None:
    for finding in [doctor.postgres(), doctor.valkey()]:
        assert finding.state == "ok"
        assert "not running; `make run` starts it. (" in finding.text


def test_a_given_database_that_does_not_answer_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    assert doctor.postgres().state == "missing"


def test_a_given_redis_that_does_not_answer_is_missing(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    settings.REDIS_URL = "redis://127.0.0.1:1"
    assert doctor.valkey().state == "missing"


def test_a_port_held_by_a_stranger_is_missing(settings: Settings) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        settings.PORT = holder.getsockname()[1]
        assert doctor.port().state == "missing"
    assert doctor.port().state == "ok"


def test_a_wrong_chromium_path_is_missing_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHROMIUM_PATH", "/no/such/chromium")
    with pytest.raises(SystemExit) as end:
        call_command("doctor", "--json")
    assert end.value.code == 1
    findings = {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert findings["chromium"]["state"] == "missing"
    assert "CHROMIUM_PATH=/no/such/chromium" in findings["chromium"]["text"]
    assert "migrations" not in findings  # no database to ask
