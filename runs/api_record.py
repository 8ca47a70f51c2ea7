"""The record over REST, for people: read, exported, verified."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.idempotency import once
from agents.models import Person
from audit import domain
from audit.queries import verify_all, verify_chain
from core.bodies import StrictSerializer
from core.errors import Forbidden
from runs import access, record, services
from runs.api import checked
from runs.exporting import export
from runs.record import RecordSearch, id_of

LARGEST_ID = 2**63 - 1
SEARCH = [
    OpenApiParameter("run", OpenApiTypes.UUID),
    OpenApiParameter("agent", OpenApiTypes.UUID),
    OpenApiParameter(
        "action", OpenApiTypes.STR, description="an action's id, a verb, or `proposal.`"
    ),
    OpenApiParameter("since", OpenApiTypes.DATETIME),
    OpenApiParameter("until", OpenApiTypes.DATETIME, description="not included"),
]


class RecordQuery(serializers.Serializer[Any]):
    run = serializers.UUIDField(required=False)
    agent = serializers.UUIDField(required=False)
    action = serializers.CharField(max_length=60, required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


class ListQuery(RecordQuery):
    cursor = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)


class VerifyQuery(serializers.Serializer[Any]):
    run = serializers.UUIDField(required=False)


class ReportBody(StrictSerializer):
    note = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


def person_of(request: Request) -> Person:
    """Raises Forbidden for an agent's key."""
    if not isinstance(request.user, Person):
        raise Forbidden("Only people may do this, signed in to the pages.")
    return request.user


def _search_of(asked: dict[str, Any]) -> RecordSearch:
    action = asked.get("action", "")
    return RecordSearch(**{**asked, "action": id_of(action) or action})


class RecordList(APIView):
    @extend_schema(
        parameters=[*SEARCH, OpenApiParameter("cursor", OpenApiTypes.INT)],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> Response:
        """Entries in the order they were written; `next_cursor` is null on the last page."""
        person = person_of(request)
        asked = checked(ListQuery, request.query_params)
        cursor = asked.pop("cursor", None)
        found = record.entries_for(person, _search_of(asked))
        page, following = record.entries_after(found, cursor, limit=record.PAGE_SIZE)
        return Response({"results": page, "next_cursor": following})


class AnyFormat(DefaultContentNegotiation):
    """`format` names the file's form here, not a renderer of the framework."""

    def filter_renderers(self, renderers: Any, format: str) -> Any:
        return renderers


class RecordExport(APIView):
    content_negotiation_class = AnyFormat

    @extend_schema(
        parameters=[*SEARCH, OpenApiParameter("format", enum=["jsonl", "csv"])],
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The same entries as one file, JSON Lines or CSV."""
        person = person_of(request)
        found = record.entries_for(person, _search_of(checked(RecordQuery, request.query_params)))
        return export(
            "audit",
            form=request.query_params.get("format", "jsonl"),
            columns=record.COLUMNS,
            next_rows=lambda mark: record.entries_after(found, mark, limit=record.EXPORT_PAGE),
        )


class RecordVerify(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("run", OpenApiTypes.UUID)], responses=OpenApiTypes.OBJECT
    )
    def get(self, request: Request) -> Response:
        """Check the chain of one run; without a run every chain, for admins and auditors."""
        person = person_of(request)
        run_id = checked(VerifyQuery, request.query_params).get("run")
        chains = list(_verified(person, run_id))
        broken = [
            {"chain": name, "sequence": found.sequence, "problem": found.problem}
            for name, found in chains
            if found
        ]
        return Response({"ok": not broken, "chains": len(chains), "broken": broken})


def _verified(person: Person, run_id: UUID | None) -> Iterator[tuple[str, domain.Break | None]]:
    if run_id is not None:
        name = str(access.get_visible(person, run_id).pk)
        return iter([(name, verify_chain(name))])
    if not record.reads_the_system(person):
        raise Forbidden("Name a run: only admins and auditors verify every chain.")
    return verify_all()


class WrongTarget(APIView):
    @extend_schema(request=ReportBody, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, action_id: UUID) -> Response:
        """Say that an action hit another element than was meant. A precedent that picked for it
        picks no more until an admin looks at it."""
        person = person_of(request)
        note = checked(ReportBody, request.data)["note"]
        answer = once(request, lambda: _reported(action_id, person, note))
        return Response(answer, status=201)


def _reported(action_id: UUID, person: Person, note: str) -> dict[str, Any]:
    report = services.report_wrong_target(action_id, person=person, note=note)
    return {
        "action_id": str(action_id),
        "level": report.level,
        "note": report.note,
        "reported_by": person.username,
        "suspended_precedent_id": report.precedent_id,
    }
