"""Reads for the run pages, and who may see a picture."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from agents.access import agents_visible_to
from agents.models import AgentRegistry, Person
from audit.models import BrowserAudit, Picture
from core import clock
from core.keyset import Mark
from proposals import access as proposal_access
from proposals.cards import Card
from proposals.domain import Status as ProposalStatus
from proposals.models import FullPicture, Proposal
from runs import access
from runs.models import Action, Run
from runs.searching import RunSearch
from runs.timeline import Step

PAGE_SIZE = 50
EXPORT_PAGE = 500
ALL = RunSearch()
# Counted for the rows of the page alone: a join would be counted for every run there is.
FAILED_COUNT = Subquery(
    Action.objects.filter(run=OuterRef("pk"), status=Action.Status.FAILED)
    .order_by()
    .values("run")
    .annotate(count=Count("pk"))
    .values("count")
)
RUN_COLUMNS = (
    *("id", "label", "agent", "tier", "status", "start_url", "current_url", "title"),
    *("steps", "failed", "started_at", "finished_at"),
)


def page_of_runs(
    person: Person, search: RunSearch = ALL, *, before: Mark | None = None
) -> list[Run]:
    """The newest runs of the person's teams, those after `before`; one more than a page holds
    when there is a next page. Each knows how many of its actions failed."""
    runs = _found(person, search)
    return list((runs.filter(before.older) if before else runs)[: PAGE_SIZE + 1])


def runs_after(
    person: Person, search: RunSearch, mark: Mark | None
) -> tuple[list[dict[str, Any]], Mark | None]:
    """The next runs of a file, and the mark to go on after; None when these are the last."""
    runs = _found(person, search)
    page = list((runs.filter(mark.older) if mark else runs)[:EXPORT_PAGE])
    is_last = len(page) < EXPORT_PAGE
    return [row_of_run(run) for run in page], None if is_last else Mark.of(page[-1])


def _found(person: Person, search: RunSearch) -> Any:
    return (
        search.narrow(access.visible_to(person))
        .select_related("agent")
        .defer("browser", "request_digest", "agent__allowed_hosts")
        .annotate(failed_count=Coalesce(FAILED_COUNT, 0))
        .order_by("-created_at", "-id")
    )


def row_of_run(run: Any) -> dict[str, Any]:
    """A run as files hold it."""
    return {
        "id": str(run.pk),
        "label": run.label,
        "agent": run.agent.name,
        "tier": run.agent.tier,
        "status": run.status,
        "start_url": run.start_url,
        "current_url": run.current_url,
        "title": run.title,
        "steps": run.step_id,
        "failed": run.failed_count,
        "started_at": clock.rfc3339(run.created_at),
        "finished_at": clock.rfc3339(run.finished_at),
    }


def agent_names(person: Person) -> list[str]:
    """Of the agents whose runs the person may see."""
    return list(agents_visible_to(person).order_by("name").values_list("name", flat=True))


def waiting_by_run(runs: Iterable[Run]) -> dict[UUID, UUID]:
    """The proposal that each of these runs waits for, by run."""
    waiting = Proposal.objects.filter(
        run_id__in=[run.pk for run in runs],
        status__in=[ProposalStatus.PENDING, ProposalStatus.OUTCOME_UNKNOWN],
    )
    return dict(waiting.values_list("run_id", "id"))


def timeline_of(run: Run) -> list[Step]:
    """Every action of the run in order, with its proposals and who decided them."""
    cards: dict[UUID, list[Card]] = defaultdict(list)
    proposals = (
        Proposal.objects.filter(run_id=run.pk)
        .defer("anchors", "snippet")
        .select_related("agent")
        .prefetch_related("decisions__person", "messages__person")
        .order_by("created_at")
    )
    for proposal in proposals:
        decisions, messages = proposal.decisions.all(), proposal.messages.all()
        cards[proposal.action_id].append(Card(proposal, tuple(decisions), tuple(messages)))
    actions = (
        run.actions.defer("sealed_params")
        .select_related("report__person")
        .order_by("created_at", "step_id")
    )
    return [Step(action, tuple(cards[action.pk])) for action in actions]


def entry_count(run: Run) -> int:
    return BrowserAudit.objects.filter(chain=str(run.pk)).count()


def picture_for(viewer: Person | AgentRegistry, digest: str) -> Picture | None:
    """The picture, if a proposal or an action that this viewer may see shows it."""
    picture = Picture.objects.filter(pk=digest).first()
    return picture if picture and _is_shown_to(viewer, digest) else None


def _is_shown_to(viewer: Person | AgentRegistry, digest: str) -> bool:
    proposals = proposal_access.visible_to(viewer)
    if proposals.filter(picture=digest).exists():
        return True
    if FullPicture.objects.filter(proposal__in=proposals, picture=digest).exists():
        return True
    return Action.objects.filter(run__in=access.visible_to(viewer), picture=digest).exists()
