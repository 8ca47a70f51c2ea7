"""The run hears what became of its proposals."""

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from confirmations.domain.verifying import verifiers_of
from confirmations.signals import trial_asked
from proposals.signals import full_picture_asked, preview_asked, proposal_moved
from runs import messages, services
from runs.models import Run
from runs.signals import run_ended


@receiver(proposal_moved)
def follow(sender: Any, proposal_id: UUID, **_: Any) -> None:
    services.follow_proposal(proposal_id)


@receiver(preview_asked)
def look_up(sender: Any, preview_id: UUID, **_: Any) -> None:
    messages.send_preview(preview_id)


@receiver(full_picture_asked)
def photograph(sender: Any, full_picture_id: UUID, **_: Any) -> None:
    messages.send_full_picture(full_picture_id)


@receiver(run_ended)
def verify(sender: Any, run_id: UUID, **_: Any) -> None:
    if verifiers_of(Run.objects.values_list("task", flat=True).get(pk=run_id)):
        messages.send_verify(run_id)


@receiver(trial_asked)
def try_profile(sender: Any, trial_id: UUID, **_: Any) -> None:
    messages.send_profile_trial(trial_id)
