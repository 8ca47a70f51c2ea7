"""Endpoints: the list, one endpoint, and every change of it. Admins only."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.models import Person
from core.errors import Invalid
from core.speaking import spoken
from webhooks import access, queries, services
from webhooks import endpoints as writers
from webhooks.forms import CHOICES, EndpointForm
from webhooks.models import Endpoint
from webhooks.views.people import refusals, require_admin


@require_GET
@never_cache
@login_required
def endpoints(request: HttpRequest) -> HttpResponse:
    require_admin(request)
    context = {"room": "settings", "tab": "webhooks", "rows": queries.endpoints_with_counts()}
    return render(request, "webhooks/endpoints.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new_endpoint(request: HttpRequest) -> HttpResponse:
    """The answer to the POST shows the secret, this once."""
    person = require_admin(request)
    form = EndpointForm(request.POST) if request.method == "POST" else EndpointForm()
    if form.is_bound and form.is_valid():
        try:
            made, secret = writers.create(**form.cleaned_data, person=person)
            return _page(request, made, new_secret=secret)
        except Invalid as error:
            form.add_error("url", spoken(error.message))
    context = _form_context(form)
    status = 422 if form.is_bound else 200
    return render(request, "webhooks/endpoint_new.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def endpoint(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    person, found = _to_change(request, endpoint_id)
    if request.method != "POST":
        return _page(request, found)
    form = EndpointForm(request.POST)
    if form.is_valid():
        try:
            writers.change(found, **form.cleaned_data, person=person)
            messages.success(request, gettext("The endpoint is changed."))
            return redirect("webhook", found.pk)
        except Invalid as error:
            form.add_error("url", spoken(error.message))
    return _page(request, found, status=422, form=form)


# --- changes ----------------------------------------------------------------------------
@require_POST
@never_cache
@login_required
def secret(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    """The answer itself shows it: there is no page to go on to."""
    person, found = _to_change(request, endpoint_id)
    return _page(request, found, new_secret=writers.replace_secret(found, person=person))


@require_POST
@login_required
def send_test(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    person, found = _to_change(request, endpoint_id)
    if not found.enabled:
        return _page(
            request, found, status=409, refusal=gettext("It is disabled: enable it first.")
        )
    return redirect("delivery", services.send_test(found, by=person.username).pk)


@require_POST
@login_required
def enable(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    said = gettext("It hears of events from now on.")
    return _change(request, endpoint_id, writers.enable, said=said)


@require_POST
@login_required
def disable(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    def act(found: Endpoint, *, person: Person) -> None:
        writers.disable(found, why=f"{person.username} disabled it.", person=person)

    return _change(request, endpoint_id, act, said=gettext("It hears of nothing any more."))


@require_POST
@login_required
def delete(request: HttpRequest, endpoint_id: UUID) -> HttpResponse:
    person, found = _to_change(request, endpoint_id)
    writers.delete(found, person=person)
    messages.success(request, gettext("The endpoint and its deliveries are deleted."))
    return redirect("webhooks")


def _change(
    request: HttpRequest, endpoint_id: UUID, act: Callable[..., None], *, said: str
) -> HttpResponse:
    person, found = _to_change(request, endpoint_id)
    act(found, person=person)
    messages.success(request, said)
    return redirect("webhook", found.pk)


def _to_change(request: HttpRequest, endpoint_id: UUID) -> tuple[Person, Endpoint]:
    with refusals():
        return access.admin(request.user), access.get_endpoint(endpoint_id)


def _page(
    request: HttpRequest,
    found: Endpoint,
    *,
    status: int = 200,
    form: EndpointForm | None = None,
    **said: Any,
) -> HttpResponse:
    present = {"url": found.url, "description": found.description, "events": found.events}
    wanted = queries.Wanted(endpoint_id=found.pk)
    context = {
        **_form_context(form or EndpointForm(initial=present)),
        "endpoint": found,
        "deliveries": queries.page_of_deliveries(wanted)[:10],
        **said,
    }
    return render(request, "webhooks/endpoint.html", context, status=status)


def _form_context(form: EndpointForm) -> dict[str, Any]:
    return {
        "room": "settings",
        "tab": "webhooks",
        "form": form,
        "choices": CHOICES,
        "chosen": form["events"].value() or [],
        "allows_private": settings.WEBHOOKS_ALLOW_PRIVATE,
    }
