"""`POST /route`: which agent gets this prompt, for agents and people alike. Nothing is kept."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from routing import requests, services


class Route(APIView):
    @extend_schema(request=requests.RouteBody, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request) -> Response:
        """Which of the two agents gets a prompt, `local` or `escalate`, and every reason for it.
        Nothing is kept: the whole conversation comes with the call."""
        asked = requests.read(request.data)
        return Response(services.route(asked.turn, asked.rules).as_dict())
