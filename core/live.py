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
DEAF_STEP_S = 0.5
SEND_LIMIT_S = 2


def team_group(team_id: int) -> str:
    return f"team-{team_id}"


def hint(team_ids: Iterable[int], message: dict[str, Any]) -> None:
    """Tell the open sockets of these teams that something changed. Never raises."""
    try:
        for team_id in team_ids:
            said = {"type": "desk.hint", "hint": message, "team_id": team_id}
            async_to_sync(_send)(team_group(team_id), said)
    except (redis.RedisError, OSError) as error:
        log.warning("a hint was lost: %s", error)


def run_group(run_id: UUID) -> str:
    return f"run-{run_id}"


def hint_run(run_id: UUID, message: dict[str, Any]) -> None:
    """Tell the open pages of this run's conversation what to look at. Never raises."""
    try:
        async_to_sync(_send)(run_group(run_id), {"type": "conversation.hint", "hint": message})
    except (redis.RedisError, OSError) as error:
        log.warning("a hint was lost: %s", error)


async def _send(group: str, message: dict[str, Any]) -> None:
    """A Redis that hangs must not hold up whoever has news."""
    async with asyncio.timeout(SEND_LIMIT_S):
        await get_channel_layer().group_send(group, message)


def person_group(person_id: int) -> str:
    return f"person-{person_id}"


def look_again(person_ids: Iterable[int]) -> None:
    """Have these people's open sockets check whether they are still welcome. Never raises."""
    try:
        for person_id in person_ids:
            async_to_sync(_send)(person_group(person_id), {"type": "desk.look_again"})
    except (redis.RedisError, OSError) as error:
        log.warning("sockets were not asked to look again: %s", error)


def announce(subject: UUID) -> None:
    """Wake the calls that wait for this run or action. Never raises."""
    try:
        _client().publish(f"{NEWS}{subject}", "1")
    except redis.RedisError as error:
        log.warning("news of %s was lost: %s", subject, error)


@contextlib.asynccontextmanager
async def listening(subject: UUID) -> AsyncIterator["Listener"]:
    """Hear every announcement about `subject` from here on. Never raises for want of Redis."""
    client = redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=None)
    async with client, client.pubsub() as pubsub:
        yield Listener(pubsub if await _subscribed(pubsub, subject) else None)


async def _subscribed(pubsub: redis.asyncio.client.PubSub, subject: UUID) -> bool:
    try:
        await pubsub.subscribe(f"{NEWS}{subject}")
    except (redis.RedisError, OSError) as error:
        log.warning("nothing is heard of %s: %s", subject, error)
        return False
    return True


class Listener:
    """Waits for the next announcement about one subject."""

    def __init__(self, pubsub: redis.asyncio.client.PubSub | None) -> None:
        self._pubsub = pubsub

    async def wait(self, longest_s: float) -> None:
        """Until there is news, `longest_s` are over, or half a second where nothing is heard."""
        try:
            await self._hear(longest_s)
        except (redis.RedisError, OSError) as error:
            log.warning("nothing is heard any more: %s", error)
            self._pubsub = None

    async def _hear(self, longest_s: float) -> None:
        if self._pubsub is None:
            await asyncio.sleep(min(longest_s, DEAF_STEP_S))
            return
        deadline = asyncio.get_running_loop().time() + longest_s
        while (left := deadline - asyncio.get_running_loop().time()) > 0:
            if await self._pubsub.get_message(ignore_subscribe_messages=True, timeout=left):
                return


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=2)
