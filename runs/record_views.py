"""The record on its page: searched, opened entry by entry, and checked on request."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from agents.models import AgentRegistry
from agents.pages import person_of, refusals
from audit.models import BrowserAudit
from audit.queries import Checked, count_chains, verify_chain, verify_some
from runs import access, record
from runs.models import Run
from runs.record import RecordSearch, id_of
from runs.record_form import RecordForm
from runs.record_words import story_of

LARGEST_ID = 2**63 - 1
CHECK_S = 2.0  # as long as one request checks chains
DIGESTS = frozenset({"picture", "page_digest"})
TOLD = 4  # of what an entry says, on its line


@dataclass(frozen=True)
class Entry:
    """One line: the entry, and what its ids are called."""

    row: BrowserAudit
    agent: AgentRegistry | None
    run: Run | None

    @cached_property
    def said(self) -> list[tuple[str, str]]:
        """What it says of the act itself, short: no digests, and nothing that has parts."""
        return [
            (name.replace("_", " "), value if isinstance(value, str) else json.dumps(value))
            for name, value in self.row.payload.items()
            if name not in DIGESTS and _is_short(value)
        ][:TOLD]

    @property
    def story(self) -> str:
        """The same in a sentence, where there is one."""
        return story_of(self.row.verb, self.row.payload)

    @property
    def payload(self) -> str:
        return json.dumps(self.row.payload, ensure_ascii=False, indent=2, sort_keys=True)


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, str) for one in value)
    return value not in (None, "") and not isinstance(value, dict)


@require_GET
@never_cache
@login_required
def entries(request: HttpRequest) -> HttpResponse:
    """The newest first: `?before=` is the id of the last entry of the page above."""
    return _page(request)


def _page(request: HttpRequest, **said: Any) -> HttpResponse:
    person = person_of(request)
    form = RecordForm(request.GET, person=person)
    search = form.search() if form.is_valid() else None
    before = _number(request.GET.get("before", ""))
    rows: list[BrowserAudit] = []
    following = None
    if search:
        rows, following = record.entries_before(record.entries_for(person, search), before)
    context = {
        "room": "audit",
        "form": form,
        "entries": _named(rows),
        "next_before": following,
        "is_later_page": before is not None,
        "search": search,
        "is_search": search not in {None, RecordSearch()},
        "query": _query(request),
        "reads_the_system": record.reads_the_system(person),
        **said,
    }
    return render(request, "runs/record.html", context, status=200 if search else 422)


def _query(request: HttpRequest) -> str:
    """The search as this page's address says it, without a place in the list."""
    asked = request.GET.copy()
    for name in {*asked} - {*RecordForm.base_fields}:
        del asked[name]
    return asked.urlencode()


def _number(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()):
        return None
    number = int(text[:20])
    return number if 0 < number <= LARGEST_ID else None


def _named(rows: list[BrowserAudit]) -> list[Entry]:
    agents = AgentRegistry.objects.in_bulk({row.agent_id for row in rows if row.agent_id})
    runs = Run.objects.only("label").in_bulk({row.run_id for row in rows if row.run_id})
    return [
        Entry(
            row,
            agents.get(row.agent_id) if row.agent_id else None,
            runs.get(row.run_id) if row.run_id else None,
        )
        for row in rows
    ]


@require_GET
@never_cache
@login_required
def entry(request: HttpRequest, entry_id: int) -> HttpResponse:
    found = record.entries_for(person_of(request), RecordSearch())
    row = found.filter(pk=min(entry_id, LARGEST_ID)).first()
    if row is None:
        raise Http404("There is no such entry, or it belongs to another team.")
    (named,) = _named([row])
    chain = found.filter(chain=row.chain, sequence__in=[row.sequence - 1, row.sequence + 1])
    beside = dict(chain.values_list("sequence", "pk"))
    context = {
        "room": "audit",
        "entry": named,
        "former_id": beside.get(row.sequence - 1),
        "next_id": beside.get(row.sequence + 1),
    }
    return render(request, "runs/record_entry.html", context)


@require_GET
@never_cache
@login_required
def check(request: HttpRequest) -> HttpResponse:
    """`?run=` checks one chain; without it every chain, for a moment at a time: the answer says
    where to go on."""
    person, named = person_of(request), request.GET.get("run", "")
    if named:
        return _checked(request, _check_run(request, id_of(named)), total=1)
    if not record.reads_the_system(person):
        raise PermissionDenied("Name a run: only admins and auditors check every chain.")
    done = _number(request.GET.get("done", "")) or 0
    after = request.GET.get("after", "").replace("\0", "")[:64]
    found = verify_some(after, within_s=CHECK_S)
    return _checked(request, found, total=count_chains(), done=done)


def _check_run(request: HttpRequest, run_id: UUID | None) -> Checked:
    if run_id is None:
        raise Http404("That is no run's id.")
    with refusals():
        name = str(access.get_visible(person_of(request), run_id).pk)
    broken = verify_chain(name)
    return Checked(1, (broken,) if broken else (), "")


def _checked(request: HttpRequest, found: Checked, *, total: int, done: int = 0) -> HttpResponse:
    count = done + found.count
    said: dict[str, Any] = {"checked": found, "count": count, "total": max(total, count)}
    said["is_one"] = bool(request.GET.get("run"))
    said["broken"] = [(each, _entry_id(each.chain, each.sequence)) for each in found.broken]
    if "X-Fragment" in request.headers:
        return render(request, "runs/_record_checked.html", said)
    return _page(request, **said)


def _entry_id(chain: str, sequence: int) -> int | None:
    """Of the row that does not hold; None where it is missing."""
    rows = BrowserAudit.objects.filter(chain=chain, sequence=sequence)
    return rows.values_list("pk", flat=True).first()
