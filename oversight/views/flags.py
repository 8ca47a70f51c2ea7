"""Settings: every flag, live, and the kill switch."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agents.services import actor_of
from confidence import flags
from core.errors import DomainError
from oversight import services
from oversight.flag_lines import flag_lines, sent_value
from oversight.views.people import is_admin, require_admin


@require_GET
@login_required
def settings_home(request: HttpRequest) -> HttpResponse:
    return redirect("flags")


@require_GET
@never_cache
@login_required
def flags_page(request: HttpRequest) -> HttpResponse:
    return _page(request)


@require_POST
@login_required
def set_flag(request: HttpRequest, name: str) -> HttpResponse:
    person = require_admin(request)
    _known(name)
    sent = request.POST.getlist("value")
    try:
        flags.set_flag(name, sent_value(name, sent), actor=actor_of(person))
    except DomainError as error:
        return _refused(request, name, sent, error)
    words = gettext("{name} is changed. Every process reads it within a second.")
    messages.success(request, words.format(name=name))
    return redirect("flags")


@require_POST
@login_required
def reset_flag(request: HttpRequest, name: str) -> HttpResponse:
    person = require_admin(request)
    _known(name)
    try:
        flags.reset_flag(name, actor=actor_of(person))
    except DomainError as error:
        return _refused(request, name, [], error)
    messages.success(request, gettext("{name} is its default again.").format(name=name))
    return redirect("flags")


@require_POST
@login_required
def stop_gating(request: HttpRequest) -> HttpResponse:
    person = require_admin(request)
    try:
        services.stop_gating(person=person)
    except DomainError as error:
        return _refused(request, services.FORCE, [], error)
    words = gettext("Gating is stopped: unsure actions go on from now and are recorded.")
    messages.success(request, words)
    return redirect("flags")


def _known(name: str) -> None:
    if name not in flags.DEFINITIONS:
        raise Http404("There is no such flag.")


def _refused(request: HttpRequest, name: str, sent: list[str], error: DomainError) -> HttpResponse:
    said = {"wrong_name": name, "wrong_words": error.message, "sent": sent}
    return _page(request, status=error.status, **said)


def _page(request: HttpRequest, *, status: int = 200, **said: Any) -> HttpResponse:
    context = {
        "room": "settings",
        "lines": flag_lines(),
        "roll_out": services.present(),
        "is_locked": settings.LOCK_FLAGS,
        "may_change": is_admin(request) and not settings.LOCK_FLAGS,
        "is_admin": is_admin(request),
        **said,
    }
    return render(request, "oversight/flags.html", context, status=status)
