"""The conversation on a run, over REST. Who speaks is who is signed in or whose key it is."""

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import routing.services
from agents.idempotency import once
from agents.models import AgentRegistry, Person
from core import clock
from core.bodies import StrictSerializer, TextField
from core.errors import Forbidden, NotFound
from routing import queries
from routing.models import Turn
from routing.requests import TARGETS
from routing.services.conversing import LONGEST
from runs import access, conversing
from runs.api import MAX_WAIT_S, checked, viewer_of, waiting_response
from runs.models import Run
from runs.services.runs import refuse_unless_active
from runs.waiting import Waits

PAGE = 50
KINDS = {"message": Turn.Who.AGENT, "tool_result": Turn.Who.TOOL_RESULT}


class MessageBody(StrictSerializer):
    """`override` sends a person's message to one agent, this once. `kind` is for agents: what a
    tool gave back is nobody's words. `question_id` is the waiting question that the person saw: no
    other is answered. With `wait_s` the call holds on until there is an answer."""

    content = TextField(max_length=LONGEST)
    override = serializers.ChoiceField(choices=TARGETS, required=False, allow_null=True)
    kind = serializers.ChoiceField(choices=list(KINDS), required=False)
    question_id = serializers.UUIDField(required=False)
    wait_s = serializers.FloatField(min_value=0, max_value=MAX_WAIT_S, required=False, default=0)


class TurnsQuery(StrictSerializer):
    cursor = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)


class Messages(APIView):
    @extend_schema(parameters=[TurnsQuery], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The latest turns first, and where the conversation stands. `next_cursor` is null on the
        last page. A turn's number is its place; the answer to turn 5 is turn 6."""
        run = access.get_visible(viewer_of(request), run_id)
        before = checked(TurnsQuery, request.query_params.dict()).get("cursor")
        page = queries.page_of_turns(run.id, size=PAGE, before=before)
        return Response(
            {
                "results": [answer_of(turn) for turn in reversed(page.turns)],
                "next_cursor": page.before,
                **_standing(run.id),
            }
        )

    @extend_schema(
        request=MessageBody, responses={200: OpenApiTypes.OBJECT, 202: OpenApiTypes.OBJECT}
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        """Say something: a person as the user, a key as its agent. A person's turn is routed and
        answered, 202 until that is over; alone, `/escalate` and `/primary` pin, with text they
        count for that turn. A plain yes to the one question that waits on the run confirms it."""
        caller = viewer_of(request)
        run = access.get_visible(caller, run_id)
        body = checked(MessageBody, request.data)
        said = once(request, lambda: {"id": str(_said(caller, run, body).id)})
        turn_id = UUID(said["id"])
        return waiting_response(Waits(turn_id, body["wait_s"], lambda: look(turn_id)))


def _said(caller: Person | AgentRegistry, run: Run, body: dict[str, Any]) -> Turn:
    if isinstance(caller, AgentRegistry):
        return _said_by_agent(caller, run, body)
    if "kind" in body:
        raise Forbidden("Only an agent's key says what kind of message it is.")
    return conversing.say(
        caller,
        run,
        body["content"],
        override=body.get("override") or "",
        question_id=body.get("question_id"),
    )


def _said_by_agent(agent: AgentRegistry, run: Run, body: dict[str, Any]) -> Turn:
    refuse_unless_active(agent)
    if body.get("override") or "question_id" in body:
        raise Forbidden("Only a person chooses who answers, and answers questions.")
    who = KINDS[body.get("kind", "message")]
    return routing.services.say_as_agent(run.id, agent=agent, text=body["content"], who=who)


class Resend(APIView):
    @extend_schema(request=None, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, run_id: UUID, number: int) -> Response:
        """Have a turn that failed or was refused routed and answered anew."""
        person, run = speaker(request, run_id)
        return Response(once(request, lambda: answer_of(resent(run, number, person))), 202)


class Unpin(APIView):
    @extend_schema(request=None, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Let the rules decide again. Safe to send again."""
        person, run = speaker(request, run_id)
        routing.services.unpin(run.id, person=person)
        return Response(_standing(run.id))


def speaker(request: Request, run_id: UUID) -> tuple[Person, Run]:
    """Raises NotFound for who may not see the run, Forbidden for who may not speak as the user."""
    caller = viewer_of(request)
    run = access.get_visible(caller, run_id)
    if isinstance(caller, AgentRegistry):
        raise Forbidden("Only a person may do this.")
    conversing.refuse_who_only_reads(caller)
    return caller, run


def resent(run: Run, number: int, person: Person) -> Turn:
    turn = routing.services.resend(run.id, number, person=person)
    if turn is None:
        raise NotFound("There is no such turn of a person.")
    return turn


def look(turn_id: UUID) -> tuple[int, Any, bool]:
    turn = Turn.objects.get(pk=turn_id)
    answer = queries.answer_to(turn)
    told = {**answer_of(turn), "answer": answer_of(answer) if answer else None}
    return 200 if turn.is_final else 202, told, not turn.is_final


def answer_of(turn: Turn) -> dict[str, Any]:
    return {
        "id": str(turn.id),
        "number": turn.number,
        "who": turn.who,
        "author": turn.author,
        "content": turn.text,
        "target": turn.target or None,
        "decision": _decision_of(turn),
        "reply": turn.reply,
        "status": turn.status,
        "written": turn.written,
        "error": turn.error,
        "created_at": clock.rfc3339(turn.created_at),
        "started_at": clock.rfc3339(turn.started_at),
        "finished_at": clock.rfc3339(turn.finished_at),
    }


def _decision_of(turn: Turn) -> dict[str, Any] | None:
    """Without what only pages need."""
    decision = turn.decision
    return {key: decision[key] for key in decision if key != "words"} if decision else None


def _standing(run_id: UUID) -> dict[str, Any]:
    standing = queries.standing_of(run_id)
    return {
        "pin": standing.pin or None,
        "sticky": standing.is_sticky,
        "state": standing.state.value or None,
    }
