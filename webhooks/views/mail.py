"""Mails: what one person wishes for themselves."""

from typing import Any

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from agents.models import Person
from core.errors import Gone
from core.speaking import spoken
from webhooks import mails
from webhooks.forms import DigestForm
from webhooks.models import Digest
from webhooks.views.people import person_of


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def mail(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    digest = Digest.objects.filter(person=person).first()
    if request.method != "POST":
        return _page(request, digest, DigestForm(initial=_initial(person, digest)))
    form = DigestForm(request.POST)
    if not form.is_valid():
        return _page(request, digest, form, status=422)
    if not mails.is_theirs(person, form.cleaned_data["address"]):
        return _ask_to_confirm(request, digest, form)
    return _start(request, form.cleaned_data)


def _start(request: HttpRequest, wish: dict[str, Any]) -> HttpResponse:
    mails.set_digest(person_of(request), **wish)
    messages.success(request, gettext("Mails will come as you said."))
    return redirect("mail")


def _ask_to_confirm(request: HttpRequest, digest: Digest | None, form: DigestForm) -> HttpResponse:
    person = person_of(request)
    if not mails.is_on():
        form.add_error(
            "address", gettext("No mail server is set, so this address cannot be confirmed.")
        )
    elif not ratelimit.consume(request, action="confirm_email", key=f"mails-{person.pk}"):
        form.add_error("address", gettext("A link was mailed a moment ago: wait three minutes."))
    elif not mails.ask_to_confirm(person, **form.cleaned_data):
        form.add_error("address", gettext("The mail server did not take the mail: try again."))
    if not form.is_valid():
        return _page(request, digest, form, status=422)
    messages.success(request, gettext("A link was mailed there: mails begin once you open it."))
    return redirect("mail")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """A click is asked for: mail programs open links by themselves."""
    try:
        wish = mails.confirmed_wish(person_of(request), token)
    except Gone as error:
        messages.error(request, spoken(error.message))
        return redirect("mail")
    if request.method == "POST":
        return _start(request, wish)
    return render(
        request, "webhooks/mail_confirm.html", {"room": "settings", "tab": "mail", **wish}
    )


def _initial(person: Person, digest: Digest | None) -> dict[str, object]:
    wish = digest or Digest(person=person, address=person.email)
    return {
        "address": wish.address,
        "every_minutes": wish.every_minutes,
        "waiting_minutes": wish.waiting_minutes,
    }


def _page(
    request: HttpRequest, digest: Digest | None, form: DigestForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "room": "settings",
        "tab": "mail",
        "digest": digest,
        "form": form,
        "is_on": mails.is_on(),
        "may_decide": person_of(request).may_decide,
    }
    return render(request, "webhooks/mail.html", context, status=status)


@require_POST
@login_required
def stop(request: HttpRequest) -> HttpResponse:
    mails.stop_digest(person_of(request))
    messages.success(request, gettext("No more mails."))
    return redirect("mail")
