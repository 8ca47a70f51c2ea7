"""A person answers an agent's question in their own words, on its card or on the run's page."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from agents.models import Person
from agents.pages import person_of
from core.errors import DomainError
from core.speaking import spoken
from core.words import phrase
from proposals.domain import NotAYes
from proposals.views import do_on_card
from runs import views
from runs.record import id_of
from runs.replying import Reply, reply

LONGEST_REPLY = 1_000


@require_POST
@login_required
def answer_card(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    person = _reviewer(request)
    return do_on_card(
        request, proposal_id, lambda: _answer(request, person, question_id=proposal_id)
    )


@require_POST
@login_required
def answer_run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """`question` is the one that the page showed: a newer one is not answered by it."""
    found = views.visible_run(request, run_id)
    person = _reviewer(request)
    question_id = id_of(request.POST.get("question", ""))
    if question_id is None:
        raise Http404("No question is named.")
    try:
        said = _answer(request, person, run_id=run_id, question_id=question_id)
    except DomainError as error:
        return views.run_page(request, found, status=error.status, not_a_yes=error.message)
    messages.success(request, spoken(said.message))
    return redirect("run", run_id)


def _answer(request: HttpRequest, person: Person, **which: UUID) -> Reply:
    """Raises NotAYes with the reason; then nothing changed."""
    words = request.POST.get("reply", "").replace("\0", "").strip()
    if not words:
        raise NotAYes(phrase("Write your answer first."))
    if len(words) > LONGEST_REPLY:
        raise NotAYes(phrase("At most {count} characters.", count=LONGEST_REPLY))
    said = reply(person, words, **which)
    if said.code:
        raise NotAYes(said.message)
    return said


def _reviewer(request: HttpRequest) -> Person:
    person = person_of(request)
    if not person.may_decide:
        raise PermissionDenied(gettext("Your role may read questions but not answer them."))
    return person
