"""Trying a profile's text on the page of an open run before it is saved. Nothing acts."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.models import Person
from agents.services import actor_of
from audit.services import record
from confirmations import services
from confirmations.models import ProfileTrial
from confirmations.signals import trial_asked
from core import clock, live
from proposals.services.questions import settle


@transaction.atomic
def ask(run_id: UUID, text: str, *, person: Person) -> ProfileTrial:
    """Send for a worker that looks; the person's former trials are forgotten. Raises BadProfile.
    The caller has made sure that the person may see that run."""
    text, read = services.checked(text)
    ProfileTrial.objects.filter(person=person).delete()
    trial = ProfileTrial.objects.create(
        run_id=run_id, person=person, text=text, created_at=clock.now()
    )
    payload = {"profile": read.name}
    record("profile.try", actor=actor_of(person), run_id=run_id, payload=payload)
    said = partial(trial_asked.send_robust, sender=ProfileTrial, trial_id=trial.pk)
    transaction.on_commit(said)
    return trial


def answer(trial: ProfileTrial, told: Mapping[str, Any]) -> None:
    _settle(trial, ProfileTrial.Status.DONE, answer=dict(told))


def fail(trial: ProfileTrial, error: Mapping[str, Any]) -> None:
    _settle(trial, ProfileTrial.Status.FAILED, error=dict(error))


def _settle(trial: ProfileTrial, status: ProfileTrial.Status, **columns: Any) -> None:
    if settle(trial, status, **columns):
        transaction.on_commit(partial(live.announce, trial.pk))
