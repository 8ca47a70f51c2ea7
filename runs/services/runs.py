"""The life of a run: opened by an agent, given its browser, ended once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q

import proposals.services
from agents.models import AgentRegistry
from audit.services import record
from browser.acting import Done
from browser.providers import BrowserRef
from browser.sessions import Place
from confidence.domain.gate import (
    Decision,
    GateCall,
    ToolKind,
    decide,
)
from confirmations import profiles
from core import clock, live, sealing
from core.actors import SYSTEM, Actor
from core.errors import Forbidden, Invalid, TooMany
from runs import messages
from runs.models import Action, Run
from runs.services.acting import settle, succeed
from runs.services.errors import AgentPaused
from runs.signals import run_ended

ENDED = "The run ended before this was done."


def actor_of(agent: AgentRegistry) -> Actor:
    return Actor(kind="agent", id=str(agent.id), name=agent.name)


@dataclass(frozen=True)
class RunRequest:
    """What an agent asked for when it opened a run."""

    start_url: str = ""
    label: str = ""
    idempotency_key: str = ""
    task: Mapping[str, Any] = field(default_factory=dict)
    is_open_play: bool = False
    confirmation_mode: str = ""
    profile: str = ""

    @property
    def digest(self) -> str:
        wishes = [dict(self.task), self.is_open_play, self.confirmation_mode, self.profile]
        return sealing.digest([self.start_url, self.label, *(one for one in wishes if one)])


@transaction.atomic
def create_run(agent: AgentRegistry, request: RunRequest) -> Run:
    """Write the run and send for its browser. The same Idempotency-Key gives the same run."""
    AgentRegistry.objects.select_for_update().get(pk=agent.pk)  # one at a time per agent
    if known := _same_run(agent, request):
        return known
    refuse_unless_active(agent)
    _refuse_unwatched(request)
    if open_runs().count() >= settings.MAX_OPEN_RUNS:
        raise TooMany(
            f"{settings.MAX_OPEN_RUNS} runs are open, more are not allowed: finish one first.",
            retry_after_s=10,
        )
    now = clock.now()
    run = Run.objects.create(
        agent=agent,
        label=request.label,
        start_url=request.start_url,
        idempotency_key=request.idempotency_key or None,
        request_digest=request.digest,
        task=dict(request.task),
        is_open_play=request.is_open_play,
        confirmation_mode=request.confirmation_mode,
        created_at=now,
        active_at=now,
    )
    said = {"start_url": request.start_url, "task": run.task, "open_play": run.is_open_play}
    _record_run(run, "run.create", actor_of(agent), said)
    transaction.on_commit(partial(messages.send_start, run.id))
    return run


def _refuse_unwatched(request: RunRequest) -> None:
    """A named profile must watch over the start page; naming none detaches none."""
    if not request.profile:
        return
    watching = profiles.attached(request.start_url)
    if watching is None or watching.name != request.profile:
        raise Invalid(f"The profile {request.profile!r} does not watch over this start_url.")


def _same_run(agent: AgentRegistry, request: RunRequest) -> Run | None:
    if not request.idempotency_key:
        return None
    known = Run.objects.filter(agent=agent, idempotency_key=request.idempotency_key).first()
    if known and known.request_digest != request.digest:
        raise Invalid("This Idempotency-Key was used for another request.")
    return known


def refuse_unless_active(agent: AgentRegistry) -> None:
    if agent.status == AgentRegistry.Status.PAUSED:
        raise AgentPaused(
            "A person paused this agent: new runs and actions are refused until it is resumed."
        )
    if agent.status == AgentRegistry.Status.STOPPED:
        raise Forbidden("This agent was stopped by an admin.")


def open_runs() -> Any:
    return Run.objects.filter(status__in=[Run.Status.STARTING, Run.Status.OPEN])


def proposes_navigation(run: Run) -> bool:
    """A student's first page is a proposal like any other navigation."""
    call = GateCall(kind=ToolKind.NAVIGATE, level=None, tier=run.agent.tier)
    return decide(call).decision is Decision.PROPOSE


@transaction.atomic
def browser_started(run_id: UUID, ref: BrowserRef) -> bool:
    """Note the run's browser. False when the run ended while it started: stop it then."""
    starting = Run.objects.filter(pk=run_id, status=Run.Status.STARTING, browser={})
    return bool(starting.update(browser=ref.as_dict(), active_at=clock.now()))


@transaction.atomic
def run_opened(run_id: UUID, place: Place) -> bool:
    changed = Run.objects.filter(pk=run_id, status=Run.Status.STARTING).update(
        status=Run.Status.OPEN,
        current_url=place.url,
        title=place.title[:300],
        active_at=clock.now(),
    )
    if changed:
        run = Run.objects.select_related("agent").get(pk=run_id)
        _record_run(run, "run.open", SYSTEM, {"url": place.url})
        _announce_run(run)
    return bool(changed)


@transaction.atomic
def end_run(run: Run, status: str, *, actor: Actor, error: Mapping[str, Any] | None = None) -> bool:
    """End a run: its proposals are cancelled, its open actions fail, its browser is sent for.

    False when it was over already.
    """
    changed = Run.objects.filter(
        pk=run.pk, status__in=[Run.Status.STARTING, Run.Status.OPEN]
    ).update(status=status, error=error, finished_at=clock.now())
    if not changed:
        return False
    run.refresh_from_db()
    proposals.services.cancel_of_run(run.id, actor=actor, error=killed_error(run))
    _fail_open_actions(run)
    _record_run(run, f"run.{status}", actor, {"error": error})
    _announce_run(run)
    transaction.on_commit(partial(messages.send_stop, run.id))
    transaction.on_commit(partial(run_ended.send_robust, sender=Run, run_id=run.id))
    return True


@transaction.atomic
def finish_run(action: Action, done: Done) -> None:
    """The agent says that it is done: its word and the end of the run are one."""
    succeed(action, done)
    end_run(action.run, Run.Status.FINISHED, actor=actor_of(action.run.agent))


def killed_error(run: Run) -> Mapping[str, Any] | None:
    """Who killed it and why, for its proposals; nothing for a run that ended in another way."""
    return run.error if run.status == Run.Status.KILLED else None


def ended_words(run: Run) -> str:
    """Why nothing more is done, as agents are told."""
    killed = killed_error(run)
    return f"{killed['message']} Nothing was done." if killed else ENDED


def _fail_open_actions(run: Run) -> None:
    over = {"code": "run_ended", "message": ended_words(run)}
    undone = Q(status=Action.Status.QUEUED) | Q(status=Action.Status.RUNNING, acting_at=None)
    for action in run.actions.filter(undone):
        settle(action, Action.Status.FAILED, error={**over, "retryable": False})


def _record_run(run: Run, verb: str, actor: Actor, payload: Mapping[str, Any]) -> None:
    record(verb, actor=actor, run_id=run.id, agent_id=run.agent_id, payload=payload)


def _announce_run(run: Run) -> None:
    teams = list(run.agent.teams.values_list("id", flat=True))
    hint = {"kind": "run", "id": str(run.id), "status": str(run.status), "version": run.step_id}
    transaction.on_commit(partial(live.hint, teams, hint))
    transaction.on_commit(partial(live.announce, run.id))


def browser_ended(run_id: UUID) -> None:
    Run.objects.filter(pk=run_id).update(browser={})


def note_refs(run_id: UUID, frames: Mapping[str, Any]) -> None:
    Run.objects.filter(pk=run_id).update(refs=dict(frames))
