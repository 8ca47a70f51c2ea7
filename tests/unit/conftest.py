"""What several unit tests ask for."""

from collections.abc import Iterator

import pytest
import redis

from core import shared
from tests.support.llm import Llm, picks


@pytest.fixture(scope="session")
def _llm() -> Iterator[Llm]:
    with Llm.started() as running:
        yield running


@pytest.fixture
def llm(_llm: Llm, settings) -> Llm:
    _llm.asked.clear()
    _llm.will(picks(1))
    settings.TIEBREAKER_BASE_URL = _llm.url
    settings.TIEBREAKER_MODEL = "small-1"
    settings.TIEBREAKER_API_KEY = "sk-test"
    settings.TIEBREAKER_ALLOW_PRIVATE = True
    shared.shared_redis().flushdb()
    return _llm


@pytest.fixture
def no_redis(settings) -> redis.Redis:
    """The client as it is made where nothing answers."""
    settings.REDIS_URL = "redis://127.0.0.1:9"
    return shared.shared_redis.__wrapped__()
