"""Profiles over REST, for admins signed in to the pages."""

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.services import actor_of
from confirmations import services
from confirmations.models import Profile
from core import clock
from core.actors import Actor
from core.errors import Invalid
from oversight.access import admin
from runs.tools import StrictSerializer


class ProfileBody(StrictSerializer):
    """`version` is the one that was changed, 0 for a new profile; `is_active` absent: as it is."""

    text = serializers.CharField(max_length=100_000, trim_whitespace=False)
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 2)
    is_active = serializers.BooleanField(required=False)


def answer_of(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        "text": profile.text,
        "sites": profile.sites,
        "mode": profile.mode or None,
        "is_active": profile.is_active,
        "version": profile.version,
        "updated_at": clock.rfc3339(profile.updated_at),
        "updated_by": profile.updated_by.username if profile.updated_by else None,
    }


class ProfileList(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Every site profile by name. Admins only."""
        admin(request.user)
        profiles = Profile.objects.select_related("updated_by")
        return Response({"results": [answer_of(one) for one in profiles]})


class ProfileDetail(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, name: str) -> Response:
        """One site profile. Admins only."""
        admin(request.user)
        return Response(answer_of(get_object_or_404(Profile, name=name)))

    @extend_schema(request=ProfileBody, responses=OpenApiTypes.OBJECT)
    def put(self, request: Request, name: str) -> Response:
        """Save a profile's text, put it in force or take it out, in one step. 422 `bad_profile`
        names `line` and `key`; 409 `stale` when somebody changed it since `version`."""
        person = admin(request.user)
        body = ProfileBody(data=request.data)
        body.is_valid(raise_exception=True)
        return Response(answer_of(_put(name, actor=actor_of(person), **body.validated_data)))


@transaction.atomic
def _put(
    name: str, *, actor: Actor, text: str, version: int, is_active: bool | None = None
) -> Profile:
    """Raises as `confirmations/services.py` does."""
    profile = _saved(name, text, version, actor)
    if is_active is None or is_active == profile.is_active:
        return profile
    switch = services.activate if is_active else services.deactivate
    return switch(profile, seen=profile.version, actor=actor)


def _saved(name: str, text: str, version: int, actor: Actor) -> Profile:
    if version:
        found = get_object_or_404(Profile, name=name)
        return services.save(found, text, seen=version, actor=actor)
    if services.checked(text)[1].name != name:
        raise Invalid("The text names another profile than the address.")
    return services.create(text, actor=actor)
