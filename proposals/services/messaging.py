"""A reviewer tells the agent something without deciding; it comes with the next answer."""

from functools import partial
from uuid import UUID

from django.db import transaction

from agents.models import Person
from core import clock, live
from core.errors import Invalid
from core.text import storable
from core.words import phrase
from proposals import access
from proposals.domain import LONGEST_MESSAGE, Expired
from proposals.models import Message, Proposal
from proposals.services.moving import (
    hint_on_commit,
    person_actor,
    record_proposal,
    refuse_if_settled,
)


@transaction.atomic
def say(proposal_id: UUID | str, *, person: Person, text: str) -> Message:
    """Keep it, and wake the call that waits. Raises AlreadyDecided, Expired, Invalid."""
    proposal = access.decidable_by(person, proposal_id)
    held = Proposal.objects.select_for_update().get(pk=proposal.pk)  # nobody decides meanwhile
    refuse_if_settled(held)
    if held.has_expired(clock.now()):
        raise Expired(phrase("Its time to decide is over."), proposal_id=str(held.id))
    message = Message.objects.create(
        proposal=held, person=person, text=_checked(text), created_at=clock.now()
    )
    payload = {"text": message.text}
    record_proposal(proposal, "proposal.message", actor=person_actor(person), payload=payload)
    hint_on_commit(proposal)
    transaction.on_commit(partial(live.announce, proposal.action_id))
    return message


def _checked(text: str) -> str:
    said = storable(text).strip()
    if not any(letter.isprintable() and not letter.isspace() for letter in said):
        raise Invalid(phrase("Write something: the agent reads it."))
    if len(said) > LONGEST_MESSAGE:
        raise Invalid(phrase("At most {count} characters.", count=LONGEST_MESSAGE))
    return said


def deliver(action_id: UUID) -> bool:
    """Note that the answer being made carries every message. False when the agent had them all."""
    new = Message.objects.filter(proposal__action_id=action_id, delivered_at=None)
    if not new.exists():
        return False
    return bool(new.update(delivered_at=clock.now()))
