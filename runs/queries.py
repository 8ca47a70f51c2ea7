"""Reads for the run pages, and who may see a picture."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from agents.access import agents_visible_to
from agents.models import AgentRegistry, Person
from audit.models import BrowserAudit, Picture
from core import clock
from core.keyset import Mark
from proposals import access as proposal_access
from proposals.cards import Card
from proposals.domain import QUESTION
from proposals.domain import Status as ProposalStatus
from proposals.models import FullPicture, Proposal
from runs import access
from runs.models import Action, Run
from runs.protocol_page import stories_of
from runs.searching import LEVELS, RunSearch
from runs.timeline import Step

PAGE_SIZE = 50
EXPORT_PAGE = 500
STEPS_PAGE = 100
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
    *("steps", "failed", "violation", "started_at", "finished_at"),
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
        "violation": run.confirmation.get("violation") or "",
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


def question_of(run: Run) -> Proposal | None:
    """The question of the agent that waits for an answer."""
    asked = Proposal.objects.filter(
        run_id=run.pk,
        tool=QUESTION,
        status=ProposalStatus.PENDING,
        expires_at__gt=clock.now(),
    )
    return asked.first()


@dataclass(frozen=True)
class StepsPage:
    """Some steps in order, and where the pages beside them begin; None at the run's ends."""

    steps: list[Step]
    earlier: Mark | None
    later: Mark | None


@dataclass(frozen=True)
class StepsPlace:
    """Which steps: those before or after a mark, those from a step on, or else the latest."""

    before: Mark | None = None
    after: Mark | None = None
    step_id: int | None = None


LATEST = StepsPlace()


def page_of_steps(run: Run, place: StepsPlace = LATEST, *, level: str = "") -> StepsPage:
    """`level`: steps of that one alone. A run that fits on one page is shown whole."""
    actions = _actions_of(run)
    if level:
        actions = actions.filter(match_confidence__level=level)
    page = _page_of(actions, place)
    if not page:
        return StepsPage([], None, None)
    first, last = Mark.of(page[0]), Mark.of(page[-1])
    return StepsPage(
        _steps_of(page),
        earlier=first if actions.filter(first.older).exists() else None,
        later=last if actions.filter(last.newer).exists() else None,
    )


def _page_of(actions: QuerySet[Action], place: StepsPlace) -> list[Action]:
    fits = actions.count() <= STEPS_PAGE
    if place.after and not fits:
        return list(actions.filter(place.after.newer)[:STEPS_PAGE])
    if place.step_id and not fits:
        return list(actions.filter(step_id__gte=place.step_id)[:STEPS_PAGE])
    older = actions.filter(place.before.older) if place.before and not fits else actions
    return list(older.order_by("-created_at", "-id")[:STEPS_PAGE])[::-1]


def steps_after(run: Run, mark: Mark | None) -> tuple[list[Step], Mark | None]:
    """The next steps of a file, and the mark to go on after; None when these are the last."""
    actions = _actions_of(run)
    page = list((actions.filter(mark.newer) if mark else actions)[:EXPORT_PAGE])
    return _steps_of(page), Mark.of(page[-1]) if len(page) == EXPORT_PAGE else None


def tally_of(run: Run) -> dict[str, int]:
    """How many steps there are, and how many of each level."""
    levels = {level: Count("id", filter=Q(match_confidence__level=level)) for level in LEVELS}
    return run.actions.aggregate(steps=Count("id"), **levels)


def _actions_of(run: Run) -> QuerySet[Action]:
    kept = run.actions.defer("sealed_params").select_related("report__person")
    return kept.order_by("created_at", "id")


def _steps_of(actions: Sequence[Action]) -> list[Step]:
    """With their proposals and who decided them."""
    cards: dict[UUID, list[Card]] = defaultdict(list)
    proposals = (
        Proposal.objects.filter(action_id__in=[action.pk for action in actions])
        .defer("anchors", "snippet")
        .select_related("agent")
        .prefetch_related("decisions__person", "messages__person")
        .order_by("created_at")
    )
    for proposal in proposals:
        decisions, messages = proposal.decisions.all(), proposal.messages.all()
        cards[proposal.action_id].append(Card(proposal, tuple(decisions), tuple(messages)))
    told = stories_of([action.pk for action in actions])
    return [
        Step(action, tuple(cards[action.pk]), tuple(told.get(action.pk, ()))) for action in actions
    ]


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
