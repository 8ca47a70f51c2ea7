"""What nobody reaches with a browser alone: worlds are made and read here, with the token."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from demo.shop import shoppers, worlds
from demo.shop.models import OPEN_SHOP
from demo.shop.settings import BACKEND_TOKEN
from demo.shop.views.asking import own_path

View = Callable[..., HttpResponse]


def with_token(view: View) -> View:
    """Without the right token there is nothing here."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        given = request.headers.get("Authorization", "")
        if not BACKEND_TOKEN or not constant_time_compare(given, f"Bearer {BACKEND_TOKEN}"):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@csrf_exempt
@with_token
@require_POST
def make_world(request: HttpRequest) -> HttpResponse:
    try:
        body = _read_body(request)
        name = worlds.read_name(body.get("world"))
        setup = worlds.read_setup(body.get("setup", {}))
    except worlds.BadSetup as bad:
        return JsonResponse({"detail": str(bad)}, status=422)
    code = worlds.set_up(name, setup)
    entry = reverse("enter", args=[code])
    return JsonResponse({"entry": entry, "state": worlds.state(name)}, status=201)


@with_token
@require_GET
def world(request: HttpRequest, name: str) -> HttpResponse:
    found = worlds.state(name)
    if found is None:
        return JsonResponse({"detail": f"There is no world {name!r}."}, status=404)
    return JsonResponse(found)


@require_GET
def enter(request: HttpRequest, code: str) -> HttpResponse:
    """The run's own browser comes here, once."""
    if not shoppers.enter(request, code):
        raise Http404("This way in was used, or never was.")
    return redirect(own_path(request, request.GET.get("next", ""), otherwise=reverse("home")))


@with_token
@require_GET
def state(request: HttpRequest) -> HttpResponse:
    """What happened in the open shop, where everybody is who was sent to no world."""
    return JsonResponse(worlds.state(OPEN_SHOP))


@csrf_exempt
@with_token
@require_POST
def reset(request: HttpRequest) -> HttpResponse:
    worlds.set_up(OPEN_SHOP, worlds.Setup())
    return JsonResponse(worlds.state(OPEN_SHOP))


def _read_body(request: HttpRequest) -> dict[str, Any]:
    try:
        body = json.loads(request.body)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise worlds.BadSetup("The body must be a JSON object.")
    if unknown := sorted(body.keys() - {"world", "setup"}):
        raise worlds.BadSetup(f"Unknown keys: {', '.join(unknown)}.")
    return body
