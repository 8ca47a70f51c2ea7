"""The page of a run's conversation: who said what, which agent answered and why."""

import re
import uuid
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

import routing.services
from agents.pages import person_of, refusals
from core import clock
from core.errors import DomainError
from core.speaking import spoken
from routing import executors
from routing.domain.rules import Target
from routing.queries import page_of_turns, standing_of
from routing.services.conversing import LONGEST
from runs import access, conversing, queries
from runs.conversation_page import cards_of
from runs.models import Run
from runs.record import id_of

PAGE = 60


@require_GET
@never_cache
@login_required
def conversation(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The latest turns, or those before `?before=`. Our own script asks for the turns alone."""
    run = _visible(request, run_id)
    return _talk(request, run) if _wants_fragment(request) else _page(request, run)


@require_POST
@login_required
def say(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """`question` is the one that the page showed: a newer one is not answered by this."""
    run = _visible(request, run_id)
    form = request.POST
    override = form.get("override", "")

    def speak() -> object:
        return conversing.say(
            person_of(request),
            run,
            form.get("text", "").replace("\0", ""),
            override=override if override in list(Target) else "",
            question_id=id_of(form.get("question", "")) or conversing.NONE_SHOWN,
            key=form.get("key", "")[:40],
        )

    try:
        with refusals():
            speak()
    except DomainError as error:
        if _wants_fragment(request):
            return HttpResponse(_complaint(error), status=error.status)
        return _page(request, run, status=error.status, refusal=error.message)
    return _shown(request, run)


@require_POST
@login_required
def resend(request: HttpRequest, run_id: UUID, number: int) -> HttpResponse:
    """What failed or was refused is routed and answered anew."""

    def send(run: Run) -> None:
        if routing.services.resend(run.id, number, person=person_of(request)) is None:
            raise Http404("There is no such turn of a person.")

    return _done(request, run_id, send)


@require_POST
@login_required
def unpin(request: HttpRequest, run_id: UUID) -> HttpResponse:
    return _done(
        request, run_id, lambda run: routing.services.unpin(run.id, person=person_of(request))
    )


def _done(request: HttpRequest, run_id: UUID, act: Callable[[Run], None]) -> HttpResponse:
    run = _visible(request, run_id)
    with refusals():
        conversing.refuse_who_only_reads(person_of(request))
    try:
        act(run)
    except DomainError as error:
        messages.warning(request, spoken(error.message))
    return _shown(request, run)


def _visible(request: HttpRequest, run_id: UUID) -> Run:
    with refusals():
        return access.get_visible(person_of(request), run_id)


def _wants_fragment(request: HttpRequest) -> bool:
    return "X-Fragment" in request.headers


def _shown(request: HttpRequest, run: Run) -> HttpResponse:
    return _talk(request, run) if _wants_fragment(request) else redirect("conversation", run.pk)


def _complaint(error: DomainError) -> str:
    return format_html("<p>{}</p>", spoken(error.message))


def _talk(request: HttpRequest, run: Run) -> HttpResponse:
    return render(request, "runs/_talk.html", _context(request, run))


def _page(request: HttpRequest, run: Run, *, status: int = 200, refusal: str = "") -> HttpResponse:
    context = {
        **_context(request, run),
        "room": "runs",
        "refusal": refusal,
        "form": request.POST,
        "longest": LONGEST,
    }
    return render(request, "runs/conversation.html", context, status=status)


def _context(request: HttpRequest, run: Run) -> dict[str, Any]:
    page = page_of_turns(run.id, size=PAGE, before=_before(request))
    question = queries.question_of(run)
    return {
        "run": run,
        "cards": cards_of(page.turns),
        "earlier": page.before,
        "is_earlier_page": _before(request) is not None,
        "standing": standing_of(run.id),
        "question": question,
        "shown_question": question.pk if question else conversing.NONE_SHOWN,
        "unconnected": [target for target in Target if not executors.is_connected(target)],
        "key": uuid.uuid4(),
        "now": clock.now(),
        "may_speak": person_of(request).may_decide,
    }


def _before(request: HttpRequest) -> int | None:
    before = request.GET.get("before", "")
    return int(before) if re.fullmatch("[0-9]{1,9}", before) else None
