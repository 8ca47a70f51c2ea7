"""Fetch a proposal as somebody, or not at all."""

from uuid import UUID

from django.db.models import QuerySet

from agents.access import agents_visible_to
from agents.models import AgentRegistry, Person
from core.errors import Forbidden, NotFound
from core.words import phrase
from proposals.models import Proposal


def visible_to(viewer: Person | AgentRegistry) -> QuerySet[Proposal]:
    """A person's teams' proposals; an agent's own."""
    if isinstance(viewer, AgentRegistry):
        return Proposal.objects.filter(agent=viewer)
    return Proposal.objects.filter(agent__in=agents_visible_to(viewer))


def get_visible(viewer: Person | AgentRegistry, proposal_id: UUID | str) -> Proposal:
    found = visible_to(viewer).select_related("agent", "viewer").filter(pk=proposal_id).first()
    if found is None:
        raise NotFound("There is no such proposal, or it belongs to another team.")
    return found


def decidable_by(person: Person, proposal_id: UUID | str) -> Proposal:
    """The proposal, if this person may decide it: an agent key never may."""
    if not isinstance(person, Person):
        raise Forbidden("An agent cannot decide a proposal: a reviewer has to.")
    proposal = get_visible(person, proposal_id)
    if not person.may_decide:
        raise Forbidden(phrase("Your role may read proposals but not decide them."))
    return proposal
