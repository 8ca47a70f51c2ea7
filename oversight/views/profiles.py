"""Settings: the profiles of sites, written, checked, put in force, looked at. Admins only."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.services import actor_of
from confirmations import services
from confirmations.models import Profile, ProfileVersion
from core.errors import DomainError
from oversight import queries
from oversight.text_diff import diff_lines
from oversight.views.people import person_of, require_admin

LARGEST_NUMBER = 2**31 - 1
FIRST_TEXT = """\
name: my-shop
sites: ["https://shop.example/*"]
# mode: latch | block | ask

screens:
  - {id: CHECKOUT_REVIEW, url: /checkout/review, selector: "#review"}

elements:
  - {id: checkout_review.place_order, selector: "#review button.place"}
  - {id: "cart.item[N].remove", selector: button.remove, row: tr.cart-line}

irreversible:
  - checkout_review.place_order
  - cart.item[N].remove
"""


@require_GET
@never_cache
@login_required
def profiles(request: HttpRequest) -> HttpResponse:
    require_admin(request)
    context = {
        "room": "settings",
        "tab": "profiles",
        "profiles": Profile.objects.select_related("updated_by"),
    }
    return render(request, "oversight/profiles.html", context)


# --- written ----------------------------------------------------------------------------
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new_profile(request: HttpRequest) -> HttpResponse:
    person = require_admin(request)
    if request.method != "POST":
        return editor(request, None, text=FIRST_TEXT)
    try:
        made = services.create(written_in(request), actor=actor_of(person))
    except DomainError as error:
        return editor(request, None, text=written_in(request), wrong=error)
    words = gettext("{name} is saved. It is not in force yet.")
    messages.success(request, words.format(name=made.name))
    return redirect("profile", made.name)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def profile(request: HttpRequest, name: str) -> HttpResponse:
    """`?version=` puts a former text into the editor; POST saves what is written there."""
    person = require_admin(request)
    found = get_object_or_404(Profile, name=name)
    if request.method != "POST":
        former = _former(found, request.GET.get("version", ""))
        return editor(request, found, text=former.text if former else found.text, former=former)
    try:
        saved = services.save(
            found, written_in(request), seen=seen_in(request), actor=actor_of(person)
        )
    except DomainError as error:
        return _refused(request, found, error)
    words = gettext("Version {version} is saved. The profile is not in force.")
    if saved.is_active:
        words = gettext("Version {version} is saved and in force.")
    messages.success(request, words.format(version=saved.version))
    return redirect("profile", saved.name)


@require_POST
@login_required
def activate(request: HttpRequest, name: str) -> HttpResponse:
    """What is written in the editor is saved with it, or neither is done."""
    person = require_admin(request)
    found = get_object_or_404(Profile, name=name)
    try:
        services.save_and_activate(
            found, written_in(request), seen=seen_in(request), actor=actor_of(person)
        )
    except DomainError as error:
        return _refused(request, found, error)
    words = gettext("{name} is in force. Every process reads it within a second.")
    messages.success(request, words.format(name=name))
    return redirect("profile", name)


@require_POST
@login_required
def deactivate(request: HttpRequest, name: str) -> HttpResponse:
    """What is written in the editor stays there, not saved."""
    person = require_admin(request)
    found = get_object_or_404(Profile, name=name)
    try:
        now = services.deactivate(found, seen=seen_in(request), actor=actor_of(person))
    except DomainError as error:
        return _refused(request, found, error)
    words = gettext("{name} is no longer in force: its sites have no profile now.")
    messages.success(request, words.format(name=name))
    if services.plain(written_in(request)) != now.text:
        return editor(request, now, text=written_in(request))
    return redirect("profile", name)


def _refused(request: HttpRequest, seen: Profile, error: DomainError) -> HttpResponse:
    """Nothing that was written is lost. Where somebody was first, the next save is against what
    that one made of it."""
    text = written_in(request)
    if not isinstance(error, services.Stale):
        return editor(request, seen, text=text, seen=seen_in(request), wrong=error)
    now = Profile.objects.get(pk=seen.pk)
    changes = diff_lines(now.text, services.plain(text))
    return editor(request, now, text=text, wrong=error, changes=changes)


def written_in(request: HttpRequest) -> str:
    return request.POST.get("text", "")


# --- what it was ------------------------------------------------------------------------
@require_GET
@never_cache
@login_required
def profile_version(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """What this change made of the one before, and its whole text."""
    require_admin(request)
    found = get_object_or_404(Profile, name=name)
    version = _former(found, str(number))
    if version is None:
        raise Http404("There is no such version.")
    before = found.versions.filter(version__lt=version.version).first()
    context = {
        "room": "settings",
        "tab": "profiles",
        "profile": found,
        "version": version,
        "before": before,
        "changes": diff_lines(before.text, version.text) if before else [],
    }
    return render(request, "oversight/profile_version.html", context)


def _former(profile: Profile, number: str) -> ProfileVersion | None:
    found = profile.versions.filter(version=_number(number)).first()
    return found if isinstance(found, ProfileVersion) else None


def seen_in(request: HttpRequest) -> int:
    """The version that the form was made of; what is none is no version's number."""
    return _number(request.POST.get("seen", ""))


def _number(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) < 11
    return int(text) if is_number and int(text) <= LARGEST_NUMBER else 0


# --- the editor -------------------------------------------------------------------------
def editor(
    request: HttpRequest,
    profile: Profile | None,
    *,
    text: str,
    seen: int | None = None,
    wrong: DomainError | None = None,
    **said: Any,
) -> HttpResponse:
    """`profile` None: a new one. `seen`: the version that the text was made of."""
    person = person_of(request)
    context = {
        "room": "settings",
        "tab": "profiles",
        "profile": profile,
        "text": text,
        "seen": (profile.version if profile else 0) if seen is None else seen,
        "wrong": wrong.message if wrong else "",
        "wrong_line": wrong.details.get("line", "") if wrong else "",
        "versions": profile.versions.all()[:20] if profile else [],
        "open_runs": queries.open_runs(person),
        **said,
    }
    status = wrong.status if wrong else 200
    return render(request, "oversight/profile.html", context, status=status)
