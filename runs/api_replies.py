"""People answer agents' questions by chat, over REST."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.idempotency import once
from agents.models import Person
from core.bodies import StrictSerializer, TextField
from core.errors import Forbidden
from runs.api import checked
from runs.replying import Reply, reply

MAX_REPLY = 1_000


class ReplyBody(StrictSerializer):
    """Without `run_id` and `question_id` it is meant for whatever one question waits."""

    content = TextField(max_length=MAX_REPLY)
    run_id = serializers.UUIDField(required=False)
    question_id = serializers.UUIDField(required=False)


class Replies(APIView):
    @extend_schema(request=ReplyBody, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request) -> Response:
        """Answer an agent's question in words. Only a pure yes to one waiting question confirms;
        `answered` is null otherwise, and `code` says why."""
        person = request.user
        if not isinstance(person, Person) or not person.may_decide:
            raise Forbidden("Only a reviewer answers agents' questions.")
        body = checked(ReplyBody, request.data)
        words = body.pop("content")
        return Response(once(request, lambda: answer_of(reply(person, words, **body))))


def answer_of(said: Reply) -> dict[str, Any]:
    answered = said.answered
    return {
        "answered": {"proposal_id": str(answered.id), "status": answered.status}
        if answered
        else None,
        "code": said.code or None,
        "message": said.message,
        "confirmation": said.detection.as_dict(),
        "waiting": [str(question.id) for question in said.still_waiting],
    }
