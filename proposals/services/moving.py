"""The one function that moves a proposal's row; the loser of a race is told who was faster."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F

from agents.models import AgentRegistry, Person
from audit.services import record
from core import clock, live
from core.actors import Actor
from core.words import phrase
from proposals import domain
from proposals.domain import Event, Status
from proposals.models import Proposal
from proposals.signals import proposal_moved


def move(
    proposal: Proposal,
    event: Event,
    *,
    actor: Actor,
    payload: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Proposal:
    """Conditional on status and version. Raises a Conflict that says who was faster."""
    status = domain.next_status(proposal.status, event)
    if status not in domain.WAITING:
        changes["settled_at"] = clock.now()
    seen = Proposal.objects.filter(pk=proposal.pk, status=proposal.status, version=proposal.version)
    if not seen.update(status=status, version=F("version") + 1, **changes):
        fresh = Proposal.objects.get(pk=proposal.pk)
        refuse_if_settled(fresh)
        raise stale_version(fresh)
    moved = Proposal.objects.select_related("agent").get(pk=proposal.pk)
    details = {"from": proposal.status, "to": status.value, **(payload or {})}
    record_proposal(moved, f"proposal.{event}", actor=actor, payload=details)
    hint_on_commit(moved)
    transaction.on_commit(
        partial(
            proposal_moved.send_robust,
            sender=Proposal,
            proposal_id=moved.id,
            run_id=moved.run_id,
            action_id=moved.action_id,
            event=event,
        )
    )
    return moved


def refuse_if_settled(proposal: Proposal) -> None:
    if proposal.status == Status.PENDING:
        return
    if proposal.status == Status.EXPIRED:
        raise domain.Expired(phrase("Its time to decide is over."), proposal_id=str(proposal.id))
    said = proposal.decisions.exclude(verb=Event.APPROVE_FIRST)  # did not settle it
    decision = said.select_related("person").first()
    who = decision.person.username if decision else "nobody"
    what = decision.get_verb_display() if decision else proposal.status
    raise domain.AlreadyDecided(
        phrase("{name} already {what} this.", name=who, what=what)
        if decision
        else phrase("This was already {status}.", status=phrase(proposal.status)),
        proposal_id=str(proposal.id),
        proposal_status=proposal.status,
        decided_by=who if decision else None,
        decision=what,
        decided_at=decision.created_at.isoformat() if decision else None,
    )


def stale_version(proposal: Proposal) -> domain.StaleVersion:
    return domain.StaleVersion(
        phrase("It changed since you saw it: look at the present card, then decide."),
        proposal_id=str(proposal.id),
        version=proposal.version,
    )


def record_proposal(
    proposal: Proposal, verb: str, *, actor: Actor, payload: Mapping[str, Any]
) -> None:
    record(
        verb,
        actor=actor,
        run_id=proposal.run_id,
        action_id=proposal.action_id,
        proposal_id=proposal.id,
        agent_id=proposal.agent_id,
        payload=payload,
    )


def hint_on_commit(proposal: Proposal) -> None:
    teams = list(proposal.agent.teams.values_list("id", flat=True))
    message = {
        "kind": "proposal",
        "id": str(proposal.id),
        "status": str(proposal.status),
        "version": proposal.version,
    }
    transaction.on_commit(partial(live.hint, teams, message))


def person_actor(person: Person) -> Actor:
    return Actor(kind="person", id=str(person.pk), name=person.username)


def agent_actor(agent: AgentRegistry) -> Actor:
    return Actor(kind="agent", id=str(agent.pk), name=agent.name)
