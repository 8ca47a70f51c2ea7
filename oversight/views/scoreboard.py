"""The scoreboard: how agents did their tasks, and whether they asked first."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from oversight.queries import first_day
from oversight.scoreboard import PAGE_SIZE, score_lines
from oversight.views.insights import WINDOWS, chosen_days
from oversight.views.people import person_of


@require_GET
@never_cache
@login_required
def scoreboard(request: HttpRequest) -> HttpResponse:
    """By name, a page at a time: `?after=` is the last name of the page above."""
    days, after = chosen_days(request), request.GET.get("after", "").replace("\0", "")
    lines = score_lines(person_of(request), days=days, after=after)
    shown = lines[:PAGE_SIZE]
    context = {
        "room": "scoreboard",
        "days": days,
        "windows": WINDOWS,
        "since": first_day(days),
        "lines": shown,
        "next_after": shown[-1].name if len(lines) > len(shown) else "",
        "is_later_page": bool(after),
    }
    return render(request, "oversight/scoreboard.html", context)
