"""Settings, people: the list, an invitation, one person, and every change of them."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents import access, mails, queries, services
from agents.forms import InvitationForm, RoleForm, TeamsForm
from agents.models import Person, Team
from agents.pages import refusals, require_admin
from agents.services import actor_of
from core.actors import Actor
from core.errors import DomainError
from core.speaking import spoken

ROLE_MEANINGS = {
    "reviewer": gettext_lazy("Decides for the agents of their teams."),
    "admin": gettext_lazy("Decides too, and changes agents, settings, people and teams."),
    "auditor": gettext_lazy("Reads everything of their teams and decides nothing."),
}


@require_GET
@never_cache
@login_required
def people(request: HttpRequest) -> HttpResponse:
    require_admin(request)
    context = {"room": "settings", "tab": "people", "people": queries.people()}
    return render(request, "agents/people.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def invite(request: HttpRequest) -> HttpResponse:
    admin = require_admin(request)
    form = InvitationForm(request.POST or None)
    if form.is_bound and form.is_valid():
        person = _invited(form, actor_of(admin))
        if person is not None:
            return _with_link(request, person, actor_of(admin))
    context = {
        "room": "settings",
        "tab": "people",
        "form": form,
        "roles": ROLE_MEANINGS.items(),
        "chosen_role": form["role"].value() or Person.Role.REVIEWER,
        "teams": Team.objects.order_by("name"),
        "chosen_teams": request.POST.getlist("teams"),
        "mail_is_on": mails.is_on(),
    }
    status = 422 if form.is_bound else 200
    return render(request, "agents/person_new.html", context, status=status)


def _invited(form: InvitationForm, actor: Actor) -> Person | None:
    try:
        return services.invite(**form.cleaned_data, actor=actor)
    except DomainError as error:
        form.add_error(str(error.details.get("field", "username")), spoken(error.message))
        return None


@require_GET
@never_cache
@login_required
def person(request: HttpRequest, person_id: int) -> HttpResponse:
    return _page(request, _found(request, person_id))


@require_POST
@login_required
def set_role(request: HttpRequest, person_id: int) -> HttpResponse:
    form = RoleForm(request.POST)

    def act(found: Person, actor: Actor) -> None:
        if form.is_valid():
            services.set_role(found, form.cleaned_data["role"], actor=actor)

    return _change(
        request, person_id, act, said=gettext("The role is changed, from the next click on.")
    )


@require_POST
@login_required
def set_teams(request: HttpRequest, person_id: int) -> HttpResponse:
    form = TeamsForm(request.POST)

    def act(found: Person, actor: Actor) -> None:
        if form.is_valid():
            services.set_teams(found, form.cleaned_data["teams"], actor=actor)

    return _change(request, person_id, act, said=gettext("The teams are changed."))


@require_POST
@never_cache
@login_required
def create_link(request: HttpRequest, person_id: int) -> HttpResponse:
    """An invitation again, or a way back in for who lost the password."""
    found = _found(request, person_id)
    return _with_link(request, found, actor_of(require_admin(request)))


@require_POST
@login_required
def deactivate(request: HttpRequest, person_id: int) -> HttpResponse:
    said = gettext("Switched off: every session and open page of theirs is ended.")
    return _change(request, person_id, lambda p, by: services.deactivate(p, actor=by), said=said)


@require_POST
@login_required
def reactivate(request: HttpRequest, person_id: int) -> HttpResponse:
    said = gettext("Switched on: they may sign in again.")
    return _change(request, person_id, lambda p, by: services.reactivate(p, actor=by), said=said)


@require_POST
@login_required
def end_sessions(request: HttpRequest, person_id: int) -> HttpResponse:
    said = gettext("Signed out everywhere.")
    return _change(request, person_id, lambda p, by: services.end_sessions(p, actor=by), said=said)


@require_POST
@login_required
def remove_second_factor(request: HttpRequest, person_id: int) -> HttpResponse:
    said = gettext("The second factor is removed: ask them to set up a new one.")
    return _change(
        request, person_id, lambda p, by: services.remove_second_factor(p, actor=by), said=said
    )


def _found(request: HttpRequest, person_id: int) -> Person:
    require_admin(request)
    with refusals():
        return access.get_person(person_id)


def _change(
    request: HttpRequest, person_id: int, act: Callable[[Person, Actor], object], *, said: str
) -> HttpResponse:
    found = _found(request, person_id)
    try:
        act(found, actor_of(require_admin(request)))
    except DomainError as error:
        return _page(request, found, status=error.status, refusal=error.message)
    messages.success(request, said)
    return redirect("person", found.pk)


def _with_link(request: HttpRequest, found: Person, actor: Actor) -> HttpResponse:
    """Mailed, else shown by the answer itself: it is kept nowhere, so there is no page for it."""
    try:
        token = services.create_password_link(found, actor=actor)
    except DomainError as error:
        return _page(request, found, status=error.status, refusal=error.message)
    if mails.send_link(found, token):
        messages.success(
            request, gettext("A link was mailed to {address}.").format(address=found.email)
        )
        return redirect("person", found.pk)
    return _page(request, found, new_link=mails.address_of(token))


def _page(request: HttpRequest, found: Person, *, status: int = 200, **said: Any) -> HttpResponse:
    shown = queries.people().get(pk=found.pk)
    context = {
        "room": "settings",
        "tab": "people",
        "person": shown,
        "roles": ROLE_MEANINGS.items(),
        "teams": Team.objects.order_by("name"),
        "in_teams": set(shown.teams.values_list("pk", flat=True)),
        "lines": queries.session_lines(shown),
        "changes": queries.changes_of(shown),
        "is_oneself": shown.pk == request.user.pk,
        **said,
    }
    return render(request, "agents/person.html", context, status=status)
