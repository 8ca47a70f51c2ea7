"""Metrics of several processes add up, labels stay few, and only the right people read them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from django.db import DatabaseError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from audit import failures, services
from audit.queries import audit_failures_by_day
from confidence.domain.gate import ALL_TIERS, TOOL_KINDS, Decision
from confidence.domain.levels import MatchLevel
from confidence.models import TiebreakCall
from core import clock, health, metrics
from core.actors import SYSTEM
from core.shared import shared_redis

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db
COUNT_IN_A_FORK = """
import django; django.setup()
import os
from core import metrics
def count():
    metrics.count_action(tool="browser_click", level="high", tier="intern", decision="propose")
    metrics.observe("act", 0.02)
count()
child = os.fork()
if child == 0:
    count()
    os._exit(0)  # as a killed worker: nothing is said good-bye to
os.waitpid(child, 0)
"""


def value(name: str, **labels: str) -> float:
    """As a scrape from this machine sees it."""
    response = Client().get("/metrics")
    assert response.status_code == 200
    families = text_string_to_metric_families(response.content.decode())
    samples = [s for family in families for s in family.samples]
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


def test_counts_of_all_processes_add_up_the_ended_ones_too() -> None:
    click = {"tool": "browser_click", "level": "high", "tier": "intern", "decision": "propose"}
    before = value("pointsman_actions_total", **click)
    acts_before = value("pointsman_act_seconds_count")
    metrics.count_action(**click)
    subprocess.run(
        [sys.executable, "-c", COUNT_IN_A_FORK],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        check=True,
        timeout=60,
    )
    assert value("pointsman_actions_total", **click) == before + 3
    assert value("pointsman_act_seconds_count") == acts_before + 2


def test_each_count_has_its_name() -> None:
    counts = {
        "pointsman_tiebreaks_total": lambda: metrics.count_tiebreak(outcome="picked"),
        "pointsman_gate_failures_total": lambda: metrics.count_gate_failure(stage="score"),
        "pointsman_audit_write_failures_total": metrics.count_audit_write_failure,
        "pointsman_resolve_seconds_count": lambda: metrics.observe("resolve", 0.1),
        "pointsman_score_seconds_count": lambda: metrics.observe("score", 0.0001),
        "pointsman_tiebreak_seconds_count": lambda: metrics.observe("tiebreak", 0.5),
    }
    for name, count in counts.items():
        before = value(name)
        count()
        assert value(name) == before + 1, name


def test_unknown_words_share_one_label() -> None:
    before = value("pointsman_actions_total")
    for name in ("x" * 5000, 'tool"\n', "https://shop.example/?q=1"):
        metrics.count_action(tool=name, level=name, tier=name, decision=name)
    assert value("pointsman_actions_total", tool="other", level="other") == 3
    assert value("pointsman_actions_total") == before + 3


def test_every_word_of_ours_has_its_own_label() -> None:
    assert metrics._tools >= set(TOOL_KINDS)
    assert set(MatchLevel) | {"none"} == metrics.LEVELS
    assert set(ALL_TIERS) == metrics.TIERS
    assert set(Decision) == metrics.DECISIONS
    assert set(TiebreakCall.Outcome) == metrics.OUTCOMES


def test_a_count_that_cannot_be_written_harms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(metrics, "_made_counter", refuse)
    metrics.count_audit_write_failure()


def test_a_new_start_counts_from_nothing(settings, tmp_path: Path) -> None:
    settings.METRICS_DIR = tmp_path
    (tmp_path / "counter_1.db").touch()
    metrics.clear()
    assert not list(tmp_path.iterdir())


# --- who may read them ------------------------------------------------------------------
FAR = {"REMOTE_ADDR": "203.0.113.9"}
PROXIED = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "203.0.113.9"}


@pytest.mark.parametrize("caller", [FAR, PROXIED, {"REMOTE_ADDR": ""}])
def test_others_find_nothing_there_without_the_token(settings, caller: dict[str, str]) -> None:
    assert Client().get("/metrics", **caller).status_code == 404
    bearer = {**caller, "HTTP_AUTHORIZATION": "Bearer "}
    assert Client().get("/metrics", **bearer).status_code == 404
    settings.METRICS_TOKEN = "tok"
    assert (
        Client().get("/metrics", **{**caller, "HTTP_AUTHORIZATION": "Bearer no"}).status_code == 404
    )
    assert (
        Client().get("/metrics", **{**caller, "HTTP_AUTHORIZATION": "Bearer tok"}).status_code
        == 200
    )


def test_this_machine_reads_them_as_prometheus_text() -> None:
    response = Client().get("/metrics", REMOTE_ADDR="::1")
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert Client().post("/metrics").status_code == 405


# --- audit entries that were not written ------------------------------------------------
@pytest.fixture
def no_failures() -> Iterator[None]:
    shared_redis().flushdb()
    yield
    shared_redis().flushdb()


def test_a_failed_audit_write_is_raised_and_counted(
    no_failures: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError("read only")

    monkeypatch.setattr(services, "_append", refuse)
    before = value("pointsman_audit_write_failures_total")
    for _ in range(2):
        with pytest.raises(DatabaseError, match="read only"):
            services.record("run.open", actor=SYSTEM)
    assert value("pointsman_audit_write_failures_total") == before + 2
    today = clock.now().date()
    assert audit_failures_by_day(2) == {today - timedelta(days=1): 0, today: 2}
    kept_s = shared_redis().ttl(f"pointsman:audit_failures:{today}")
    assert 59 * 86400 < kept_s <= 60 * 86400


def test_without_redis_the_failure_is_still_the_one_that_is_raised(
    no_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError("read only")

    monkeypatch.setattr(failures, "shared_redis", lambda: no_redis)
    monkeypatch.setattr(services, "_append", refuse)
    with pytest.raises(DatabaseError, match="read only"):
        services.record("run.open", actor=SYSTEM)
    assert audit_failures_by_day(7) == {}


def test_an_entry_that_is_written_counts_as_no_failure(no_failures: None) -> None:
    services.record("run.open", actor=SYSTEM)
    assert set(audit_failures_by_day(1).values()) == {0}


# --- readiness --------------------------------------------------------------------------
def test_readyz_says_how_gating_stands_and_what_the_breaker_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "_worker", lambda: "ok")
    response = Client().get("/readyz")
    assert response.status_code == 200
    told = response.json()
    assert (told["gating"], told["tiebreaker_breaker"]) == ("SHADOW", "closed")


def test_readyz_is_not_ready_without_a_worker_but_still_says_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "_worker", lambda: "no worker answers")
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json()["gating"] == "SHADOW"


def test_readyz_reads_nothing_else_while_redis_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_worker", lambda: "ok")
    monkeypatch.setattr(health, "_redis", lambda: "does not answer")
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json()["tiebreaker_breaker"] == "unknown"
