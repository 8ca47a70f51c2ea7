"""The desk's socket: tells a signed-in person's page which cards changed. Ids only."""

from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from agents.models import Person, Team
from core import live

NOT_SIGNED_IN = 4401


class DeskConsumer(AsyncJsonWebsocketConsumer):
    """Listens to the person's teams. Every hint is checked again before it is passed on."""

    async def connect(self) -> None:
        self.joined: list[str] = []
        await self.accept()
        if not await self._is_welcome():
            await self.close(code=NOT_SIGNED_IN)
            return
        for team_id in await _team_ids(self.scope["user"].pk):
            group = live.team_group(team_id)
            await self.channel_layer.group_add(group, self.channel_name)
            self.joined.append(group)
        await self.send_json({"kind": "welcome"})

    async def disconnect(self, code: int) -> None:
        for group in self.joined:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        """The page asks now and then whether this line is alive; it says nothing else."""
        if content == {"kind": "ping"}:
            await self.send_json({"kind": "pong"})

    async def desk_hint(self, event: dict[str, Any]) -> None:
        if not await self._is_welcome(team_id=event["team_id"]):
            await self.close(code=NOT_SIGNED_IN)
            return
        await self.send_json(event["hint"])

    async def _is_welcome(self, *, team_id: int | None = None) -> bool:
        """Still signed in, still active, still of that team: as the database says now."""
        user = self.scope.get("user")
        if not isinstance(user, Person) and not getattr(user, "is_authenticated", False):
            return False
        return await _may_hear(user.pk, self.scope["session"], team_id)


@database_sync_to_async
def _may_hear(person_id: int, session: Any, team_id: int | None) -> bool:
    person = Person.objects.filter(pk=person_id, is_active=True).first()
    if person is None or not session.exists(session.session_key):
        return False
    if team_id is None or person.sees_every_team:
        return True
    return person.teams.filter(pk=team_id).exists()


@database_sync_to_async
def _team_ids(person_id: int) -> list[int]:
    person = Person.objects.get(pk=person_id)
    teams = Team.objects.all() if person.sees_every_team else person.teams.all()
    return list(teams.values_list("pk", flat=True))
