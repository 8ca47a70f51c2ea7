"""Settings, teams: the list, and who is in one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from agents import access, duty, queries, services
from agents.forms import MembersForm, TeamNameForm
from agents.models import AgentRegistry, Person, Team
from agents.pages import refusals, require_admin
from agents.services import DEFAULT_TEAM, actor_of
from core.errors import DomainError
from core.speaking import spoken


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def teams(request: HttpRequest) -> HttpResponse:
    """GET lists them; POST makes one."""
    admin = require_admin(request)
    form = TeamNameForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            made = services.create_team(form.cleaned_data["name"], actor=actor_of(admin))
            return redirect("team", made.pk)
        except DomainError as error:
            form.add_error("name", spoken(error.message))
    found = list(queries.teams())
    people = duty.people_on_duty([one.pk for one in found]) or {}
    context = {
        "room": "settings",
        "tab": "teams",
        "teams": [(one, len(people[one.pk]) if one.pk in people else None) for one in found],
        "form": form,
    }
    status = 422 if form.is_bound else 200
    return render(request, "agents/teams.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def team(request: HttpRequest, team_id: int) -> HttpResponse:
    """GET shows who is in it; POST sets that."""
    admin = require_admin(request)
    found = _found(team_id)
    form = MembersForm(request.POST)
    if request.method != "POST":
        return _page(request, found)
    try:
        if form.is_valid():
            services.set_members(found, **form.cleaned_data, actor=actor_of(admin))
    except DomainError as error:
        return _page(request, found, status=error.status, refusal=error.message)
    messages.success(request, gettext("Its people and agents are changed."))
    return redirect("team", found.pk)


@require_POST
@login_required
def rename(request: HttpRequest, team_id: int) -> HttpResponse:
    admin = require_admin(request)
    found = _found(team_id)
    form = TeamNameForm(request.POST)
    if not form.is_valid():
        return _page(request, found, status=422, refusal=form.errors["name"][0])
    try:
        services.rename_team(found, form.cleaned_data["name"], actor=actor_of(admin))
    except DomainError as error:
        return _page(request, _found(team_id), status=error.status, refusal=error.message)
    messages.success(request, gettext("It is renamed."))
    return redirect("team", found.pk)


def _found(team_id: int) -> Team:
    with refusals():
        return access.get_team(team_id)


def _page(request: HttpRequest, found: Team, *, status: int = 200, **said: Any) -> HttpResponse:
    context = {
        "room": "settings",
        "tab": "teams",
        "team": found,
        "is_default": found.name == DEFAULT_TEAM,
        "people": Person.objects.filter(is_active=True).order_by("username"),
        "agents": AgentRegistry.objects.order_by("name"),
        "people_in": set(found.people.values_list("pk", flat=True)),
        "agents_in": set(found.agents.values_list("pk", flat=True)),
        **said,
    }
    return render(request, "agents/team.html", context, status=status)
