"""The breaker: one for all processes, one probe at a time, and no harm without Redis."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from confidence.models import TiebreakCall
from confidence.tiebreaker import breaker, breaker_state, memory, meter
from core.chat import breaker as breakers
from core.chat.breaker import FAILURES_LIMIT, PROBE_S, Permit
from core.shared import shared_redis
from tests.support.llm import Llm, picks, says
from tests.support.tiebreaks import ask, ask_anew

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db
RACER = """
import django; django.setup()
import time
from concurrent.futures import ThreadPoolExecutor
from confidence.tiebreaker import breaker
from core.shared import shared_redis
shared_redis().incr("test:ready")
while not shared_redis().get("test:go"):
    time.sleep(0.001)
with ThreadPoolExecutor(8) as pool:
    permits = list(pool.map(lambda _: breaker.enter(), range(40)))
print(sum(permit is not None for permit in permits))
"""


@pytest.fixture(autouse=True)
def fresh_redis() -> Iterator[None]:
    shared_redis().flushdb()
    yield
    shared_redis().flushdb()


def trip() -> None:
    for _ in range(FAILURES_LIMIT):
        breaker.fail(Permit())


def racer() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", RACER],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.PIPE,
    )


def wait_out() -> None:
    """As if the 120 s were over."""
    assert 115 < shared_redis().ttl(breaker.open_key) <= 120
    shared_redis().delete(breaker.open_key)


def test_five_failures_in_a_row_open_it_and_then_nothing_is_sent(llm: Llm) -> None:
    llm.will(says("junk"))
    for _ in range(5):
        ask_anew()
    assert breaker_state() == "open"
    assert "breaker is open" in ask_anew().rationale
    assert len(llm.asked) == 5
    assert TiebreakCall.objects.latest("id").outcome == "open"


def test_a_success_ends_a_row_of_failures(llm: Llm) -> None:
    llm.will(*[says("junk")] * 4, picks(1), *[says("junk")] * 4)
    for _ in range(9):
        ask_anew()
    assert breaker_state() == "closed"


def test_a_probe_that_succeeds_closes_it(llm: Llm) -> None:
    trip()
    wait_out()
    assert breaker_state() == "half_open"
    assert ask().chosen_index == 1
    assert breaker_state() == "closed"
    assert breaker.enter() == Permit()


def test_a_probe_that_fails_opens_it_again(llm: Llm) -> None:
    trip()
    wait_out()
    llm.will(says("junk"))
    ask_anew()
    assert breaker_state() == "open"
    ask_anew()
    assert len(llm.asked) == 1
    wait_out()
    ask_anew()
    assert len(llm.asked) == 2


def test_a_slow_reader_cannot_probe_an_opening_that_was_probed() -> None:
    trip()
    wait_out()
    opening = shared_redis().get(breaker.opening_key)
    probe = breaker.enter()
    assert probe is not None
    breaker.fail(probe)
    guard = f"{breaker.probe_key}{opening}"
    assert shared_redis().set(guard, 1, nx=True) is None


def test_a_call_from_before_it_opened_does_not_close_it() -> None:
    early = breaker.enter()
    assert early is not None
    trip()
    breaker.succeed(early)
    assert breaker_state() == "open"
    wait_out()
    probe = breaker.enter()
    assert probe is not None
    breaker.fail(probe)
    assert breaker_state() == "open"


def test_a_probe_whose_process_died_lets_another_one_try() -> None:
    trip()
    wait_out()
    assert breaker.enter() is not None
    assert breaker.enter() is None
    guards = shared_redis().keys(f"{breaker.probe_key}*")
    assert 0 < shared_redis().ttl(guards[0]) <= PROBE_S
    shared_redis().delete(*guards)
    assert breaker.enter() is not None


def test_one_of_many_threads_probes(llm: Llm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "note", lambda *_, **__: None)  # the test's rows are not theirs
    trip()
    wait_out()
    llm.will(picks(1, wait_s=0.5))
    with ThreadPoolExecutor(12) as pool:
        used = list(pool.map(lambda _: ask_anew().used, range(12)))
    assert used.count(True) == len(llm.asked) == 1


def test_one_of_several_processes_probes() -> None:
    trip()
    wait_out()
    racers = [racer() for _ in range(3)]
    while int(shared_redis().get("test:ready") or 0) < len(racers):
        assert all(each.poll() is None for each in racers)
    shared_redis().set("test:go", 1)
    permits = [int(each.communicate(timeout=60)[0]) for each in racers]
    assert sum(permits) == 1


def test_without_redis_it_is_unavailable(
    llm: Llm, no_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (breakers, memory):
        monkeypatch.setattr(module, "shared_redis", lambda: no_redis)
    tiebreak = ask()
    assert tiebreak.latency_ms < 600
    assert (tiebreak.used, tiebreak.chosen_index) == (False, -1)
    assert "Redis is gone" in tiebreak.rationale
    assert TiebreakCall.objects.get().outcome == "unavailable"
    assert breaker_state() == "unknown"
    assert not llm.asked


def test_redis_lost_after_the_answer_takes_nothing_away(
    llm: Llm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise redis.ConnectionError("gone")

    monkeypatch.setattr(breaker, "succeed", lost)
    monkeypatch.setattr(memory, "remember", lost)
    assert ask().chosen_index == 1
