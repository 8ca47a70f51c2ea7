"""Agents over REST, for admins signed in to the pages: an agent can never change its own gate."""

from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents import services
from agents.access import agents_overseen_by, get_overseen
from agents.models import AgentRegistry
from core import clock
from core.bodies import StrictSerializer
from oversight.access import admin

PAGE_SIZE = 50


class AgentChange(StrictSerializer):
    tier = serializers.ChoiceField(choices=AgentRegistry.Tier.choices, required=False)
    match_confidence_gating_enabled = serializers.BooleanField(required=False, allow_null=True)
    confirmation_mode = serializers.ChoiceField(
        choices=AgentRegistry.ConfirmationMode.choices, required=False, allow_blank=True
    )


def answer_of(agent: AgentRegistry) -> dict[str, Any]:
    return {
        "id": str(agent.id),
        "name": agent.name,
        "tier": agent.tier,
        "match_confidence_gating_enabled": agent.match_confidence_gating_enabled,
        "confirmation_mode": agent.confirmation_mode,
        "status": agent.status,
        "allowed_hosts": agent.allowed_hosts,
        "teams": sorted(team.name for team in agent.teams.all()),
        "created_at": clock.rfc3339(agent.created_at),
    }


class AgentList(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("cursor", OpenApiTypes.STR)], responses=OpenApiTypes.OBJECT
    )
    def get(self, request: Request) -> Response:
        """Every agent by name; `next_cursor` is null on the last page. Admins only."""
        after = request.query_params.get("cursor", "").replace("\0", "")
        agents = agents_overseen_by(admin(request.user)).filter(name__gt=after)
        page = list(agents.prefetch_related("teams").order_by("name")[: PAGE_SIZE + 1])
        following = page[PAGE_SIZE - 1].name if len(page) > PAGE_SIZE else None
        return Response(
            {"results": [answer_of(one) for one in page[:PAGE_SIZE]], "next_cursor": following}
        )


class AgentDetail(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, agent_id: UUID) -> Response:
        """One agent. Admins only."""
        return Response(answer_of(get_overseen(admin(request.user), agent_id)))

    @extend_schema(request=AgentChange, responses=OpenApiTypes.OBJECT)
    def patch(self, request: Request, agent_id: UUID) -> Response:
        """Change an agent's tier, gating flag or confirmation mode. A gating flag of null follows
        the tier's roll-out; an empty mode leaves it to the others who may want one."""
        person = admin(request.user)
        agent = get_overseen(person, agent_id)
        change = AgentChange(data=request.data)
        change.is_valid(raise_exception=True)
        return Response(answer_of(_changed(agent, change.validated_data, person)))


@transaction.atomic
def _changed(agent: AgentRegistry, wanted: dict[str, Any], person: Any) -> AgentRegistry:
    actor = services.actor_of(person)
    if "tier" in wanted:
        agent = services.set_tier(agent, wanted["tier"], actor=actor)
    if "match_confidence_gating_enabled" in wanted:
        gating = wanted["match_confidence_gating_enabled"]
        agent = services.set_gating(agent, gating, actor=actor)
    if "confirmation_mode" in wanted:
        agent = services.set_confirmation_mode(agent, wanted["confirmation_mode"], actor=actor)
    return agent
