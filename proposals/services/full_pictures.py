"""A picture of the whole waiting page, taken when a reviewer asks for it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.models import Person
from core import clock
from proposals.models import FullPicture, Proposal
from proposals.services.moving import hint_on_commit, person_actor, record_proposal
from proposals.services.questions import settle, waiting_proposal
from proposals.signals import full_picture_asked

LATE = timedelta(seconds=30)  # a worker that has not answered by then will not


@transaction.atomic
def ask(proposal_id: UUID, *, person: Person) -> FullPicture:
    """Send for a worker, unless one is at it. Raises Conflict when the proposal waits no more."""
    proposal = waiting_proposal(person, proposal_id)
    Proposal.objects.select_for_update().get(pk=proposal.pk)  # two reviewers ask one worker
    known = latest_of(proposal)
    if known and known.status == FullPicture.Status.WAITING and not is_late(known, clock.now()):
        return known
    asked = FullPicture.objects.create(proposal=proposal, person=person, created_at=clock.now())
    said = partial(full_picture_asked.send_robust, sender=FullPicture, full_picture_id=asked.id)
    transaction.on_commit(said)
    hint_on_commit(proposal)
    return asked


def latest_of(proposal: Proposal) -> FullPicture | None:
    return proposal.full_pictures.order_by("created_at").last()


def is_late(asked: FullPicture, now: datetime) -> bool:
    return asked.status == FullPicture.Status.WAITING and asked.created_at + LATE < now


@transaction.atomic
def answer(
    asked: FullPicture, *, picture: str, viewport: Mapping[str, float], page_height: float
) -> None:
    """`picture` is the digest of what was kept."""
    shown = {"viewport": dict(viewport), "page_height": page_height}
    if not settle(asked, FullPicture.Status.DONE, picture=picture, **shown):
        return
    record_proposal(
        asked.proposal,
        "proposal.full_picture",
        actor=person_actor(asked.person),
        payload={"picture": picture, **shown},
    )
    hint_on_commit(asked.proposal)


@transaction.atomic
def fail(asked: FullPicture, error: Mapping[str, Any]) -> None:
    if settle(asked, FullPicture.Status.FAILED, error=dict(error)):
        hint_on_commit(asked.proposal)
