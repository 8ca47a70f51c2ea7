"""What a person says: approve, modify, reject; done or retry where nobody knows."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from agents.models import Person
from confidence import flags
from core import clock
from core.errors import Invalid
from core.words import phrase
from proposals import access, domain
from proposals.domain import Event
from proposals.models import Decision, Proposal
from proposals.services import modifying, teaching
from proposals.services.moving import move, person_actor, refuse_if_settled, stale_version


@transaction.atomic
def approve(
    proposal_id: UUID | str,
    *,
    person: Person,
    version: int,
    chosen_index: int | None = None,
    fields: list[Any] | None = None,
    reason: str = "",
    remember: str = "",
) -> Proposal:
    """Let the starred candidates be acted on; where nothing is starred the reviewer names one.

    `remember`: "agent" or "site" to pick the same the next time. Raises Invalid when it may not be.
    """
    proposal = _open_for_decision(proposal_id, person, version)
    given = {"chosen_index": chosen_index, "fields": fields or []}
    changes = domain.read_changes(given, shown=proposal.shown_field)
    if changes.values:
        raise domain.UseModify("Another value is a modification.")
    choice = domain.approval(proposal.targets, changes.picks)
    decided = _decide(proposal, choice, person=person, reason=reason, modifications={})
    return teaching.teach(decided, remember, person=person)


@transaction.atomic
def modify(
    proposal_id: UUID | str,
    *,
    person: Person,
    version: int,
    modifications: Mapping[str, Any],
    reason: str = "",
    remember: str = "",
) -> Proposal:
    """Let other elements be acted on than the starred ones, or other values be written."""
    proposal = _open_for_decision(proposal_id, person, version)
    changes = domain.read_changes(modifications, shown=proposal.shown_field)
    change = modifying.change_of(proposal, changes)
    choice = domain.modification(change.targets, change.changes)
    decided = _decide(
        proposal,
        choice,
        person=person,
        reason=reason,
        modifications=modifying.shown(proposal, modifications),
        **change.columns,
    )
    return teaching.teach(decided, remember, person=person)


@transaction.atomic
def reject(proposal_id: UUID | str, *, person: Person, version: int, reason: str) -> Proposal:
    """Refuse the action; the reason reaches the agent."""
    if not "".join(letter for letter in reason if letter.isprintable()).strip():
        raise Invalid(phrase("Say why: the agent reads the reason."))
    proposal = _open_for_decision(proposal_id, person, version)
    choice = domain.Choice((), Event.REJECT)
    return _decide(proposal, choice, person=person, reason=reason.strip(), modifications={})


def _open_for_decision(proposal_id: UUID | str, person: Person, version: int) -> Proposal:
    proposal = access.decidable_by(person, proposal_id)
    refuse_if_settled(proposal)
    if proposal.version != version:
        raise stale_version(proposal)
    if proposal.has_expired(clock.now()):
        raise domain.Expired(phrase("Its time to decide is over."), proposal_id=str(proposal.id))
    return proposal


def _decide(
    proposal: Proposal,
    choice: domain.Choice,
    *,
    person: Person,
    reason: str,
    modifications: Mapping[str, Any],
    **columns: Any,
) -> Proposal:
    now = clock.now()
    event = _event(proposal, choice, person)
    index = choice.picks[proposal.shown_field] if choice.picks else -1
    payload = {
        "reason": reason,
        "modifications": dict(modifications),
        "index": index,
        "picks": list(choice.picks),
    }
    fields = columns.get("fields", proposal.fields)  # another element may have joined them
    changes = {**columns, **_columns(fields, choice, event, index)}
    moved = move(proposal, event, actor=person_actor(person), payload=payload, **changes)
    Decision.objects.create(
        proposal=moved,
        person=person,
        verb=event.value,
        reason=reason[:1000],
        seen_version=proposal.version,
        modifications=dict(modifications),
        elapsed_ms=max(0, int((now - moved.created_at).total_seconds() * 1000)),
        created_at=now,
    )
    return moved


def _columns(fields: list[Any], choice: domain.Choice, event: Event, index: int) -> dict[str, Any]:
    """What the decision writes. The first of two people only moves the stars to their picks."""
    match event:
        case Event.REJECT:
            return {"decided_at": clock.now()}
        case Event.APPROVE_FIRST:
            starred = zip(fields, choice.picks, strict=False)
            moved = [{**one, "chosen_index": pick} for one, pick in starred]
            return {"chosen_index": index, "fields": moved}
    picks = list(choice.picks) if fields else []
    return {"decided_at": clock.now(), "approved_index": index, "approved_fields": picks}


# --- two people -------------------------------------------------------------------------
def _event(proposal: Proposal, choice: domain.Choice, person: Person) -> Event:
    """What cannot be undone takes two people who mean the same; another change begins anew."""
    if choice.event is Event.REJECT or not needs_two_people(proposal):
        return choice.event
    first = first_approval(proposal)
    if first is None or choice.event is Event.MODIFY:
        return Event.APPROVE_FIRST
    if first.person_id == person.pk:
        said = phrase("You approved this already: another person has to as well.")
        raise domain.AnotherPerson(said)
    return choice.event


def _refuse_lone_retry(proposal: Proposal, event: Event, person: Person) -> None:
    """What took two people is not done again on the word of the one who approved it last."""
    if event is not Event.RETRY or not needs_two_people(proposal):
        return
    approvals = proposal.decisions.filter(verb__in=[Decision.Verb.APPROVE, Decision.Verb.RETRY])
    last = approvals.last()
    if last is not None and last.person_id == person.pk:
        said = phrase("You approved this last: another person has to say retry.")
        raise domain.AnotherPerson(said)


def needs_two_people(proposal: Proposal) -> bool:
    return proposal.is_irreversible and flags.current().two_people


def first_approval(proposal: Proposal) -> Decision | None:
    """What the first of two people said, while the second is waited for."""
    firsts = proposal.decisions.select_related("person").filter(verb=Decision.Verb.FIRST)
    return firsts.last()


def _refuse_by_run(proposal: Proposal, event: Event) -> None:
    """In a run that goes on it is done again; after its end there is no browser to do it in."""
    is_over = proposal.run_ended_at is not None
    if event is Event.RETRY and is_over:
        raise domain.NotAllowed(phrase("The run is over: it cannot be done again."))
    if event is Event.MARK_NOT_DONE and not is_over:
        raise domain.NotAllowed(phrase("The run goes on: say retry, or mark it as done."))


@transaction.atomic
def mark_done(proposal_id: UUID | str, *, person: Person, version: int) -> Proposal:
    """A person looked at the page and says the unknown action happened."""
    if access.decidable_by(person, proposal_id).is_question:
        raise domain.NotAllowed(phrase("No page shows whether a yes was put on record: say retry."))
    return _resolve_unknown(proposal_id, Event.MARK_DONE, person=person, version=version)


@transaction.atomic
def retry(proposal_id: UUID | str, *, person: Person, version: int) -> Proposal:
    """A person looked at the page and says the unknown action did not happen: do it now."""
    return _resolve_unknown(proposal_id, Event.RETRY, person=person, version=version)


@transaction.atomic
def mark_not_done(proposal_id: UUID | str, *, person: Person, version: int) -> Proposal:
    """A person says the unknown action did not happen, and its run is over: nothing is retried."""
    error = {"code": "run_ended", "message": "It did not happen, and the run is over."}
    return _resolve_unknown(
        proposal_id,
        Event.MARK_NOT_DONE,
        person=person,
        version=version,
        error=error,
        sealed_changes="",
    )


def _resolve_unknown(
    proposal_id: UUID | str, event: Event, *, person: Person, version: int, **columns: Any
) -> Proposal:
    proposal = access.decidable_by(person, proposal_id)
    if proposal.version != version:
        raise stale_version(proposal)
    _refuse_by_run(proposal, event)
    _refuse_lone_retry(proposal, event, person)
    columns = {"lease_until": None, "sent_at": None, **columns}
    try:
        with transaction.atomic():
            moved = move(proposal, event, actor=person_actor(person), **columns)
    except IntegrityError:
        raise domain.NotAllowed(
            phrase("Another proposal of this run is open: decide that one first.")
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
