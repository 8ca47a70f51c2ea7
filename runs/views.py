"""A person's pages about runs, and the pictures that pages show."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from agents.models import Person
from audit.queries import verify_chain
from core.errors import NotFound
from runs import access, queries
from runs.models import Run
from runs.timeline import Step

PICTURE_TYPES = frozenset({"image/jpeg", "image/png", "image/webp"})


def _person(request: HttpRequest) -> Person:
    return cast(Person, request.user)  # login_required has made sure


@require_GET
@never_cache
@login_required
def runs(request: HttpRequest) -> HttpResponse:
    """Newest first, a page at a time: `?before=` is the start of the last run of the page above."""
    before = _moment(request.GET.get("before", ""))
    found = queries.page_of_runs(_person(request), before=before)
    shown = found[: queries.PAGE_SIZE]
    waiting = queries.waiting_by_run(shown)
    context = {
        "room": "runs",
        "rows": [(run, waiting.get(run.pk)) for run in shown],
        "next_before": shown[-1].created_at.isoformat() if len(found) > len(shown) else "",
        "is_later_page": before is not None,
    }
    return render(request, "runs/list.html", context)


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


@require_GET
@never_cache
@login_required
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    found = _visible(request, run_id)
    steps = queries.timeline_of(found)
    context = {
        "room": "runs",
        "run": found,
        "steps": steps,
        "tally": _tally(steps),
        "broken_at": verify_chain(str(found.pk)),
        "entry_count": queries.entry_count(found),
    }
    return render(request, "runs/run.html", context)


def _visible(request: HttpRequest, run_id: UUID) -> Run:
    try:
        return access.get_visible(_person(request), run_id)
    except NotFound as error:
        raise Http404(error.message) from error


def _tally(steps: Iterable[Step]) -> dict[str, Any]:
    levels = [step.level for step in steps]
    return {level: levels.count(level) for level in ("high", "partial", "ambiguous")}


@require_GET
@login_required
def picture(request: HttpRequest, digest: str) -> HttpResponse:
    """A screenshot, for those who may see the card or the step it belongs to. Never cached."""
    found = queries.picture_for(_person(request), digest)
    if found is None or found.media_type not in PICTURE_TYPES:
        raise Http404("There is no such picture, or it was erased.")
    response = HttpResponse(bytes(found.content), content_type=found.media_type)
    response["Cache-Control"] = "no-store"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Disposition"] = "inline"
    return response
