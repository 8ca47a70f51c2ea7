"""What every question to a waiting page has in common: when it may be asked, how it is answered."""

from typing import Any
from uuid import UUID

from agents.models import Person
from core import clock
from core.errors import Conflict
from core.words import phrase
from proposals import access
from proposals.models import PageQuestion, Proposal


def waiting_proposal(person: Person, proposal_id: UUID) -> Proposal:
    """Raises Conflict when it waits no more."""
    proposal = access.decidable_by(person, proposal_id)
    if not proposal.is_pending or proposal.has_expired(clock.now()):
        raise Conflict(
            phrase(
                "This proposal is {status}: its page is not asked any more.", status=proposal.status
            )
        )
    return proposal


def settle(question: PageQuestion, status: PageQuestion.Status, **columns: Any) -> bool:
    """Whether this was the answer: a question is answered once."""
    waiting = type(question)._default_manager.filter(
        pk=question.pk, status=PageQuestion.Status.WAITING
    )
    return bool(waiting.update(status=status, answered_at=clock.now(), **columns))
