"""One's own account: password, second factor, sessions."""

from typing import Any

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from agents import access, languages, queries, receivers, services
from agents.forms import LanguageForm, OwnPasswordForm
from agents.pages import person_of, refusals
from agents.services import actor_of


@require_GET
@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    return _page(request, OwnPasswordForm(person_of(request)))


@require_POST
@never_cache
@login_required
@sensitive_post_parameters()
def set_password(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    form = OwnPasswordForm(person, request.POST)
    if not ratelimit.consume(request, action="change_password", user=person):
        return _page(request, form, status=429, refusal=gettext("Too many tries: wait a minute."))
    if not form.is_valid():
        return _page(request, form, status=422)
    this = request.session.session_key
    services.change_password(person, form.cleaned_data["new_password1"], keep_session=this)
    update_session_auth_hash(request, person)
    receivers.note_session(request, person)
    messages.success(request, gettext("Your password is changed. Your other sessions are ended."))
    return redirect("account")


@require_POST
@login_required
def set_language(request: HttpRequest) -> HttpResponse:
    """From the next page on; the answer is in the new language already."""
    form = LanguageForm(request.POST)
    if form.is_valid():
        chosen = form.cleaned_data["language"]
        services.set_preference(person_of(request), languages.PREFERENCE, chosen)
        translation.activate(languages.language_of(request))
        messages.success(request, gettext("Your language is changed."))
    return redirect("account")


@require_POST
@login_required
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    person = person_of(request)
    with refusals():
        session = access.own_session(person, session_id)
    services.end_session(session, actor=actor_of(person))
    messages.success(request, gettext("That session is ended."))
    return redirect("account")


@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    services.end_sessions(person, actor=actor_of(person), but=request.session.session_key)
    messages.success(request, gettext("Every other session is ended."))
    return redirect("account")


def _page(
    request: HttpRequest, form: OwnPasswordForm, *, status: int = 200, **said: Any
) -> HttpResponse:
    person = person_of(request)
    context = {
        "room": "account",
        "form": form,
        "language_form": LanguageForm(initial={"language": languages.chosen_by(person)}),
        "lines": queries.session_lines(person, this_key=request.session.session_key),
        "has_second_factor": queries.has_second_factor(person),
        "codes_left": queries.codes_left(person),
        "teams": [team.name for team in person.teams.order_by("name")],
        **said,
    }
    return render(request, "agents/account.html", context, status=status)
