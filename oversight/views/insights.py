"""Insights: how sure acts were, how people decided, and what keeps coming back."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from agents.models import Person
from oversight.insights import insights_for
from oversight.insights_calls import agreement_for, offenders_for
from oversight.insights_charts import charts_of
from oversight.insights_wrong import wrong_selectors_for
from oversight.queries import first_day
from oversight.views.people import person_of

WINDOWS = (7, 30, 90)
USUAL = 30


@require_GET
@never_cache
@login_required
def insights(request: HttpRequest) -> HttpResponse:
    person, days = person_of(request), chosen_days(request)
    found, since = insights_for(person, days=days), first_day(days)
    context = {
        "room": "insights",
        "days": days,
        "windows": WINDOWS,
        "found": found,
        "charts": charts_of(found),
        "offenders": offenders_for(person, since=since),
        "agreement": agreement_for(person, since=since),
        "wrong_selectors": wrong_selectors_for(person, since=since),
        "sees_all": person.role == Person.Role.ADMIN,
    }
    return render(request, "oversight/insights.html", context)


def chosen_days(request: HttpRequest) -> int:
    asked = request.GET.get("days", "")
    return int(asked) if asked in map(str, WINDOWS) else USUAL
