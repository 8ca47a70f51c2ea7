"""The record as people may read it: runs of their teams; what was changed of agents and settings
for admins and auditors too."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from agents.models import Person
from audit.models import BrowserAudit
from audit.services import SYSTEM_CHAIN
from core import clock
from runs import access

PAGE_SIZE = 100
SCREEN_PAGE = 50
EXPORT_PAGE = 500
COLUMNS = (
    *("id", "chain", "sequence", "at", "verb", "actor_kind", "actor_id", "actor_name"),
    *("run_id", "action_id", "proposal_id", "agent_id", "payload", "previous_hash", "hash"),
)


@dataclass(frozen=True)
class RecordSearch:
    """`action` is an action's id, a verb such as proposal.approve, or the beginning of verbs up to
    their dot, such as `proposal.`; `until` is not included."""

    run: UUID | None = None
    agent: UUID | None = None
    action: UUID | str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def query(self) -> str:
        """As the API's addresses say it."""
        said = asdict(self) | {
            "since": clock.rfc3339(self.since),
            "until": clock.rfc3339(self.until),
        }
        return urlencode({name: str(value) for name, value in said.items() if value})


def id_of(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def reads_the_system(person: Person) -> bool:
    return person.role in {Person.Role.ADMIN, Person.Role.AUDITOR}


def entries_for(person: Person, search: RecordSearch) -> QuerySet[BrowserAudit]:
    """In the order in which they were written."""
    found = BrowserAudit.objects.filter(_readable_by(person)).order_by("id")
    if search.run:
        found = found.filter(run_id=search.run)
    if search.agent:
        of_agent = access.visible_to(person).filter(agent_id=search.agent).order_by()
        found = found.filter(Q(agent_id=search.agent) | Q(run_id__in=of_agent.values("pk")))
    if isinstance(search.action, UUID):
        found = found.filter(action_id=search.action)
    elif search.action.endswith("."):
        found = found.filter(verb__startswith=search.action)
    elif search.action:
        found = found.filter(verb=search.action)
    found = found.filter(at__gte=search.since) if search.since else found
    return found.filter(at__lt=search.until) if search.until else found


def _readable_by(person: Person) -> Q:
    if person.sees_every_team:
        return Q()  # no look at any run: an auditor reads the system's chain too
    mine = Q(Exists(access.visible_to(person).filter(pk=OuterRef("run_id")).order_by()))
    return mine | Q(chain=SYSTEM_CHAIN) if reads_the_system(person) else mine


def entries_before(
    found: QuerySet[BrowserAudit], mark: int | None
) -> tuple[list[BrowserAudit], int | None]:
    """The newest first, and the id to go on before; None when these are the last."""
    older = found.filter(id__lt=mark) if mark else found
    page = list(older.order_by("-id")[: SCREEN_PAGE + 1])
    following = page[SCREEN_PAGE - 1].pk if len(page) > SCREEN_PAGE else None
    return page[:SCREEN_PAGE], following


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
