"""Mails: what one person wishes for themselves."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from agents.models import Person
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
    mails.set_digest(person, **form.cleaned_data)
    messages.success(request, gettext("Mails will come as you said."))
    return redirect("mail")


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
