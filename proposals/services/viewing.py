"""Who has a card open; advisory, never a lock."""

from datetime import timedelta

from agents.models import Person
from core import clock
from proposals.models import Proposal
from proposals.services.moving import hint_on_commit

VIEWING = timedelta(seconds=60)


def view(proposal: Proposal, *, person: Person) -> bool:
    """Note that a person has the card open, for 60 s; advisory. False when somebody else has, and
    where there is nothing for this person to decide."""
    if not (person.may_decide and proposal.is_pending):
        return False
    now = clock.now()
    free = Proposal.objects.filter(pk=proposal.pk).exclude(
        viewed_until__gt=now, viewer__isnull=False
    )
    mine = Proposal.objects.filter(pk=proposal.pk, viewer=person)
    changed = (free | mine).update(viewer=person, viewed_until=now + VIEWING)
    if changed and proposal.viewer_id != person.pk:
        hint_on_commit(proposal)
    return bool(changed)
