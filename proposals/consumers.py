"""The desk's socket: tells a signed-in person's page which cards changed. Ids only."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.db import DatabaseError

from agents import duty
from agents.models import Person, Team
from agents.sockets import NOT_SIGNED_IN, signed_in
from core import live


class DeskConsumer(AsyncJsonWebsocketConsumer):
    """Listens to the person's teams. Every hint is checked again before it is passed on."""

    async def connect(self) -> None:
        self.joined: set[str] = set()
        self.duties: set[int] = set()
        self.on_duty: asyncio.Task[None] | None = None
        await self.accept()
        if not await self._is_welcome():
            await self.close(code=NOT_SIGNED_IN)
            return
        await self._join()
        await self._renew_duties()
        self.on_duty = asyncio.create_task(self._stay_on_duty())
        await self.send_json({"kind": "welcome"})

    async def disconnect(self, code: int) -> None:
        if self.on_duty:
            self.on_duty.cancel()
        if self.duties:
            await _leave(self.channel_name, self.scope["user"].pk, self.duties)
        for group in self.joined:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        """The page asks now and then whether this line is alive; it says nothing else."""
        if content != {"kind": "ping"}:
            return
        if not await self._is_welcome():
            await self.close(code=NOT_SIGNED_IN)
            return
        await self.send_json({"kind": "pong"})

    async def desk_hint(self, event: dict[str, Any]) -> None:
        if not await self._is_welcome(team_id=event["team_id"]):
            await self.close(code=NOT_SIGNED_IN)
            return
        await self.send_json(event["hint"])

    async def desk_look_again(self, event: dict[str, Any]) -> None:
        """Somebody ended this session, switched the person off, or moved them between teams."""
        if not await self._is_welcome():
            await self.close(code=NOT_SIGNED_IN)
            return
        await self._join()
        await self._renew_duties()
        await self.send_json({"kind": "teams"})

    async def _stay_on_duty(self) -> None:
        """As long as this line is open, its person counts as on duty."""
        while True:
            await asyncio.sleep(duty.RENEW_S)
            with contextlib.suppress(DatabaseError):  # the next time, then
                await self._renew_duties()

    async def _renew_duties(self) -> None:
        person_id = self.scope["user"].pk
        duties = await _duties(person_id)
        if gone := self.duties - duties:
            await _leave(self.channel_name, person_id, gone)
        await _stay(self.channel_name, person_id, duties)
        self.duties = duties

    async def _join(self) -> None:
        """The person's own group and those of their teams as they are now; no others."""
        groups = await _groups(self.scope["user"].pk)
        for group in groups - self.joined:
            await self.channel_layer.group_add(group, self.channel_name)
        for group in self.joined - groups:
            await self.channel_layer.group_discard(group, self.channel_name)
        self.joined = groups

    async def _is_welcome(self, *, team_id: int | None = None) -> bool:
        """Still signed in, still active, still of that team: as the database says now."""
        return await _may_hear(self.scope, team_id)


@database_sync_to_async
def _may_hear(scope: Mapping[str, Any], team_id: int | None) -> bool:
    person = signed_in(scope)
    if person is None:
        return False
    if team_id is None or person.sees_every_team:
        return True
    return person.teams.filter(pk=team_id).exists()


@database_sync_to_async
def _groups(person_id: int) -> set[str]:
    person = Person.objects.get(pk=person_id)
    teams = Team.objects.all() if person.sees_every_team else person.teams.all()
    groups = map(live.team_group, teams.values_list("pk", flat=True))
    return {live.person_group(person_id), *groups}


_duties = database_sync_to_async(duty.duties_of)
_stay = sync_to_async(duty.stay, thread_sensitive=False)
_leave = sync_to_async(duty.leave, thread_sensitive=False)
