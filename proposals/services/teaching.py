"""Teach once: what a decision about a proposal makes of the next call like it."""

from agents.models import Person
from confidence import precedents
from confidence.domain import risk
from confidence.domain.confidence import candidate_from
from confidence.domain.selector import is_ref
from core.errors import Invalid
from core.words import phrase
from proposals.models import Proposal
from proposals.services.moving import person_actor

SCOPES = ("", "agent", "site")


def teach(proposal: Proposal, remember: str, *, person: Person) -> Proposal:
    """`remember` is a scope, or empty. Raises Invalid for what may not be taught, Conflict while
    the same is suspended. What takes two people can never be taught, so this decision is final."""
    if remember not in SCOPES:
        raise Invalid("remember must be agent or site.")
    if not remember:
        return proposal
    if problem := _why_not(proposal):
        raise Invalid(problem)
    _remember(proposal, remember, person)
    return proposal


def can_be_remembered(proposal: Proposal) -> bool:
    return not _why_not(proposal)


def _why_not(proposal: Proposal) -> str:
    """A ref means one element of one page; what cannot be undone is decided each time."""
    target = proposal.shown_target
    if not proposal.targets or not target.strip():
        return phrase("This call names no element by a selector: there is nothing to remember.")
    if is_ref(target):
        return precedents.ONLY_SELECTORS
    found = [candidate_from(one, index=0) for one in proposal.candidates]
    if proposal.is_irreversible or risk.only_a_person_settles(found):
        return phrase("What cannot be undone, or foreseen, is decided by a person each time.")
    return ""


def _remember(proposal: Proposal, remember: str, person: Person) -> None:
    precedents.remember(
        actor=person_actor(person),
        agent_id=proposal.agent_id if remember == "agent" else None,
        taught_by_id=proposal.agent_id,
        target=proposal.shown_target,
        page_url=proposal.page_url,
        candidate=proposal.candidates[proposal.approved_picks[proposal.shown_field]],
        proposal_id=proposal.id,
    )
