"""The run hears what became of its proposals."""

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from confirmations.signals import trial_asked
from proposals.signals import full_picture_asked, preview_asked, proposal_moved
from runs import messages, services


@receiver(proposal_moved)
def follow(sender: Any, proposal_id: UUID, **_: Any) -> None:
    services.follow_proposal(proposal_id)


@receiver(preview_asked)
def look_up(sender: Any, preview_id: UUID, **_: Any) -> None:
    messages.send_preview(preview_id)


@receiver(full_picture_asked)
def photograph(sender: Any, full_picture_id: UUID, **_: Any) -> None:
    messages.send_full_picture(full_picture_id)


@receiver(trial_asked)
def try_profile(sender: Any, trial_id: UUID, **_: Any) -> None:
    messages.send_profile_trial(trial_id)
