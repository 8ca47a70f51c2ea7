"""What a killed process or a lost message left behind, and how it is taken up again."""

from datetime import timedelta
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction

from browser.providers import BrowserRef, is_alive
from core import clock
from proposals.models import Proposal
from runs import messages
from runs.models import Action, Run
from runs.services.acting import lock_run, settle
from runs.services.executions import follow_proposal
from runs.services.runs import ended_words

RESEND_AFTER = timedelta(seconds=5)


def lost_actions() -> list[UUID]:
    """Running actions whose worker's lease is over, and whose proposal does not say so itself."""
    lost = Action.objects.filter(status=Action.Status.RUNNING, lease_until__lt=clock.now())
    executing = Proposal.objects.filter(status="executing").values("action_id")
    return list(lost.exclude(pk__in=executing).values_list("id", flat=True)[:200])


@transaction.atomic
def recover(action_id: UUID) -> None:
    """A worker died with this action: send it again if the page was never touched."""
    action = Action.objects.select_related("run__agent").get(pk=action_id)
    is_open = lock_run(action.run_id) == Run.Status.OPEN
    lost = Action.objects.filter(
        pk=action_id, status=Action.Status.RUNNING, lease_until__lt=clock.now()
    )
    error = {
        "code": "outcome_unknown",
        "message": "The worker died while it acted: look at the page before you go on.",
        "retryable": False,
    }
    touched = lost.exclude(acting_at=None)
    if settle(action, Action.Status.OUTCOME_UNKNOWN, rows=touched, error=error):
        return
    if not is_open:
        over = {"code": "run_ended", "message": ended_words(action.run), "retryable": False}
        settle(action, Action.Status.FAILED, rows=lost, error=over)
        return
    if lost.update(status=Action.Status.QUEUED, lease_until=None, sent_at=clock.now()):
        transaction.on_commit(partial(messages.send_action, action_id))


def resend_unsent() -> int:
    """Messages are sent after the rows are written; one that got lost is sent again."""
    late = clock.now() - RESEND_AFTER
    queued = Action.objects.filter(
        status=Action.Status.QUEUED, sent_at__lt=late, run__status=Run.Status.OPEN
    ).exclude(run__actions__status=Action.Status.RUNNING)
    ids = list(queued.values_list("id", flat=True)[:200])
    Action.objects.filter(pk__in=ids).update(sent_at=clock.now())
    for action_id in ids:
        messages.send_action(action_id)
    unsent = Run.objects.filter(status=Run.Status.STARTING, browser={}, active_at__lt=late)
    for run_id in list(unsent.values_list("id", flat=True)[:50]):
        if unsent.filter(pk=run_id).update(active_at=clock.now()):
            messages.send_start(run_id)
    return len(ids)


def carry_over_proposals() -> int:
    """News of a settled proposal got lost: carry it over to its action now."""
    parked = Action.objects.filter(status=Action.Status.REQUIRES_APPROVAL).values("proposal_id")
    unknown = Action.objects.filter(status=Action.Status.OUTCOME_UNKNOWN).values("proposal_id")
    settled = Proposal.objects.filter(pk__in=parked).exclude(status__in=["pending", "executing"])
    decided = Proposal.objects.filter(pk__in=unknown, status__in=["approved", "executed"])
    ids = {*settled.values_list("id", flat=True)[:200], *decided.values_list("id", flat=True)[:200]}
    for proposal_id in ids:
        follow_proposal(proposal_id)
    return len(ids)


def runs_without_life() -> list[Run]:
    """Open runs whose browser is gone."""
    runs = Run.objects.select_related("agent").filter(status=Run.Status.OPEN)
    return [run for run in runs if not is_alive(BrowserRef.of(run.browser))]


def stuck_starts() -> list[Run]:
    """Runs whose worker died while it gave them their browser, or that no worker ever started."""
    longest_s = settings.LEASE_SECONDS + settings.NAVIGATION_TIMEOUT_S
    since = clock.now() - timedelta(seconds=longest_s)
    starting = Run.objects.select_related("agent").filter(status=Run.Status.STARTING)
    return list(starting.filter(created_at__lt=since)[:50])


def ended_runs_with_a_browser() -> list[UUID]:
    """The message that ends a run's browser got lost."""
    late = clock.now() - RESEND_AFTER
    ended = Run.objects.exclude(status__in=[Run.Status.STARTING, Run.Status.OPEN])
    return list(
        ended.exclude(browser={}).filter(finished_at__lt=late).values_list("id", flat=True)[:50]
    )


def idle_runs() -> list[Run]:
    """Open runs that did nothing for RUN_IDLE_SECONDS; waiting for a person does not count."""
    since = clock.now() - timedelta(seconds=settings.RUN_IDLE_SECONDS)
    busy = [Action.Status.QUEUED, Action.Status.RUNNING, Action.Status.REQUIRES_APPROVAL]
    return list(
        Run.objects.select_related("agent")
        .filter(status=Run.Status.OPEN, active_at__lt=since)
        .exclude(actions__status__in=busy)[:50]
    )
