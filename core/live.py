"""Live news between processes: hints for people's sockets, answers for waiting calls.

The only place that touches the channel layer and Redis pub/sub. News carries ids only, and losing
some is harmless: whoever waits looks at the rows when it connects and when its time is up.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterable
from functools import cache
from typing import Any
from uuid import UUID

import redis
import redis.asyncio
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings

log = logging.getLogger(__name__)
NEWS = "pointsman:news:"


def team_group(team_id: int) -> str:
    return f"team-{team_id}"


def hint(team_ids: Iterable[int], message: dict[str, Any]) -> None:
    """Tell the open sockets of these teams that something changed. Never raises."""
    layer = get_channel_layer()
    try:
        for team_id in team_ids:
            async_to_sync(layer.group_send)(
                team_group(team_id), {"type": "desk.hint", "hint": message, "team_id": team_id}
            )
    except (redis.RedisError, OSError) as error:
        log.warning("a hint was lost: %s", error)


def announce(subject: UUID) -> None:
    """Wake the calls that wait for this run or action. Never raises."""
    try:
        _client().publish(f"{NEWS}{subject}", "1")
    except redis.RedisError as error:
        log.warning("news of %s was lost: %s", subject, error)


@contextlib.asynccontextmanager
async def listening(subject: UUID) -> AsyncIterator["Listener"]:
    """Hear every announcement about `subject` from here on."""
    client = redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=None)
    async with client, client.pubsub() as pubsub:
        await pubsub.subscribe(f"{NEWS}{subject}")
        yield Listener(pubsub)


class Listener:
    """Waits for the next announcement about one subject."""

    def __init__(self, pubsub: redis.asyncio.client.PubSub) -> None:
        self._pubsub = pubsub

    async def wait(self, timeout_s: float) -> bool:
        """True when news came within `timeout_s`."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while (left := deadline - asyncio.get_running_loop().time()) > 0:
            message = await self._pubsub.get_message(ignore_subscribe_messages=True, timeout=left)
            if message is not None:
                return True
        return False


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=2)
