"""A person's pages about runs, and the pictures that pages show."""

import re
from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agents.models import Person
from agents.pages import refusals
from agents.services import actor_of
from core import clock
from core.errors import DomainError, Forbidden, Invalid, NotFound
from core.keyset import Mark, read_mark
from core.speaking import spoken
from routing.queries import turn_count
from runs import access, queries, services
from runs.exporting import NextRows, export
from runs.models import Run
from runs.protocol_page import ProtocolPage
from runs.searching import LEVELS, read_search
from runs.services import report_wrong_target
from runs.timeline import COLUMNS, row_of

NOT_STOPPED = {
    "action": gettext_lazy("The action could not be stopped. {why}"),
    "browser": gettext_lazy("The browser could not be stopped. {why}"),
}
PICTURE_TYPES = frozenset({"image/jpeg", "image/png", "image/webp"})


def _person(request: HttpRequest) -> Person:
    return cast(Person, request.user)  # login_required has made sure


@require_GET
@never_cache
@login_required
def runs(request: HttpRequest) -> HttpResponse:
    """Newest first, a page at a time: `?before=` is where the page above ended.
    The rest of the address is what was searched."""
    person, search = _person(request), read_search(request.GET)
    before = read_mark(request.GET.get("before", ""))
    found = queries.page_of_runs(person, search, before=before)
    shown = found[: queries.PAGE_SIZE]
    waiting = queries.waiting_by_run(shown)
    context = {
        "room": "runs",
        "rows": [(run, waiting.get(run.pk)) for run in shown],
        "next_before": Mark.of(shown[-1]) if len(found) > len(shown) else "",
        "is_later_page": before is not None,
        "search": search,
        "agents": queries.agent_names(person),
        "statuses": Run.Status.choices,
    }
    return render(request, "runs/list.html", context)


@require_GET
@login_required
def export_runs(request: HttpRequest) -> HttpResponseBase:
    """What was searched, as a file."""
    person, search = _person(request), read_search(request.GET)
    return _file(
        request,
        "runs",
        queries.RUN_COLUMNS,
        lambda mark: queries.runs_after(person, search, mark),
    )


def _file(
    request: HttpRequest, name: str, columns: Sequence[str], next_rows: NextRows
) -> HttpResponseBase:
    form = request.GET.get("format", "jsonl")
    try:
        return export(name, form=form, columns=columns, next_rows=next_rows)
    except Invalid as error:
        raise Http404(error.message) from error


@require_GET
@never_cache
@login_required
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """`?level=` shows the steps of one level only; of a long run the latest, or those from `?step=`
    on, or beside a mark."""
    return run_page(request, visible_run(request, run_id))


def run_page(request: HttpRequest, found: Run, *, status: int = 200, **said: Any) -> HttpResponse:
    tally, level = queries.tally_of(found), request.GET.get("level", "")
    level = level if level in LEVELS else ""
    context = {
        "room": "runs",
        "run": found,
        "page": queries.page_of_steps(found, _place(request), level=level),
        "level": level,
        "tally": tally,
        "entry_count": queries.entry_count(found),
        "turn_count": turn_count(found.id),
        "protocol": ProtocolPage(found),
        "question": queries.question_of(found),
        "form": request.POST,
        "now": clock.now(),
        "may_decide": _person(request).may_decide,
        **said,
    }
    return render(request, "runs/run.html", context, status=status)


def _place(request: HttpRequest) -> queries.StepsPlace:
    step = request.GET.get("step", "")
    return queries.StepsPlace(
        before=read_mark(request.GET.get("before", "")),
        after=read_mark(request.GET.get("after", "")),
        step_id=int(step) if re.fullmatch("[0-9]{1,9}", step) else None,
    )


@require_GET
@login_required
def export_run(request: HttpRequest, run_id: UUID) -> HttpResponseBase:
    """The whole timeline as a file, a line for each step."""
    found = visible_run(request, run_id)
    return _file(
        request,
        f"run-{found.pk}",
        COLUMNS,
        lambda mark: _rows_after(found, mark),
    )


def _rows_after(found: Run, mark: Mark | None) -> tuple[list[dict[str, Any]], Mark | None]:
    steps, following = queries.steps_after(found, mark)
    return [row_of(step) for step in steps], following


@require_POST
@login_required
def wrong_target(request: HttpRequest, run_id: UUID, action_id: UUID) -> HttpResponse:
    """A person says that a step hit another element than was meant."""
    found = visible_run(request, run_id)
    step = found.actions.filter(pk=action_id).first()
    if step is None:
        raise Http404("There is no such step in this run.")
    try:
        report_wrong_target(action_id, person=_person(request), note=request.POST.get("note", ""))
    except Forbidden as error:
        raise PermissionDenied(error.message) from error
    except DomainError as error:
        return run_page(request, found, status=error.status, refused=step.pk, refusal=error.message)
    return redirect(address_of_step(run_id, step.step_id))


@require_POST
@login_required
def kill(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Stop the run at once; its page then says by whom, and what came too late for that."""
    with refusals():
        found = access.killable_by(_person(request), run_id)
    why = request.POST.get("why", "")[: services.MAX_WHY]
    for one in services.kill(found, actor=actor_of(_person(request)), why=why).not_stopped:
        words = NOT_STOPPED[one.what]
        messages.warning(request, words.format(why=spoken(one.message)))
    return redirect("run", run_id)


def visible_run(request: HttpRequest, run_id: UUID) -> Run:
    try:
        return access.get_visible(_person(request), run_id)
    except NotFound as error:
        raise Http404(error.message) from error


def address_of_step(run_id: UUID, step_id: int) -> str:
    """Opens the page of the run that has this step."""
    return f"{reverse('run', args=[run_id])}?step={step_id}#step-{step_id}"


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
