"""A reviewer's look at the waiting page: what would another selector, or this point, mean?"""

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.idempotency import once
from agents.models import Person
from core.bodies import StrictSerializer, TextField
from proposals.api import person_of
from proposals.models import Preview
from proposals.services import previews
from runs.api import checked, waiting_response
from runs.tools import MAX_TARGET
from runs.waiting import Waits

WAIT_S = 10


class PointBody(StrictSerializer):
    """CSS px of the whole page."""

    x = serializers.FloatField(min_value=0, max_value=1_000_000)
    y = serializers.FloatField(min_value=0, max_value=1_000_000)


class PreviewBody(StrictSerializer):
    selector = TextField(max_length=MAX_TARGET, required=False, allow_blank=True, default="")
    point = PointBody(required=False, default=None, allow_null=True)


def answer_of(preview: Preview) -> dict[str, Any]:
    return {
        "id": str(preview.id),
        "proposal_id": str(preview.proposal_id),
        "selector": preview.selector,
        "point": preview.point,
        "status": preview.status,
        "match_confidence": preview.match_confidence,
        "is_usable": preview.candidate is not None,
        "error": preview.error,
    }


class ProposalPreview(APIView):
    @extend_schema(request=PreviewBody, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Resolve and score another selector, or what lies at a point, on the page that waits.
        Nothing acts. What comes out as exactly one element may then be sent to modify."""
        body = checked(PreviewBody, request.data)
        person = person_of(request)
        asked = once(request, lambda: {"id": _asked(proposal_id, person, body)})
        preview_id = UUID(asked["id"])
        return waiting_response(Waits(preview_id, WAIT_S, lambda: _look(preview_id)))


def _asked(proposal_id: UUID, person: Person, body: dict[str, Any]) -> str:
    return str(previews.ask(proposal_id, person=person, **body).id)


def _look(preview_id: UUID) -> tuple[int, Any, bool]:
    preview = Preview.objects.get(pk=preview_id)
    is_waiting = preview.status == Preview.Status.WAITING
    return 202 if is_waiting else 200, answer_of(preview), is_waiting
