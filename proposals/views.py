"""The desk: the queue, one card at a time, and the decisions made on it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agents.models import Person
from core import clock
from core.errors import DomainError, NotFound
from core.words import phrase
from proposals import access, lookups, queries, queue_views, services
from proposals.cards import Card
from proposals.domain import AlreadyDecided, Expired, NotAYes, StaleVersion
from proposals.forms import REMEMBER, ActingForm, DecisionForm, second_act
from proposals.full_view import FullView
from proposals.models import Proposal
from proposals.services import full_pictures, previews

QUICK_REASONS = (
    gettext_lazy("Wrong element"),
    gettext_lazy("Not what was asked"),
    gettext_lazy("Too risky"),
    gettext_lazy("The page is not ready"),
    gettext_lazy("Ask me first"),
)
REASONS_TO_SAY_NO = (
    gettext_lazy("Not what was asked"),
    gettext_lazy("Too risky"),
    gettext_lazy("Not now"),
    gettext_lazy("Ask again, with the details"),
)


def _person(request: HttpRequest) -> Person:
    return cast(Person, request.user)  # login_required has made sure


def _visible(request: HttpRequest, proposal_id: UUID) -> Proposal:
    try:
        return access.get_visible(_person(request), proposal_id)
    except NotFound as error:
        raise Http404(error.message) from error


def _wants_fragment(request: HttpRequest) -> bool:
    """Our own scripts ask for the card alone; a browser without them gets the whole page."""
    return "X-Fragment" in request.headers


# --- pages and fragments ----------------------------------------------------------------
@require_GET
@never_cache
@login_required
def queue(request: HttpRequest) -> HttpResponse:
    """The whole desk, with the first waiting card open where there is room for it."""
    lists = queue_views.lists(request)
    first = next(iter(lists["waiting"]), None)
    proposal = _visible(request, first.pk) if first else None
    return _desk(request, proposal, lists=lists, view="list")


@require_GET
@never_cache
@login_required
def proposal(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    return _desk(request, _visible(request, proposal_id))


@require_GET
@never_cache
@login_required
def card(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    return _card(request, _visible(request, proposal_id))


@require_GET
@never_cache
@login_required
def found(request: HttpRequest, proposal_id: UUID, preview_id: UUID) -> HttpResponse:
    """What was looked up on the waiting page, as one more candidate of its card."""
    proposal = _visible(request, proposal_id)
    preview = previews.get_visible(_person(request), preview_id)
    if preview is None or preview.proposal_id != proposal.pk:
        raise Http404("Nothing was looked up under this id.")
    context = {
        "proposal": proposal,
        "look": lookups.look_of(preview, queries.card_of(proposal)),
        "expired": proposal.has_expired(clock.now()),
        "may_decide": _person(request).may_decide,
    }
    return render(request, "proposals/_found.html", context)


@require_POST
@login_required
def view(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """This person has the card open. Says nothing: others hear of it over the socket."""
    services.view(_visible(request, proposal_id), person=_person(request))
    return HttpResponse(status=204)


@require_POST
@login_required
def full_picture(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """Have the whole waiting page photographed. The card says that it is being done."""
    return do_on_card(
        request, proposal_id, lambda: full_pictures.ask(proposal_id, person=_person(request))
    )


# --- decisions --------------------------------------------------------------------------
@require_POST
@login_required
def approve(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    form = ActingForm(request.POST, proposal=_visible(request, proposal_id))

    def act(said: dict[str, Any]) -> Proposal:
        form.refuse_changes()
        return services.approve(
            proposal_id,
            person=_person(request),
            version=said["version"],
            chosen_index=said["chosen_index"],
            fields=form.picks(),
            reason=said["reason"],
            remember=said["remember"],
        )

    return _decide(request, proposal_id, form, act)


@require_POST
@login_required
def modify(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    form = ActingForm(request.POST, proposal=_visible(request, proposal_id))

    def act(said: dict[str, Any]) -> Proposal:
        return services.modify(
            proposal_id,
            person=_person(request),
            version=said["version"],
            modifications=form.modifications(),
            reason=said["reason"],
            remember=said["remember"],
        )

    return _decide(request, proposal_id, form, act)


@require_POST
@login_required
def reject(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    def act(said: dict[str, Any]) -> Proposal:
        return services.reject(
            proposal_id, person=_person(request), version=said["version"], reason=said["reason"]
        )

    return _decide(request, proposal_id, DecisionForm(request.POST), act)


@require_POST
@login_required
def message(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """Tell the agent something without deciding."""
    _visible(request, proposal_id)
    text = request.POST.get("message", "")
    try:
        services.say(proposal_id, person=_person(request), text=text)
    except DomainError as error:
        return _refused(request, proposal_id, error.message, status=error.status)
    if _wants_fragment(request):
        return _card(request, _visible(request, proposal_id))
    return redirect("proposal", proposal_id)


@require_POST
@login_required
def mark_done(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    def act(said: dict[str, Any]) -> Proposal:
        return services.mark_done(proposal_id, person=_person(request), version=said["version"])

    return _decide(request, proposal_id, DecisionForm(request.POST), act)


@require_POST
@login_required
def retry(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    def act(said: dict[str, Any]) -> Proposal:
        return services.retry(proposal_id, person=_person(request), version=said["version"])

    form = ActingForm(request.POST, proposal=_visible(request, proposal_id))
    return _decide(request, proposal_id, form, act)


@require_POST
@login_required
def mark_not_done(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    def act(said: dict[str, Any]) -> Proposal:
        return services.mark_not_done(proposal_id, person=_person(request), version=said["version"])

    return _decide(request, proposal_id, DecisionForm(request.POST), act)


def _decide(
    request: HttpRequest,
    proposal_id: UUID,
    form: DecisionForm,
    act: Callable[[dict[str, Any]], Proposal],
) -> HttpResponse:
    if not form.is_valid():
        return _refused(request, proposal_id, form.problem(), status=422)
    return do_on_card(request, proposal_id, lambda: act(form.cleaned_data))


def do_on_card(request: HttpRequest, proposal_id: UUID, work: Callable[[], object]) -> HttpResponse:
    """Do it and show what became of the card; a refusal is said on the card as it is now."""
    try:
        work()
    except NotFound as error:
        raise Http404(error.message) from error
    except (AlreadyDecided, StaleVersion, Expired) as error:
        return _refused(request, proposal_id, _race_words(error), status=error.status, lost=True)
    except NotAYes as error:
        return _not_a_yes(request, proposal_id, error)
    except DomainError as error:
        return _refused(request, proposal_id, error.message, status=error.status)
    if _wants_fragment(request):
        return _card(request, _visible(request, proposal_id))
    return redirect("proposal", proposal_id)


def _race_words(error: DomainError) -> str:
    if isinstance(error, AlreadyDecided):
        return phrase("Your decision was not used: {why}", why=error.message)
    return error.message


def _refused(
    request: HttpRequest, proposal_id: UUID, notice: str, *, status: int, lost: bool = False
) -> HttpResponse:
    proposal = _visible(request, proposal_id)
    return _as_it_is(request, proposal, status=status, notice=notice, lost=lost)


def _not_a_yes(request: HttpRequest, proposal_id: UUID, error: NotAYes) -> HttpResponse:
    """Said beside the answer; where the question waits no more, on top of its card."""
    proposal = _visible(request, proposal_id)
    waits = proposal.is_pending and not proposal.has_expired(clock.now())
    said = {"not_a_yes": error.message} if waits else {"notice": error.message, "lost": True}
    return _as_it_is(request, proposal, status=error.status, **said)


def _as_it_is(
    request: HttpRequest, proposal: Proposal, *, status: int, **said: Any
) -> HttpResponse:
    """The card with what was typed into it, and why that was not used."""
    said["form"] = request.POST
    if _wants_fragment(request):
        return _card(request, proposal, status=status, **said)
    return _desk(request, proposal, status=status, **said)


# --- what the templates get -------------------------------------------------------------
def _card_context(request: HttpRequest, proposal: Proposal) -> dict[str, Any]:
    now = clock.now()
    watched = proposal.viewed_until is not None and proposal.viewed_until > now
    by_other = watched and proposal.viewer_id != _person(request).pk
    card = queries.card_of(proposal)
    return {
        "card": card,
        "full": _full_view(request, card, now),
        "needs_two": services.needs_two_people(proposal),
        "takes_another": lookups.takes_another(card),
        "remember_choices": REMEMBER if services.can_be_remembered(proposal) else (),
        "open_with": proposal.viewer if by_other else None,
        "expired": proposal.has_expired(now),
        "may_decide": _person(request).may_decide,
        "quick_reasons": REASONS_TO_SAY_NO if proposal.is_question else QUICK_REASONS,
        "second_act": second_act(),
        "now": now,
    }


def _full_view(request: HttpRequest, card: Card, now: datetime) -> FullView:
    proposal = card.proposal
    waits = proposal.is_pending and not proposal.has_expired(now)
    may_ask = waits and _person(request).may_decide
    return FullView(card, full_pictures.latest_of(proposal), may_ask, now)


def _card(
    request: HttpRequest, proposal: Proposal, *, status: int = 200, **said: Any
) -> HttpResponse:
    context = {**_card_context(request, proposal), **said}
    return render(request, "proposals/_card.html", context, status=status)


def _desk(
    request: HttpRequest,
    proposal: Proposal | None,
    *,
    lists: dict[str, Any] | None = None,
    view: str = "card",
    status: int = 200,
    **said: Any,
) -> HttpResponse:
    lists = lists or queue_views.lists(request)
    context = {**lists, **queue_views.desk_parts(request), "view": view, "room": "queue", **said}
    if proposal:
        context |= _card_context(request, proposal)
        context["selected"] = proposal.pk
    return render(request, "proposals/desk.html", context, status=status)
