"""The roll-out: what gating would cost, what it does, and its switches one after another."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from agents.models import Person
from confidence.domain.gate import TIERS_THAT_ACT
from core.errors import DomainError
from oversight import queries, services
from oversight.domain import STEPS, RollOut, Step
from oversight.templatetags.figures import spoken_list
from oversight.views.people import is_admin, person_of, refusals, require_admin

WINDOWS = (7, 14, 30)


@require_GET
@never_cache
@login_required
def rollout(request: HttpRequest) -> HttpResponse:
    return _page(request)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def switch_on(request: HttpRequest, slug: str) -> HttpResponse:
    """GET says what it would have sent to a person; POST does it."""
    return _switch(request, slug, "on", services.switch_on, RollOut.with_step)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def take_back(request: HttpRequest, slug: str) -> HttpResponse:
    return _switch(request, slug, "back", services.take_back, RollOut.without_step)


def _switch(
    request: HttpRequest,
    slug: str,
    way: str,
    act: Callable[..., RollOut],
    foresee: Callable[[RollOut, Step], RollOut],
) -> HttpResponse:
    person = require_admin(request)
    with refusals():
        step = services.step_named(slug)
    try:
        if request.method == "POST":
            return _done(request, step, way, act(step, person=person))
        return _confirmation(request, step, way, foresee(services.present(), step))
    except DomainError as error:
        return _page(request, status=error.status, refusal=error.message)


def _done(request: HttpRequest, step: Step, way: str, now: RollOut) -> HttpResponse:
    if way == "on":
        words = gettext("Gating is in force for {tiers} agents.")
    elif now.force_proposal:
        words = gettext("Gating is no longer in force for {tiers} agents.")
    else:
        words = gettext("Everything is in shadow mode again.")
    messages.success(request, words.format(tiers=spoken_list(step.tiers)))
    return redirect(f"{reverse('rollout')}?days={_days(request)}")


def _confirmation(request: HttpRequest, step: Step, way: str, then: RollOut) -> HttpResponse:
    days = _days(request)
    context = {
        "room": "rollout",
        "step": step,
        "way": way,
        "then": then,
        "days": days,
        "forecast": queries.forecast(step.tiers, days=days),
        "asks_anyway": TIERS_THAT_ACT.isdisjoint(step.tiers),
        "is_first": way == "on" and not services.present().force_proposal,
        "is_locked": settings.LOCK_FLAGS,
    }
    return render(request, "oversight/rollout_confirm.html", context)


def _days(request: HttpRequest) -> int:
    asked = request.GET.get("days", "")
    return int(asked) if asked in map(str, WINDOWS) else WINDOWS[0]


def _page(request: HttpRequest, *, status: int = 200, **said: Any) -> HttpResponse:
    person, days = person_of(request), _days(request)
    figures, now = queries.figures_for(person, days=days), services.present()
    context = {
        "room": "rollout",
        "days": days,
        "windows": WINDOWS,
        "figures": figures,
        "health": queries.record_health(days=days),
        "roll_out": now,
        "switches": [_state_of(step, now, figures) for step in STEPS],
        "too_much": [tier.tier for tier in figures.tiers if tier.volume.is_above],
        "is_locked": settings.LOCK_FLAGS,
        "may_switch": is_admin(request) and not settings.LOCK_FLAGS,
        "sees_all": person.role != Person.Role.REVIEWER,
        **said,
    }
    return render(request, "oversight/rollout.html", context, status=status)


def _state_of(step: Step, now: RollOut, figures: queries.Figures) -> dict[str, Any]:
    """One switch as the page draws it."""
    own = [row for row in figures.agents if row.agent.tier in step.tiers]
    return {
        "step": step,
        "is_on": now.is_on(step),
        "is_partly_on": now.is_partly_on(step),
        "is_next": now.next_step == step,
        "would_be_sent": sum(row.would_be_sent for row in own),
        "sent": sum(row.tally.sent for row in own),
        "acts": sum(row.tally.acts for row in own),
    }
