"""The conversation's socket: what changed in it, and an answer's words while they are written.

The words come from the rows: a hint only says that there are more, so a lost one loses nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from agents.sockets import NOT_SIGNED_IN, signed_in
from core import live
from proposals.page_text import visible_lines
from routing.models import Turn
from runs import access


@dataclass
class Told:
    """How much of each answer this socket was told, by its turn and claim."""

    lengths: dict[tuple[int, str], int] = field(default_factory=dict)

    def more_of(self, turn: Turn) -> dict[str, Any] | None:
        key = (turn.number, str(turn.claim))
        told, length = self.lengths.get(key, 0), len(turn.written)
        if length <= told:
            return None
        self.lengths[key] = length
        return {
            "kind": "words",
            "number": turn.number,
            "claim": str(turn.claim),
            "from": told,
            "to": length,
            "text": visible_lines(turn.written[told:]),
        }


class ConversationConsumer(AsyncJsonWebsocketConsumer):
    """Listens to one run. Before anything is said the person's right to see it is checked again."""

    async def connect(self) -> None:
        self.run_id: UUID = self.scope["url_route"]["kwargs"]["run_id"]
        self.told = Told()
        await self.accept()
        if not await _may_see(self.scope, self.run_id):
            await self.close(code=NOT_SIGNED_IN)
            return
        await self.channel_layer.group_add(live.run_group(self.run_id), self.channel_name)
        await self.send_json({"kind": "welcome"})

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(live.run_group(self.run_id), self.channel_name)

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        """The page asks now and then whether this line is alive; it says nothing else."""
        if content == {"kind": "ping"} and await self._is_welcome():
            await self.send_json({"kind": "pong"})

    async def conversation_hint(self, event: dict[str, Any]) -> None:
        hint = event["hint"]
        if not await self._is_welcome():
            return
        turn = await _turn_being_answered(self.run_id, hint.get("number", 0))
        if turn is None or turn.claim != self._claim_of(turn.number):
            await self.send_json(hint)
        if turn and (more := self.told.more_of(turn)):
            await self.send_json(more)

    def _claim_of(self, number: int) -> UUID | None:
        """Whose words were told of this turn: while they go on, nothing else has changed."""
        told = [UUID(claim) for known, claim in self.told.lengths if known == number]
        return told[-1] if told else None

    async def _is_welcome(self) -> bool:
        if await _may_see(self.scope, self.run_id):
            return True
        await self.close(code=NOT_SIGNED_IN)
        return False


@database_sync_to_async
def _may_see(scope: Mapping[str, Any], run_id: UUID) -> bool:
    person = signed_in(scope)
    return person is not None and access.visible_to(person).filter(pk=run_id).exists()


@database_sync_to_async
def _turn_being_answered(run_id: UUID, number: int) -> Turn | None:
    answering = Turn.objects.filter(conversation_id=run_id, status=Turn.Status.ANSWERING)
    return answering.filter(number=number).only("number", "claim", "written").first()
