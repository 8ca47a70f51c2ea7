"""Agents: the list, one agent with its settings and keys, and every change of them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents import services
from agents.access import get_overseen, pausable_by, resumable_by
from agents.models import AgentRegistry, ApiKey, Person
from agents.services import actor_of
from core.errors import Conflict
from core.speaking import spoken
from oversight import access, queries
from oversight.forms import (
    ChangeForm,
    ConfirmationModeForm,
    GatingForm,
    HostsForm,
    KeyForm,
    NewAgentForm,
    RotateForm,
    TierForm,
)
from oversight.views.people import is_admin, person_of, refusals, require_admin

DAYS = 30
GATING_MEANINGS = {
    "follow": gettext_lazy("Unsure actions wait for a person once its tier is rolled out."),
    "always": gettext_lazy(
        "Unsure actions wait as soon as gating is in force at all, ahead of its tier."
    ),
    "never": gettext_lazy("Unsure actions go on, whatever the roll-out says."),
}
CONFIRMATION_MEANINGS = (
    (
        "",
        gettext_lazy("as the others say"),
        gettext_lazy("The flag, the site's profile and the run decide, whichever is strictest."),
    ),
    (
        "latch",
        gettext_lazy("latch"),
        gettext_lazy("What it did not ask about is done, and its run is marked for good."),
    ),
    (
        "block",
        gettext_lazy("block"),
        gettext_lazy("What it did not ask about is refused: nothing happens on the page."),
    ),
    (
        "ask",
        gettext_lazy("ask"),
        gettext_lazy("The same, and its questions wait for a person's yes."),
    ),
)
TIER_MEANINGS = {
    "student": gettext_lazy("A person decides everything it does to a page, its navigation too."),
    "intern": gettext_lazy(
        "It navigates by itself; a person decides everything it does to a page."
    ),
    "supervised": gettext_lazy(
        "It acts by itself where it is sure. Unsure actions follow the roll-out."
    ),
    "autonomous": gettext_lazy("Like supervised, and rolled out last."),
}


@require_GET
@never_cache
@login_required
def agents(request: HttpRequest) -> HttpResponse:
    """By name, a page at a time: `?after=` is the last name of the page above."""
    after = request.GET.get("after", "").replace("\0", "")
    rows = queries.page_of_agents(person_of(request), days=DAYS, after=after)
    shown = rows[: queries.PAGE_SIZE]
    context = {
        "room": "agents",
        "days": DAYS,
        "rows": shown,
        "next_after": shown[-1].agent.name if len(rows) > len(shown) else "",
        "is_later_page": bool(after),
        "is_admin": is_admin(request),
    }
    return render(request, "oversight/agents.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new_agent(request: HttpRequest) -> HttpResponse:
    person = require_admin(request)
    form = NewAgentForm(request.POST) if request.method == "POST" else NewAgentForm()
    if form.is_bound and form.is_valid():
        agent = _created(form, person)
        if agent is not None:
            words = gettext("{name} is registered. Create a key for it next.")
            messages.success(request, words.format(name=agent.name))
            return redirect("agent", agent.pk)
    context = {"room": "agents", "form": form, "tiers": TIER_MEANINGS.items()}
    status = 422 if form.is_bound else 200
    return render(request, "oversight/agent_new.html", context, status=status)


def _created(form: NewAgentForm, person: Person) -> AgentRegistry | None:
    said = form.cleaned_data
    try:
        return services.create_agent(
            said["name"],
            tier=said["tier"],
            teams=[said["team"].name] if said["team"] else None,
            allowed_hosts=said["hosts"],
            actor=actor_of(person),
        )
    except Conflict as error:
        form.add_error("name", spoken(error.message))
        return None


@require_GET
@never_cache
@login_required
def agent(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    with refusals():
        found = get_overseen(person_of(request), agent_id)
    return _page(request, found)


# --- changes ----------------------------------------------------------------------------
@require_POST
@login_required
def set_tier(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    form = TierForm(request.POST)
    return _change(
        request,
        agent_id,
        lambda found, actor: services.set_tier(found, form.cleaned_data["tier"], actor=actor),
        form=form,
        said=gettext("Its tier is changed, from its next action on."),
    )


@require_POST
@login_required
def set_gating(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    form = GatingForm(request.POST)
    return _change(
        request,
        agent_id,
        lambda found, actor: services.set_gating(found, form.flag, actor=actor),
        form=form,
        said=gettext("Its gating is changed, from its next action on."),
    )


@require_POST
@login_required
def set_confirmation_mode(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    form = ConfirmationModeForm(request.POST)
    return _change(
        request,
        agent_id,
        lambda found, actor: services.set_confirmation_mode(
            found, form.cleaned_data["confirmation_mode"], actor=actor
        ),
        form=form,
        said=gettext("Its confirmation mode is changed, from its next action on."),
    )


@require_POST
@login_required
def set_hosts(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    form = HostsForm(request.POST)
    return _change(
        request,
        agent_id,
        lambda found, actor: services.set_hosts(found, form.cleaned_data["hosts"], actor=actor),
        form=form,
        said=gettext("Its hosts are changed. Runs that are open keep what they started with."),
    )


@require_POST
@login_required
def pause(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    with refusals():
        found = pausable_by(person_of(request), agent_id)
    services.pause(found, actor=actor_of(person_of(request)))
    return _back(
        request, found, said=gettext("It is paused: its new runs and actions are refused.")
    )


@require_POST
@login_required
def resume(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    with refusals():
        found = resumable_by(person_of(request), agent_id)
    services.resume(found, actor=actor_of(person_of(request)))
    return _back(request, found, said=gettext("It goes on."))


def _back(request: HttpRequest, found: AgentRegistry, *, said: str) -> HttpResponse:
    """To the card or the run it was asked from, which show how the agent stands; else its page."""
    back = request.POST.get("next", "")
    if back and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return redirect(back)
    messages.success(request, said)
    return redirect("agent", found.pk)


@require_POST
@login_required
def revoke_key(request: HttpRequest, agent_id: UUID, key_id: int) -> HttpResponse:
    def act(found: AgentRegistry, actor: Any) -> None:
        services.revoke_key(_key_of(found, key_id), actor=actor)

    return _change(
        request, agent_id, act, said=gettext("The key is revoked: calls with it are refused.")
    )


@require_POST
@never_cache
@login_required
def create_key(request: HttpRequest, agent_id: UUID) -> HttpResponse:
    """The answer itself shows the key: it is kept nowhere, so there is no page to go on to."""
    found = _to_change(request, agent_id)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _page(request, found, status=422, wrong={"key": form.problem()})
    actor = actor_of(person_of(request))
    key = services.create_key(found, expires_at=form.expires_at, actor=actor)
    return _page(request, found, new_key=key)


@require_POST
@never_cache
@login_required
def rotate_key(request: HttpRequest, agent_id: UUID, key_id: int) -> HttpResponse:
    """As above; the old key works on for as long as was chosen."""
    found = _to_change(request, agent_id)
    old = _key_of(found, key_id)
    form = RotateForm(request.POST)
    if not form.is_valid():
        return _page(request, found, status=422, wrong={"key": form.problem()})
    actor = actor_of(person_of(request))
    try:
        key = services.rotate_key(
            old, overlap=form.overlap, expires_at=form.expires_at, actor=actor
        )
    except Conflict as error:
        return _page(request, found, status=error.status, wrong={"key": error.message})
    return _page(request, found, new_key=key)


def _key_of(found: AgentRegistry, key_id: int) -> ApiKey:
    key = found.keys.filter(pk=key_id).first()
    if key is None:
        raise Http404("There is no such key.")
    return key


def _to_change(request: HttpRequest, agent_id: UUID) -> AgentRegistry:
    with refusals():
        return access.changeable_by(person_of(request), agent_id)


def _change(
    request: HttpRequest,
    agent_id: UUID,
    act: Callable[[AgentRegistry, Any], object],
    *,
    said: str,
    form: ChangeForm | None = None,
) -> HttpResponse:
    found = _to_change(request, agent_id)
    if form is not None and not form.is_valid():
        wrong = {next(iter(form.errors)): form.problem()}
        hosts = {"hosts_text": request.POST["hosts"]} if "hosts" in wrong else {}
        return _page(request, found, status=422, wrong=wrong, **hosts)
    act(found, actor_of(person_of(request)))
    messages.success(request, said)
    return redirect("agent", found.pk)


def _page(
    request: HttpRequest, found: AgentRegistry, *, status: int = 200, **said: Any
) -> HttpResponse:
    context = {
        "room": "agents",
        "days": DAYS,
        "row": queries.rows_of([found], days=DAYS)[0],
        "agent": found,
        "teams": [team.name for team in found.teams.order_by("name")],
        "keys": found.keys.order_by("-created_at"),
        "changes": queries.changes_of(found),
        "tiers": TIER_MEANINGS.items(),
        "gatings": GATING_MEANINGS.items(),
        "confirmation_modes": CONFIRMATION_MEANINGS,
        "key_form": KeyForm(),
        "rotate_form": RotateForm(),
        "hosts_text": "\n".join(found.allowed_hosts),
        "is_admin": is_admin(request),
        "may_pause": person_of(request).may_decide,
        **said,
    }
    return render(request, "oversight/agent.html", context, status=status)
