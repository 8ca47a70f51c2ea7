"""Proposals over REST: agents read their own, reviewers decide with their session."""

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.models import AgentRegistry, Person
from core import clock
from core.errors import Forbidden
from core.keyset import Mark, read_mark
from proposals import access, queries, services
from proposals.domain import LONGEST_MESSAGE, SECOND_ACT, SecondActRequired, Status
from proposals.models import Proposal

PAGE = 50


class DecisionBody(serializers.Serializer[Any]):
    version = serializers.IntegerField(min_value=1)
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class ListQuery(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=[status.value for status in Status], required=False)
    agent = serializers.CharField(max_length=80, required=False)
    level = serializers.ChoiceField(choices=["high", "partial", "ambiguous"], required=False)
    cursor = serializers.CharField(max_length=100, required=False)

    def validate_cursor(self, words: str) -> Mark:
        mark = read_mark(words)
        if mark is None:
            raise serializers.ValidationError("Send `next_cursor` of the page before.")
        return mark


class ActingBody(DecisionBody):
    """`confirm` is the second, deliberate act that what cannot be undone takes."""

    confirm = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    remember = serializers.ChoiceField(choices=["", "agent", "site"], required=False, default="")


class ApproveBody(ActingBody):
    chosen_index = serializers.IntegerField(required=False, allow_null=True, default=None)
    fields = serializers.ListField(  # type: ignore[assignment]  # a parameter, not DRF's mapping
        required=False, max_length=100
    )


class ModifyBody(ActingBody):
    modifications = serializers.DictField()


class MessageBody(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST_MESSAGE)


def viewer_of(request: Request) -> Person | AgentRegistry:
    viewer: Person | AgentRegistry = request.user  # type: ignore[assignment]
    return viewer


def person_of(request: Request) -> Person:
    if not isinstance(request.user, Person):
        raise Forbidden("An agent cannot decide a proposal: a reviewer has to.")
    return request.user


def answer_of(proposal: Proposal) -> dict[str, Any]:
    return {
        "id": str(proposal.id),
        "status": proposal.status,
        "version": proposal.version,
        "agent": proposal.agent.name,
        "run_id": str(proposal.run_id),
        "action_id": str(proposal.action_id),
        "step_id": proposal.step_id,
        "tool": proposal.tool,
        "params": proposal.params,
        "intent": proposal.intent,
        "reasons": proposal.reasons,
        "level": proposal.level or None,
        "score": proposal.score,
        "match_confidence": proposal.match_confidence,
        "chosen_index": proposal.chosen_index,
        "approved_index": proposal.approved_index,
        "fields": proposal.fields,
        "approved_fields": proposal.approved_fields,
        "page_title": proposal.page_title,
        "risk": proposal.risk,
        "replaces": str(proposal.replaces_id) if proposal.replaces_id else None,
        "created_at": clock.rfc3339(proposal.created_at),
        "expires_at": clock.rfc3339(proposal.expires_at),
        "decided_at": clock.rfc3339(proposal.decided_at),
    }


def detailed_answer_of(proposal: Proposal) -> dict[str, Any]:
    """With what is news while it waits."""
    waits = queries.duty_words(proposal.agent) if proposal.is_pending else {}
    return {
        **answer_of(proposal),
        **waits,
        "messages": queries.messages_about(proposal.action_id),
    }


class ProposalList(APIView):
    @extend_schema(parameters=[ListQuery], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """The newest first; `next_cursor` is null on the last page."""
        query = ListQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        found = access.visible_to(viewer_of(request)).select_related("agent")
        for name, column in (("status", "status"), ("agent", "agent__name"), ("level", "level")):
            if name in wanted:
                found = found.filter(**{column: wanted[name]})
        if "cursor" in wanted:
            found = found.filter(wanted["cursor"].older)
        page = list(found.order_by("-created_at", "-id")[: PAGE + 1])
        following = str(Mark.of(page[PAGE - 1])) if len(page) > PAGE else None
        return Response(
            {"results": [answer_of(one) for one in page[:PAGE]], "next_cursor": following}
        )


class ProposalDetail(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, proposal_id: UUID) -> Response:
        viewer = viewer_of(request)
        proposal = access.get_visible(viewer, proposal_id)
        if isinstance(viewer, AgentRegistry):
            services.deliver(proposal.action_id)
        return Response(detailed_answer_of(proposal))


class Approve(APIView):
    @extend_schema(request=ApproveBody, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Act on the starred candidates; where nothing is starred, on `chosen_index`, or for a call
        with several targets on `fields: [{index, chosen_index}]`. What cannot be undone takes
        `confirm: "approve"` as well."""
        body = _confirmed(proposal_id, _checked(ApproveBody, request), request)
        return Response(answer_of(services.approve(proposal_id, person=person_of(request), **body)))


class Modify(APIView):
    @extend_schema(request=ModifyBody, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Act on another candidate: `{"modifications": {"chosen_index": 1}}`, or of several
        targets: `{"modifications": {"fields": [{"index": 0, "chosen_index": 1}]}}`. What cannot be
        undone takes `confirm: "approve"` as well."""
        body = _confirmed(proposal_id, _checked(ModifyBody, request), request)
        return Response(answer_of(services.modify(proposal_id, person=person_of(request), **body)))


class Reject(APIView):
    @extend_schema(request=DecisionBody, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Refuse it; the reason reaches the agent."""
        body = _checked(DecisionBody, request)
        return Response(answer_of(services.reject(proposal_id, person=person_of(request), **body)))


class Say(APIView):
    @extend_schema(request=MessageBody, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Tell the agent something without deciding: it comes with the still pending answer, and
        wakes a poll that waits."""
        body = _checked(MessageBody, request)
        services.say(proposal_id, person=person_of(request), **body)
        proposal = access.get_visible(person_of(request), proposal_id)
        return Response(detailed_answer_of(proposal), status=201)


def _confirmed(proposal_id: UUID, body: dict[str, Any], request: Request) -> dict[str, Any]:
    """The body without its `confirm`. Raises SecondActRequired. A settled card asks for none: the
    answer there is who was faster."""
    confirmed = body.pop("confirm").lower() == SECOND_ACT
    proposal = access.get_visible(person_of(request), proposal_id)
    if proposal.is_pending and proposal.is_irreversible and not confirmed:
        raise SecondActRequired(f'This cannot be undone: send confirm: "{SECOND_ACT}" to go on.')
    return body


def _checked(body: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    person_of(request)
    given = body(data=request.data)
    unknown = sorted(set(request.data) - set(given.fields)) if hasattr(request.data, "keys") else []
    if unknown:
        raise serializers.ValidationError({key[:80]: ["Unknown key."] for key in unknown[:20]})
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)
