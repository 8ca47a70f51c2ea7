"""Precedents: what reviewers taught, seen, edited, resumed and revoked."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agents.models import Person
from agents.services import actor_of
from confidence import precedents as services
from confidence.domain.page_pattern import is_within
from confidence.models import Precedent
from core.errors import DomainError, Forbidden
from core.words import phrase
from oversight import access, precedents
from oversight.precedents_form import PrecedentForm
from oversight.views.people import is_admin, person_of, refusals

LARGEST_ID = 2**63 - 1


@require_GET
@never_cache
@login_required
def precedents_page(request: HttpRequest) -> HttpResponse:
    return _page(request)


@require_POST
@login_required
def edit(request: HttpRequest, precedent_id: int) -> HttpResponse:
    """Its pages and its end; whether it also settles ambiguous calls is an admin's to say."""
    person = person_of(request)
    form = PrecedentForm(request.POST)
    try:
        with refusals():
            found = precedents.changeable_by(person, precedent_id)
            if not form.is_valid():
                return _page(request, status=422, wrong_id=precedent_id, wrong=form.problem())
            changes = _changes(form, found, person)
        _refuse_wider(changes, found, person)
        if changes:
            with refusals():
                services.edit(found, actor=actor_of(person), **changes)
    except DomainError as error:
        return _page(request, status=error.status, wrong_id=precedent_id, wrong=error.message)
    words = gettext("The precedent is changed.") if changes else gettext("Nothing was changed.")
    messages.success(request, words)
    return redirect(f"{reverse('precedents')}#precedent-{precedent_id}")


def _changes(form: PrecedentForm, found: Precedent, person: Person) -> dict[str, Any]:
    """A reviewer's form has no box for ambiguous calls: its absence changes nothing, and sending
    one is refused."""
    changes = form.changes_of(found)
    if person.role != Person.Role.ADMIN and changes.pop("rescues_ambiguous", False):
        access.admin(person)
    return changes


def _refuse_wider(changes: Mapping[str, Any], found: Precedent, person: Person) -> None:
    """Other pages than those it was taught on, or more of them, are an admin's to name."""
    pattern = changes.get("page_pattern", found.page_pattern)
    if person.role != Person.Role.ADMIN and not is_within(pattern, found.page_pattern):
        raise Forbidden(phrase("You may name fewer of its pages; for more or others ask an admin."))


@require_POST
@login_required
def resume(request: HttpRequest, precedent_id: int) -> HttpResponse:
    """Admins only: it picks again."""
    person = person_of(request)
    try:
        with refusals():
            found = precedents.resumable_by(person, precedent_id)
        services.edit(found, actor=actor_of(person), resumes=True)
    except DomainError as error:
        return _page(request, status=error.status, wrong_id=precedent_id, wrong=error.message)
    messages.success(request, gettext("The precedent picks again."))
    return redirect("precedents")


@require_POST
@login_required
def revoke(request: HttpRequest, precedent_id: int) -> HttpResponse:
    person = person_of(request)
    try:
        with refusals():
            found = precedents.changeable_by(person, precedent_id)
        services.revoke(found, actor=actor_of(person))
    except DomainError as error:
        return _page(request, status=error.status, wrong_id=precedent_id, wrong=error.message)
    messages.success(request, gettext("The precedent is revoked: it picks no more."))
    return redirect("precedents")


def _page(request: HttpRequest, *, status: int = 200, **said: Any) -> HttpResponse:
    person = person_of(request)
    state, before = request.GET.get("state", ""), _number(request.GET.get("before", ""))
    rows = precedents.page_of_precedents(person, state=state, before=before)
    shown = rows[: precedents.PAGE_SIZE]
    context = {
        "room": "precedents",
        "rows": shown,
        "state": state if state in precedents.STATES else "",
        "states": precedents.STATES,
        "next_before": shown[-1].precedent.pk if len(rows) > len(shown) else "",
        "is_later_page": before is not None,
        "may_change": person.may_decide,
        "is_admin": is_admin(request),
        **said,
    }
    return render(request, "oversight/precedents.html", context, status=status)


def _number(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) < 20
    return int(text) if is_number and 0 < int(text) <= LARGEST_ID else None
