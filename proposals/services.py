"""Every way a proposal changes. One private function moves the row; the loser of a race is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F

from agents.models import AgentRegistry, Person
from audit.services import record
from core import clock, live
from core.actors import SYSTEM, Actor
from core.errors import Conflict, Invalid
from proposals import access, domain
from proposals.domain import Event, Status
from proposals.models import Decision, Proposal
from proposals.signals import proposal_moved

VIEWING = timedelta(seconds=60)


@dataclass(frozen=True)
class Draft:
    """What the pipeline knows of an action that must wait for a person."""

    agent: AgentRegistry
    run_id: UUID
    action_id: UUID
    step_id: int
    tool: str
    params: Mapping[str, Any]
    intent: str
    reasons: tuple[str, ...]
    level: str
    score: float | None
    match_confidence: Mapping[str, Any] | None
    chosen_index: int
    fields: list[Any] = field(default_factory=list)
    shown_field: int = 0
    anchors: list[Any] = field(default_factory=list)
    page_url: str = ""
    page_title: str = ""
    page_digest: str = ""
    viewport: Mapping[str, Any] = field(default_factory=dict)
    picture: str = ""
    snippet: str = ""
    risk: str = Proposal.Risk.ORDINARY


def create(draft: Draft, *, replaces: Proposal | None = None) -> Proposal:
    """Put an action before a person. Must run in the transaction that parks the action."""
    now = clock.now()
    proposal = Proposal.objects.create(
        agent=draft.agent,
        run_id=draft.run_id,
        action_id=draft.action_id,
        step_id=draft.step_id,
        tool=draft.tool,
        params=dict(draft.params),
        intent=draft.intent[:500],
        reasons=list(draft.reasons),
        level=draft.level,
        score=draft.score,
        match_confidence=draft.match_confidence,
        chosen_index=draft.chosen_index,
        fields=draft.fields,
        shown_field=draft.shown_field,
        anchors=draft.anchors,
        page_url=draft.page_url,
        page_title=draft.page_title[:300],
        page_digest=draft.page_digest,
        viewport=dict(draft.viewport),
        picture=draft.picture,
        snippet=draft.snippet,
        risk=draft.risk,
        replaces=replaces,
        created_at=now,
        expires_at=now + timedelta(seconds=settings.PROPOSAL_TTL_SECONDS),
    )
    payload = {
        "reasons": list(draft.reasons),
        "level": draft.level,
        "score": draft.score,
        "chosen_index": draft.chosen_index,
        "picture": draft.picture,
        "page_digest": draft.page_digest,
        "replaces": str(replaces.id) if replaces else None,
    }
    _record(proposal, "proposal.create", actor=_agent_actor(draft.agent), payload=payload)
    _hint_on_commit(proposal)
    return proposal


# --- what a person says -----------------------------------------------------------------
@transaction.atomic
def approve(
    proposal_id: UUID | str,
    *,
    person: Person,
    version: int,
    chosen_index: int | None = None,
    fields: list[Any] | None = None,
    reason: str = "",
) -> Proposal:
    """Let the starred candidates be acted on; where nothing is starred the reviewer names one."""
    proposal = _open_for_decision(proposal_id, person, version)
    given = {"chosen_index": chosen_index, "fields": fields or []}
    named = domain.named_picks(given, shown=proposal.shown_field)
    choice = domain.approval(proposal.targets, named)
    return _decide(proposal, choice, person=person, reason=reason, modifications={})


@transaction.atomic
def modify(
    proposal_id: UUID | str,
    *,
    person: Person,
    version: int,
    modifications: Mapping[str, Any],
    reason: str = "",
) -> Proposal:
    """Let other candidates be acted on than the starred ones."""
    proposal = _open_for_decision(proposal_id, person, version)
    named = domain.named_picks(modifications, shown=proposal.shown_field)
    choice = domain.modification(proposal.targets, named)
    return _decide(
        proposal, choice, person=person, reason=reason, modifications=dict(modifications)
    )


@transaction.atomic
def reject(proposal_id: UUID | str, *, person: Person, version: int, reason: str) -> Proposal:
    """Refuse the action; the reason reaches the agent."""
    if not "".join(letter for letter in reason if letter.isprintable()).strip():
        raise Invalid("Say why: the agent reads the reason.")
    proposal = _open_for_decision(proposal_id, person, version)
    choice = domain.Choice((), Event.REJECT)
    return _decide(proposal, choice, person=person, reason=reason.strip(), modifications={})


def _open_for_decision(proposal_id: UUID | str, person: Person, version: int) -> Proposal:
    proposal = access.decidable_by(person, proposal_id)
    _refuse_if_settled(proposal)
    if proposal.version != version:
        raise _stale_version(proposal)
    if proposal.has_expired(clock.now()):
        raise domain.Expired("Its time to decide is over.", proposal_id=str(proposal.id))
    return proposal


def _decide(
    proposal: Proposal,
    choice: domain.Choice,
    *,
    person: Person,
    reason: str,
    modifications: Mapping[str, Any],
) -> Proposal:
    now = clock.now()
    changes: dict[str, Any] = {"decided_at": now}
    if choice.event != Event.REJECT:
        changes["approved_index"] = _shown_pick(proposal, choice)
        changes["approved_fields"] = list(choice.picks) if proposal.fields else []
    seen = proposal.version
    moved = _move(
        proposal,
        choice.event,
        actor=_person_actor(person),
        payload={
            "reason": reason,
            "modifications": dict(modifications),
            "index": _shown_pick(proposal, choice),
            "picks": list(choice.picks),
        },
        **changes,
    )
    Decision.objects.create(
        proposal=moved,
        person=person,
        verb=choice.event.value,
        reason=reason[:1000],
        seen_version=seen,
        modifications=dict(modifications),
        elapsed_ms=max(0, int((now - moved.created_at).total_seconds() * 1000)),
        created_at=now,
    )
    return moved


def _shown_pick(proposal: Proposal, choice: domain.Choice) -> int:
    return choice.picks[proposal.shown_field] if choice.picks else -1


@transaction.atomic
def mark_done(proposal_id: UUID | str, *, person: Person, version: int) -> Proposal:
    """A person looked at the page and says the unknown action happened."""
    return _resolve_unknown(proposal_id, Event.MARK_DONE, person=person, version=version)


@transaction.atomic
def retry(proposal_id: UUID | str, *, person: Person, version: int) -> Proposal:
    """A person looked at the page and says the unknown action did not happen: do it now."""
    return _resolve_unknown(proposal_id, Event.RETRY, person=person, version=version)


def _resolve_unknown(
    proposal_id: UUID | str, event: Event, *, person: Person, version: int
) -> Proposal:
    proposal = access.decidable_by(person, proposal_id)
    if proposal.version != version:
        raise _stale_version(proposal)
    try:
        with transaction.atomic():
            moved = _move(
                proposal, event, actor=_person_actor(person), lease_until=None, sent_at=None
            )
    except IntegrityError:
        raise domain.NotAllowed(
            "Another proposal of this run is open: decide that one first."
        ) from None
    Decision.objects.create(
        proposal=moved,
        person=person,
        verb=event.value,
        seen_version=version,
        elapsed_ms=max(0, int((clock.now() - moved.created_at).total_seconds() * 1000)),
        created_at=clock.now(),
    )
    return moved


def view(proposal: Proposal, *, person: Person) -> bool:
    """Note that a person has the card open, for 60 s; advisory. False when somebody else has."""
    now = clock.now()
    free = Proposal.objects.filter(pk=proposal.pk).exclude(
        viewed_until__gt=now, viewer__isnull=False
    )
    mine = Proposal.objects.filter(pk=proposal.pk, viewer=person)
    changed = (free | mine).update(viewer=person, viewed_until=now + VIEWING)
    if changed and proposal.viewer_id != person.pk:
        _hint_on_commit(proposal)
    return bool(changed)


# --- what the clock, the run and the agent say ------------------------------------------
def expire_due() -> int:
    """Expire every pending proposal whose time is over. Returns how many."""
    due = Proposal.objects.filter(status=Status.PENDING, expires_at__lte=clock.now())
    return sum(_settle_quietly(proposal, Event.EXPIRE, SYSTEM) for proposal in due[:200])


def cancel_of_run(run_id: UUID, *, actor: Actor) -> int:
    """The run is over: what still waits, or was approved but not begun, is cancelled."""
    waiting = Proposal.objects.filter(run_id=run_id, status__in=[Status.PENDING, Status.APPROVED])
    return sum(_settle_quietly(proposal, Event.CANCEL, actor) for proposal in waiting)


def cancel(proposal: Proposal, *, actor: Actor) -> bool:
    """What was approved can no longer be done. False when it began already."""
    return _settle_quietly(proposal, Event.CANCEL, actor)


def supersede(proposal: Proposal, *, actor: Actor) -> bool:
    """The agent asked for something else. False when a decision was faster."""
    return _settle_quietly(proposal, Event.SUPERSEDE, actor)


def _settle_quietly(proposal: Proposal, event: Event, actor: Actor) -> bool:
    """Move, or leave it be when somebody was faster."""
    try:
        with transaction.atomic():
            _move(proposal, event, actor=actor)
    except Conflict:
        return False
    return True


# --- the execution ----------------------------------------------------------------------
@transaction.atomic
def claim(proposal_id: UUID, *, lease_s: float) -> Proposal:
    """Give an approved proposal to one worker for `lease_s` seconds.

    Raises a Conflict when it is not approved (any more). A second call always raises.
    """
    proposal = Proposal.objects.select_related("agent").get(pk=proposal_id)
    until = clock.now() + timedelta(seconds=lease_s)
    return _move(proposal, Event.CLAIM, actor=SYSTEM, lease_until=until)


def finish(
    proposal: Proposal,
    event: Event,
    *,
    outcome: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
) -> Proposal:
    """Say what came of an execution: EXECUTE, FAIL, GO_STALE or LOSE. In the caller's transaction.

    Raises a Conflict when the lease was lost and a sweep has called the outcome unknown meanwhile.
    """
    return _move(
        proposal,
        event,
        actor=SYSTEM,
        payload={"outcome": outcome, "error": error},
        outcome=outcome,
        error=error,
        lease_until=None,
    )


def lose_expired_leases() -> list[UUID]:
    """A worker died while executing: nobody knows what happened. Returns the action ids."""
    dead = Proposal.objects.filter(status=Status.EXECUTING, lease_until__lt=clock.now())
    error = {"code": "outcome_unknown", "message": "The worker died while it acted."}
    lost = []
    for proposal in dead[:200]:
        try:
            with transaction.atomic():
                finish(proposal, Event.LOSE, error=error)
        except Conflict:
            continue
        lost.append(proposal.action_id)
    return lost


def hand_out(proposal_id: UUID) -> bool:
    """Note that an approved proposal's execution is being sent. False when just sent."""
    now = clock.now()
    waiting = Proposal.objects.filter(pk=proposal_id, status=Status.APPROVED)
    due = waiting.filter(sent_at=None) | waiting.filter(sent_at__lt=now - timedelta(seconds=5))
    return bool(due.update(sent_at=now))


# --- the one function that moves a row --------------------------------------------------
def _move(
    proposal: Proposal,
    event: Event,
    *,
    actor: Actor,
    payload: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Proposal:
    """Conditional on status and version. Raises a Conflict that says who was faster."""
    status = domain.next_status(proposal.status, event)
    seen = Proposal.objects.filter(pk=proposal.pk, status=proposal.status, version=proposal.version)
    if not seen.update(status=status, version=F("version") + 1, **changes):
        fresh = Proposal.objects.get(pk=proposal.pk)
        _refuse_if_settled(fresh)
        raise _stale_version(fresh)
    moved = Proposal.objects.select_related("agent").get(pk=proposal.pk)
    details = {"from": proposal.status, "to": status.value, **(payload or {})}
    _record(moved, f"proposal.{event}", actor=actor, payload=details)
    _hint_on_commit(moved)
    transaction.on_commit(
        partial(
            proposal_moved.send_robust,
            sender=Proposal,
            proposal_id=moved.id,
            run_id=moved.run_id,
            action_id=moved.action_id,
        )
    )
    return moved


def _refuse_if_settled(proposal: Proposal) -> None:
    if proposal.status == Status.PENDING:
        return
    if proposal.status == Status.EXPIRED:
        raise domain.Expired("Its time to decide is over.", proposal_id=str(proposal.id))
    decision = proposal.decisions.select_related("person").first()
    who = decision.person.username if decision else "nobody"
    what = decision.get_verb_display() if decision else proposal.status
    raise domain.AlreadyDecided(
        f"{who} already {what} this." if decision else f"This was already {proposal.status}.",
        proposal_id=str(proposal.id),
        status=proposal.status,
        decided_by=who if decision else None,
        decision=what,
        decided_at=decision.created_at.isoformat() if decision else None,
    )


def _stale_version(proposal: Proposal) -> domain.StaleVersion:
    return domain.StaleVersion(
        "It changed since you saw it: look at the present card, then decide.",
        proposal_id=str(proposal.id),
        version=proposal.version,
    )


def _record(proposal: Proposal, verb: str, *, actor: Actor, payload: Mapping[str, Any]) -> None:
    record(
        verb,
        actor=actor,
        run_id=proposal.run_id,
        action_id=proposal.action_id,
        proposal_id=proposal.id,
        agent_id=proposal.agent_id,
        payload=payload,
    )


def _hint_on_commit(proposal: Proposal) -> None:
    teams = list(proposal.agent.teams.values_list("id", flat=True))
    message = {
        "kind": "proposal",
        "id": str(proposal.id),
        "status": str(proposal.status),
        "version": proposal.version,
    }
    transaction.on_commit(partial(live.hint, teams, message))


def _person_actor(person: Person) -> Actor:
    return Actor(kind="person", id=str(person.pk), name=person.username)


def _agent_actor(agent: AgentRegistry) -> Actor:
    return Actor(kind="agent", id=str(agent.pk), name=agent.name)
