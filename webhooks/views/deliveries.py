"""Deliveries: what was sent where, and what came of it; retry and replay. Admins only."""

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from core.errors import Conflict, DomainError
from webhooks import access, domain, queries, services
from webhooks.models import Delivery, Endpoint
from webhooks.queries import Wanted
from webhooks.views.people import refusals, require_admin


@require_GET
@never_cache
@login_required
def deliveries(request: HttpRequest) -> HttpResponse:
    """`?status=` and `?endpoint=` choose; `?before=` is the last id of the page above."""
    require_admin(request)
    wanted = _wanted(request)
    found = queries.page_of_deliveries(wanted)
    shown = found[: queries.PAGE_SIZE]
    context = {
        "room": "settings",
        "tab": "webhooks",
        "rows": shown,
        "wanted": wanted,
        "statuses": Delivery.Status.choices,
        "endpoint": wanted.endpoint_id and Endpoint.objects.filter(pk=wanted.endpoint_id).first(),
        "next_before": shown[-1].pk if len(found) > len(shown) else None,
    }
    return render(request, "webhooks/deliveries.html", context)


def _wanted(request: HttpRequest) -> Wanted:
    """What cannot be read is not asked for."""
    status, before = request.GET.get("status", ""), request.GET.get("before", "")
    return Wanted(
        status=status if status in Delivery.Status else "",
        endpoint_id=_uuid(request.GET.get("endpoint", "")),
        before=int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None,
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


@require_GET
@never_cache
@login_required
def delivery(request: HttpRequest, delivery_id: int) -> HttpResponse:
    return _page(request, _found(request, delivery_id))


@require_POST
@login_required
def retry(request: HttpRequest, delivery_id: int) -> HttpResponse:
    found = _found(request, delivery_id)
    try:
        services.retry_now(found)
    except Conflict as error:
        return _refused(request, found, error)
    messages.success(request, gettext("It is tried again now."))
    return redirect("delivery", found.pk)


@require_POST
@login_required
def replay(request: HttpRequest, delivery_id: int) -> HttpResponse:
    found = _found(request, delivery_id)
    try:
        again = services.replay(found)
    except Conflict as error:
        return _refused(request, found, error)
    messages.success(request, gettext("The same message is on its way once more."))
    return redirect("delivery", again.pk)


def _found(request: HttpRequest, delivery_id: int) -> Delivery:
    with refusals():
        access.admin(request.user)
        return access.get_delivery(delivery_id)


def _refused(request: HttpRequest, found: Delivery, error: DomainError) -> HttpResponse:
    return _page(request, found, status=error.status, refusal=error.message)


def _page(request: HttpRequest, found: Delivery, *, status: int = 200, **said: Any) -> HttpResponse:
    context = {
        "room": "settings",
        "tab": "webhooks",
        "delivery": found,
        "max_tries": domain.MAX_TRIES,
        "message": json.dumps(json.loads(found.body), indent=2, ensure_ascii=False),
        **said,
    }
    return render(request, "webhooks/delivery.html", context, status=status)
