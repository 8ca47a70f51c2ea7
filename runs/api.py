"""The agents' door: runs and actions over REST."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import proposals.services
from agents.idempotency import key_of, once
from agents.models import AgentRegistry, Person
from agents.services import actor_of as person_actor
from confidence.domain.selector import problem_of
from confirmations.domain.modes import Mode
from core.actors import Actor
from core.bodies import StrictSerializer, TextField
from core.errors import Forbidden, NotFound
from runs import access, answers, files, gym, queries, services, verifying
from runs.models import Action, Run
from runs.services import ActionRequest, RunEnded, RunRequest
from runs.task_form import TaskBody
from runs.tools import MAX_TARGET, Call, read_call
from runs.waiting import Waits

START_WAIT_S = 45
DEFAULT_WAIT_S = 30
MAX_WAIT_S = 60


class RunBody(StrictSerializer):
    """`confirmation_mode` may only make it stricter. `profile` names one that must watch over the
    start page: no run is opened where it does not."""

    start_url = serializers.CharField(max_length=8_000, required=False, allow_blank=True)
    label = serializers.CharField(  # type: ignore[assignment]  # a field, not the form's label
        max_length=200, required=False, allow_blank=True
    )
    task = TaskBody(required=False)
    confirmation_mode = serializers.ChoiceField(
        choices=[str(mode) for mode in Mode], required=False
    )
    profile = TextField(max_length=80, required=False)


class ExpectBody(StrictSerializer):
    """What the page must become. `url` is a glob over the address, or over its path and query when
    it begins with a slash; `text` must be visible; `selector` must match something visible."""

    url = serializers.CharField(max_length=8_000, required=False)
    text = TextField(max_length=1_000, required=False)
    selector = TextField(max_length=MAX_TARGET, required=False)

    def validate_selector(self, selector: str) -> str:
        if problem := problem_of(selector):
            raise serializers.ValidationError(problem)
        return selector


class ActionBody(StrictSerializer):
    """`tool` by its name here, or `action` by its name in the gym."""

    tool = serializers.CharField(max_length=60, required=False)
    action = serializers.CharField(max_length=60, required=False)
    params = serializers.DictField(required=False, default=dict)
    turn = serializers.CharField(max_length=100, required=False, allow_blank=True)
    wait_s = serializers.FloatField(
        min_value=0, max_value=MAX_WAIT_S, required=False, default=DEFAULT_WAIT_S
    )
    dry_run = serializers.BooleanField(required=False, default=False)
    supersede = serializers.BooleanField(required=False, default=False)
    expect = ExpectBody(required=False)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if ("tool" in values) == ("action" in values):
            raise serializers.ValidationError({"tool": ["Name one of tool and action."]})
        return values


class WaitQuery(serializers.Serializer[Any]):
    wait_s = serializers.FloatField(min_value=0, max_value=MAX_WAIT_S, required=False, default=0)


def agent_of(request: Request) -> AgentRegistry:
    """Raises Forbidden for a person: only agents open runs and send actions."""
    if not isinstance(request.user, AgentRegistry):
        raise Forbidden("Only an agent's key may do this: send Authorization: Bearer pm_...")
    return request.user


def viewer_of(request: Request) -> Person | AgentRegistry:
    viewer: Person | AgentRegistry = request.user  # type: ignore[assignment]
    return viewer


def checked(serializer: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
    given = serializer(data=data)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def waiting_response(waits: Waits) -> Response:
    response = Response()
    response.waits = waits  # type: ignore[attr-defined]  # read by runs/waiting.py
    return response


class RunList(APIView):
    @extend_schema(request=RunBody, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Open a run: its own browser, on `start_url`. 201 once the page has loaded."""
        return _opened(request, is_open_play=False)


class OpenPlay(APIView):
    @extend_schema(request=RunBody, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """The same for free play: nothing the run does is latched. What an admin blocks stays
        blocked."""
        return _opened(request, is_open_play=True)


def _opened(request: Request, *, is_open_play: bool) -> Response:
    agent = agent_of(request)
    body = checked(RunBody, request.data)
    wanted = RunRequest(
        start_url=body.get("start_url", ""),
        label=body.get("label", ""),
        idempotency_key=key_of(request),
        task=body.get("task", {}),
        is_open_play=is_open_play,
        confirmation_mode=body.get("confirmation_mode", ""),
        profile=body.get("profile", ""),
    )
    run = services.create_run(agent, wanted)
    return waiting_response(Waits(run.id, START_WAIT_S, lambda: _look_at_start(run.id)))


def _look_at_start(run_id: UUID) -> tuple[int, Any, bool]:
    """Ready once the start page is there, or waits for the person who lets a student go there."""
    run = Run.objects.select_related("agent").get(pk=run_id)
    under_way = [Action.Status.QUEUED, Action.Status.RUNNING]
    is_starting = run.status == Run.Status.STARTING
    goes_on = is_starting or run.actions.filter(status__in=under_way, step_id=1).exists()
    return 202 if is_starting else 201, answers.answer_of_run(run), goes_on


class RunDetail(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The run as it is now."""
        return Response(answers.answer_of_run(access.get_visible(viewer_of(request), run_id)))


class RunFinish(APIView):
    @extend_schema(request=None, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, run_id: UUID) -> Response:
        """End the run and its browser. What still waits for a person is cancelled."""
        agent = agent_of(request)
        run = access.get_visible(agent, run_id)
        return Response(once(request, lambda: _finished(run, agent)))


def _finished(run: Run, agent: AgentRegistry) -> dict[str, Any]:
    services.end_run(run, Run.Status.FINISHED, actor=services.actor_of(agent))
    run.refresh_from_db()
    return answers.answer_of_run(run)


class KillBody(StrictSerializer):
    why = TextField(max_length=services.MAX_WHY, required=False, allow_blank=True, default="")


class RunKill(APIView):
    @extend_schema(request=KillBody, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Stop the run at once: what waits is refused, what acts is cut off, its browser is gone
        when this answers. `not_stopped` names what came too late for that. Safe to send again."""
        caller = viewer_of(request)
        run = access.killable_by(caller, run_id)
        body = checked(KillBody, request.data)
        killed = services.kill(run, actor=_actor_of(caller), why=body["why"])
        return Response(answers.answer_of_kill(killed))


def _actor_of(caller: Person | AgentRegistry) -> Actor:
    if isinstance(caller, AgentRegistry):
        return services.actor_of(caller)
    return person_actor(caller)


class AnyBytes(BaseParser):
    """A file's bytes, whatever they are said to be; one byte more than allowed is read at most."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return stream.read(files.MAX_BYTES + 1)


class RunFile(APIView):
    parser_classes = [AnyBytes]

    @extend_schema(
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={201: OpenApiTypes.OBJECT},
    )
    def put(self, request: Request, run_id: UUID, name: str) -> Response:
        """Send a file, so that browser_file_upload may name it. It goes away with the run."""
        run = access.get_visible(agent_of(request), run_id)
        if run.is_over:
            raise RunEnded(f"This run is {run.status}: start a new one.", run_status=run.status)
        size = files.keep(run_id, name, request.data if isinstance(request.data, bytes) else b"")
        return Response({"name": name, "bytes": size}, status=201)


class ActionList(APIView):
    @extend_schema(
        request=ActionBody, responses={200: OpenApiTypes.OBJECT, 202: OpenApiTypes.OBJECT}
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        """Send one tool call. 200 when it is over, 202 while it runs or waits for a person."""
        agent = agent_of(request)
        run = access.get_visible(agent, run_id)
        body = checked(ActionBody, request.data)
        action = services.create_action(
            run_id,
            agent,
            ActionRequest(
                call=_call_of(body, run),
                turn=body.get("turn", ""),
                dry_run=body["dry_run"],
                supersede=body["supersede"],
                expect=body.get("expect", {}),
                idempotency_key=key_of(request),
            ),
        )
        return waiting_response(
            Waits(action.id, body["wait_s"], lambda: _tell(action.id, holds_review=False))
        )


def _call_of(body: dict[str, Any], run: Run) -> Call:
    if "action" not in body:
        return read_call(body["tool"], body["params"])
    return read_call(*gym.in_our_words(body["action"], body["params"], start_url=run.start_url))


class RunVerification(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, run_id: UUID) -> Response:
        """What the verifiers of the run's task say: of an ended run as it was at its end."""
        run = access.get_visible(viewer_of(request), run_id)
        return Response(verifying.verification_of(run))


class ActionDetail(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("wait_s", OpenApiTypes.FLOAT)],
        responses={200: OpenApiTypes.OBJECT, 202: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, action_id: UUID) -> Response:
        """Long poll: answers as soon as the action is over, else after `wait_s` seconds."""
        wait_s = checked(WaitQuery, request.query_params)["wait_s"]
        visible = access.visible_to(viewer_of(request))
        if not Action.objects.filter(pk=action_id, run__in=visible).exists():
            raise NotFound("There is no such action, or it belongs to another agent.")
        look = _tell if isinstance(request.user, AgentRegistry) else _look_at
        return waiting_response(
            Waits(action_id, wait_s, lambda: look(action_id, holds_review=True))
        )


def _look_at(action_id: UUID, *, holds_review: bool) -> tuple[int, Any, bool]:
    """A poll holds on while a person decides; the call that asked does not."""
    action = answers.get_action(action_id)
    parked = action.status == Action.Status.REQUIRES_APPROVAL
    goes_on = not action.is_final and (holds_review or not parked)
    return 200 if action.is_final else 202, answers.answer_of(action), goes_on


def _tell(action_id: UUID, *, holds_review: bool) -> tuple[int, Any, bool]:
    """The same for its agent: what a reviewer wrote to it ends the wait, and is delivered so."""
    has_news = proposals.services.deliver(action_id)
    status, body, goes_on = _look_at(action_id, holds_review=holds_review)
    return status, body, goes_on and not has_news


class PictureDetail(APIView):
    @extend_schema(responses={(200, "image/jpeg"): OpenApiTypes.BINARY})
    def get(self, request: Request, digest: str) -> HttpResponse:
        """A screenshot of a run or a proposal that the caller may see."""
        picture = queries.picture_for(viewer_of(request), digest)
        if picture is None:
            raise NotFound("There is no such picture.")
        return HttpResponse(
            bytes(picture.content),
            content_type=picture.media_type,
            headers={"Cache-Control": "no-store"},
        )


class Whoami(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """The agent behind the key."""
        agent = agent_of(request)
        return Response(
            {
                "agent_id": str(agent.id),
                "name": agent.name,
                "tier": agent.tier,
                "status": agent.status,
                "match_confidence_gating_enabled": agent.match_confidence_gating_enabled,
                "confirmation_mode": agent.confirmation_mode,
                "allowed_hosts": agent.allowed_hosts,
            }
        )
