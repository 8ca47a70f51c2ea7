"""The run hears what became of its proposals."""

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from proposals.signals import proposal_moved
from runs import services


@receiver(proposal_moved)
def follow(sender: Any, proposal_id: UUID, **_: Any) -> None:
    services.follow_proposal(proposal_id)
