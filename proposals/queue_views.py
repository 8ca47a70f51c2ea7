"""The list beside the card: what waits, what was settled, and how somebody likes to see it."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agents import duty, services
from agents.access import agents_visible_to
from agents.models import AgentRegistry, Person
from agents.pages import person_of
from core import clock
from core.errors import Invalid
from core.speaking import spoken
from proposals import preferences, queries
from proposals.filters import LEVELS, filters_of

MOST_ROWS = 50


def lists(request: HttpRequest) -> dict[str, Any]:
    """What the list shows of both kinds, by the filters and the place in the address."""
    person, filters = person_of(request), filters_of(request.GET)
    after = queries.read_place(request.GET.get("after", ""))
    page = queries.queue_page(person, filters, after=after)
    return {
        "waiting": page.rows,
        "more_after": page.end,
        "settled": [] if after else list(queries.recently_settled(person, filters)),
        "waiting_count": queries.pending_count(person, filters),
        "filters": filters,
        "unattended": _unattended(person),
        "now": clock.now(),
    }


def _unattended(person: Person) -> list[str]:
    """Admins are told which teams nobody watches."""
    return duty.unattended_teams(seen_by=person) if person.role == Person.Role.ADMIN else []


def desk_parts(request: HttpRequest) -> dict[str, Any]:
    """What only the whole page has: the choices to filter by, the keys and the switches."""
    agents = agents_visible_to(person_of(request)).order_by("name")
    return {
        "agent_names": list(agents.values_list("name", flat=True)),
        "tiers": AgentRegistry.Tier.values,
        "levels": LEVELS,
        "preferences": preferences.preferences_of(person_of(request)),
    }


@require_GET
@never_cache
@login_required
def queue_list(request: HttpRequest) -> HttpResponse:
    return render(request, "proposals/_list.html", lists(request))


@require_GET
@never_cache
@login_required
def queue_rows(request: HttpRequest) -> HttpResponse:
    """These rows as they are now. What is missing is not to be seen here, or not any more."""
    person, filters = person_of(request), filters_of(request.GET)
    context = {
        "rows": queries.rows_of(person, _ids(request), filters),
        "waiting_count": queries.pending_count(person, filters),
        "filters": filters,
        "now": clock.now(),
    }
    return render(request, "proposals/_changed_rows.html", context)


def _ids(request: HttpRequest) -> list[UUID]:
    ids = []
    for words in request.GET.getlist("id")[:MOST_ROWS]:
        try:
            ids.append(UUID(words))
        except ValueError:
            continue
    return ids


@require_POST
@login_required
def set_keys(request: HttpRequest) -> HttpResponse:
    """Each act's key; an act that is not named gets its usual one, so nothing named is a reset."""
    try:
        keys = preferences.checked_keys(request.POST.dict())
    except Invalid as error:
        return JsonResponse(
            {"message": spoken(error.message), "act": error.details["field"]}, status=422
        )
    _keep(request, keys=keys)
    return JsonResponse({"keys": keys})


@require_POST
@login_required
def set_alerts(request: HttpRequest) -> HttpResponse:
    """Whether a new card may sound, and show a notification."""
    chosen = {name: request.POST.get(name) == "on" for name in ("sound", "notify")}
    _keep(request, **chosen)
    return JsonResponse(chosen)


def _keep(request: HttpRequest, **chosen: Any) -> None:
    person = person_of(request)
    wanted = replace(preferences.preferences_of(person), **chosen)
    services.set_preference(person, preferences.NAME, wanted.as_json())
