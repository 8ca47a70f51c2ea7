"""A run is stopped at once: what waits is refused, what acts is cut off, its browser is gone."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

import proposals.services
from browser import providers
from browser.errors import BrowserLost, OutcomeUnknown
from browser.providers import BrowserRef
from confidence.domain.gate import ToolKind, kind_of
from core import clock
from core.actors import Actor
from core.errors import DomainError
from core.text import storable
from core.words import phrase
from runs.models import Action, Run
from runs.services.acting import lock_run
from runs.services.errors import RunEnded
from runs.services.runs import end_run, ended_words
from runs.services.sweeps import recover

GRACE_S = 1.0  # a worker whose browser is gone knows within a tenth of it what it did
LOOK_S = 0.03
MAX_WHY = 500


@dataclass(frozen=True)
class NotStopped:
    """Something that the kill did not, or not surely, keep from happening."""

    what: str  # "action" or "browser"
    id: str
    message: str


_STARTING = NotStopped(
    "browser", "", phrase("It was only starting: whoever starts it ends it then.")
)


@dataclass(frozen=True)
class Killed:
    """What came of a kill. `stopped`: the actions that were under way and were not done."""

    run: Run
    stopped: tuple[UUID, ...]
    not_stopped: tuple[NotStopped, ...]


def kill(run: Run, *, actor: Actor, why: str = "") -> Killed:
    """Stop a run for good. When this returns nothing of it acts any more, or the answer says what
    does. Safe to call again, and for a run that ended by itself: its browser is ended all the same.
    """
    under_way, leftovers = _end(run, actor=actor, why=why)
    _let_workers_tell(under_way)
    run.refresh_from_db()
    actions = list(Action.objects.filter(pk__in=under_way).order_by("created_at"))
    told = [(action, _not_stopped(action)) for action in actions]
    return Killed(
        run,
        stopped=tuple(action.id for action, one in told if one is None),
        not_stopped=(*(one for _, one in told if one), *leftovers),
    )


@transaction.atomic
def _end(run: Run, *, actor: Actor, why: str) -> tuple[list[UUID], list[NotStopped]]:
    """The actions that were under way, and what is left of the browser once this is committed."""
    lock_run(run.id)
    run.refresh_from_db()
    under_way = list(_open_actions(run.id).values_list("id", flat=True))
    leftovers = [_STARTING] if run.status == Run.Status.STARTING and not run.browser else []
    # Before any other news is told: from here on every moment counts.
    transaction.on_commit(lambda: leftovers.extend(_end_browser(run)))
    if not run.is_over:
        end_run(run, Run.Status.KILLED, actor=actor, error=_said(actor, why))
        until = clock.now() + timedelta(seconds=GRACE_S)
        Action.objects.filter(run=run, status=Action.Status.RUNNING).update(lease_until=until)
        proposals.services.cut_lease(run.id, until=until)
    return under_way, leftovers


def _said(actor: Actor, why: str) -> dict[str, str]:
    reason = storable(why).strip()[:MAX_WHY]
    ending = f": {reason.rstrip('. ')}" if reason else ""
    message = f"{actor.name} killed this run{ending}."
    return {"code": "killed", "message": message, "by": actor.name, "why": reason}


def _open_actions(run_id: UUID) -> QuerySet[Action]:
    return Action.objects.filter(run_id=run_id).exclude(status__in=Action.FINAL)


def _end_browser(run: Run) -> Iterable[NotStopped]:
    alive = providers.kill(BrowserRef.of(run.browser)) if run.browser else []
    return [
        NotStopped("browser", str(pid), phrase("This process of it still lives.")) for pid in alive
    ]


# --- the workers ------------------------------------------------------------------------
def _let_workers_tell(actions: Sequence[UUID]) -> None:
    """A worker that acts hears from its dead browser and says what it knows. What is still open
    after the grace is called unknown: the leases are over, as if the worker had died."""
    deadline = time.monotonic() + GRACE_S
    open_ones = Action.objects.filter(pk__in=actions).exclude(status__in=Action.FINAL)
    while open_ones.exists() and time.monotonic() < deadline:
        time.sleep(LOOK_S)
    if running := list(open_ones.filter(status=Action.Status.RUNNING)):
        proposals.services.lose_expired_leases()
        for action in running:
            recover(action.id)


def _not_stopped(action: Action) -> NotStopped | None:
    match action.status:
        case Action.Status.SUCCEEDED:
            words = phrase("It was done before the kill reached it.")
        case Action.Status.OUTCOME_UNKNOWN:
            words = phrase("It had begun: nobody knows whether it happened. Look at the site.")
        case status if status not in Action.FINAL:
            words = phrase("It is still {status}.", status=action.get_status_display())
        case _:
            return None
    said = phrase(
        "{tool}, step {number}. {words}", tool=action.tool, number=action.step_id, words=words
    )
    return NotStopped("action", str(action.id), said)


def meaning_of(error: BrowserLost, action: Action) -> DomainError:
    """What the loss of its browser means to an action: where the run was ended meanwhile, that."""
    run = Run.objects.get(pk=action.run_id)
    if not run.is_over:
        return error
    if action.acting_at and kind_of(action.tool, action.params) is ToolKind.NAVIGATE:
        return OutcomeUnknown("The run was ended on the way to another page: the site may know.")
    return RunEnded(ended_words(run))
