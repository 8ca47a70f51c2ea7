"""Settings: what a text, as it is typed, means on the page of an open run. Admins only."""

from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from agents.models import Person
from confirmations import trials
from confirmations.models import Profile, ProfileTrial
from core.errors import DomainError, Invalid
from core.words import phrase
from oversight import queries
from oversight.views.people import require_admin
from oversight.views.profiles import editor, seen_in, written_in
from runs import waiting
from runs.models import Run

WAIT_S = 10


@require_POST
@never_cache
@login_required
async def try_profile(request: HttpRequest) -> HttpResponse:
    """A worker looks; the answer is waited for and no thread is held meanwhile."""
    try:
        trial = await sync_to_async(_asked)(request)
    except DomainError as error:
        return await sync_to_async(_page)(request, wrong=error)
    waits = waiting.Waits(trial.pk, WAIT_S, partial(_look, trial.pk))
    _, answered = await waiting.answer(waits)
    return await sync_to_async(_page)(request, trial=answered)


def _asked(request: HttpRequest) -> ProfileTrial:
    person = require_admin(request)
    run = _chosen(request, person)
    return trials.ask(run.pk, written_in(request), person=person)


def _chosen(request: HttpRequest, person: Person) -> Run:
    """Another team's run is not there, like one that is over."""
    runs = {str(run.pk): run for run in queries.open_runs(person)}
    chosen = runs.get(request.POST.get("run", ""))
    if chosen is None:
        raise Invalid(phrase("Choose an open run: that one is over, or was never there."))
    return chosen


def _look(trial_id: UUID) -> tuple[int, Any, bool]:
    trial = ProfileTrial.objects.get(pk=trial_id)
    return 200, trial, trial.status == ProfileTrial.Status.WAITING


def _page(request: HttpRequest, **said: Any) -> HttpResponse:
    """The editor as it was left, with what was found."""
    profile = Profile.objects.filter(name=request.POST.get("profile", "")).first()
    said["chosen_run"] = request.POST.get("run", "")
    return editor(request, profile, text=written_in(request), seen=seen_in(request), **said)
