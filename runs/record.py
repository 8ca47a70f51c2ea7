"""The record as people may read it: runs of their teams; what was changed of agents and settings
for admins and auditors too."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from agents.models import Person
from audit.models import BrowserAudit
from audit.services import SYSTEM_CHAIN
from runs import access

PAGE_SIZE = 100
EXPORT_PAGE = 500
COLUMNS = (
    *("id", "chain", "sequence", "at", "verb", "actor_kind", "actor_id", "actor_name"),
    *("run_id", "action_id", "proposal_id", "agent_id", "payload", "previous_hash", "hash"),
)


@dataclass(frozen=True)
class RecordSearch:
    """`action` is an action's id, or a verb such as proposal.approve."""

    run: UUID | None = None
    agent: UUID | None = None
    action: UUID | str = ""
    since: datetime | None = None


def reads_the_system(person: Person) -> bool:
    return person.role in {Person.Role.ADMIN, Person.Role.AUDITOR}


def entries_for(person: Person, search: RecordSearch) -> QuerySet[BrowserAudit]:
    """In the order in which they were written."""
    mine = Q(Exists(access.visible_to(person).filter(pk=OuterRef("run_id")).order_by()))
    if reads_the_system(person):
        mine |= Q(chain=SYSTEM_CHAIN)
    found = BrowserAudit.objects.filter(mine).order_by("id")
    if search.run:
        found = found.filter(run_id=search.run)
    if search.agent:
        of_agent = access.visible_to(person).filter(agent_id=search.agent).order_by()
        found = found.filter(Q(agent_id=search.agent) | Q(run_id__in=of_agent.values("pk")))
    if isinstance(search.action, UUID):
        found = found.filter(action_id=search.action)
    elif search.action:
        found = found.filter(verb=search.action)
    return found.filter(at__gte=search.since) if search.since else found


def entries_after(
    found: QuerySet[BrowserAudit], mark: int | None, *, limit: int
) -> tuple[Sequence[dict[str, Any]], int | None]:
    """The next entries, and the id to go on after; None when these are the last."""
    page = list((found.filter(id__gt=mark) if mark else found)[: limit + 1])
    following = page[limit - 1].pk if len(page) > limit else None
    return [told(entry) for entry in page[:limit]], following


def told(entry: BrowserAudit) -> dict[str, Any]:
    """Every column, as the API and the files write it: the hashes too, so that anybody with the
    key can verify what they were given."""
    plain = {name: getattr(entry, name) for name in COLUMNS}
    ids = {name: plain[name] and str(plain[name]) for name in COLUMNS if name.endswith("_id")}
    return {**plain, **ids, "at": entry.sealed_content()["at"]}
