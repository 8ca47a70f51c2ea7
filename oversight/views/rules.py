"""Settings: the router's rules, written, tried, compared, put back. Admins only."""

from typing import Any

import yaml
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.services import actor_of
from core.errors import DomainError
from oversight.text_diff import DiffLine, diff_lines
from oversight.views.people import require_admin
from oversight.views.profiles import seen_in, written_in
from routing import classifier, rules, services
from routing.domain.deciding import Decision, decide
from routing.domain.rules import Rules
from routing.forms import PlaygroundForm
from routing.models import RulesVersion

VERSIONS_SHOWN = 20


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def rules_page(request: HttpRequest) -> HttpResponse:
    """`?version=` puts a former text into the editor; POST saves what is written there."""
    person = require_admin(request)
    if request.method != "POST":
        former = _version(request.GET.get("version", ""))
        return _editor(request, text=(former or _latest_text()).text, former=former)
    try:
        saved = services.save_rules(
            written_in(request), seen=seen_in(request), actor=actor_of(person)
        )
    except DomainError as error:
        return _refused(request, error)
    words = gettext("Version {version} is saved. Every process reads it within a second.")
    messages.success(request, words.format(version=saved.number))
    return redirect("router_rules")


@require_POST
@never_cache
@login_required
def try_rules(request: HttpRequest) -> HttpResponse:
    """What the text as it is typed would change, and where it sends a prompt. Nothing is saved."""
    require_admin(request)
    text, form = written_in(request), PlaygroundForm(request.POST)
    try:
        tried = services.checked_rules(services.plain(text))
    except DomainError as error:
        return _editor(request, text=text, seen=seen_in(request), wrong=error, form=form)
    return _editor(
        request,
        text=text,
        seen=seen_in(request),
        form=form,
        is_tried=True,
        decision=_decided(form, tried),
        changes=diff_of(rules.current(), tried),
    )


def _decided(form: PlaygroundForm, tried: Rules) -> Decision | None:
    """None without a prompt, and for a history that cannot be read."""
    if not form.is_valid() or not form.cleaned_data["prompt"].strip():
        return None
    return decide(form.turn(), tried, classify=classifier.ask)


@require_GET
@never_cache
@login_required
def rules_version(request: HttpRequest, number: int) -> HttpResponse:
    """What this change made of the one before, and its whole text."""
    require_admin(request)
    version = _version(str(number))
    if version is None:
        raise Http404("There is no such version.")
    before = RulesVersion.objects.filter(number__lt=number).first()
    context = {
        "room": "settings",
        "tab": "rules",
        "version": version,
        "latest": RulesVersion.objects.first(),
        "before": before,
        "changes": diff_lines(before.text if before else "", version.text),
    }
    return render(request, "oversight/rules_version.html", context)


def _refused(request: HttpRequest, error: DomainError) -> HttpResponse:
    """Nothing that was written is lost. Where somebody was first, the next save is against that."""
    text = written_in(request)
    if not isinstance(error, services.Overtaken):
        return _editor(request, text=text, seen=seen_in(request), wrong=error)
    theirs = diff_lines(_latest_text().text, services.plain(text))
    return _editor(request, text=text, wrong=error, overtaken=True, changes=theirs)


def diff_of(before: Rules, after: Rules) -> list[DiffLine]:
    return diff_lines(written(before), written(after))


def written(of: Rules) -> str:
    """All rules, as a file could hold them."""
    return yaml.safe_dump(of.as_dict(), allow_unicode=True, sort_keys=False, width=10_000)


def _latest_text() -> RulesVersion:
    return RulesVersion.objects.first() or RulesVersion(number=0, text="")


def _version(number: str) -> RulesVersion | None:
    is_number = number.isascii() and number.isdigit() and len(number) < 10
    return RulesVersion.objects.filter(number=int(number)).first() if is_number else None


def _editor(
    request: HttpRequest,
    *,
    text: str,
    seen: int | None = None,
    wrong: DomainError | None = None,
    **said: Any,
) -> HttpResponse:
    """`seen`: the version that the text was made of."""
    in_force = rules.in_force()
    context = {
        "room": "settings",
        "tab": "rules",
        "text": text,
        "seen": _latest_text().number if seen is None else seen,
        "in_force": in_force,
        "written_rules": written(in_force.rules),
        "wrong": wrong.message if wrong else "",
        "wrong_line": wrong.details.get("line", "") if wrong else "",
        "versions": RulesVersion.objects.all()[:VERSIONS_SHOWN],
        **said,
    }
    return render(request, "oversight/rules.html", context, status=wrong.status if wrong else 200)
