"""Looking something up on the waiting page for a reviewer, before it can be approved."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.models import Person
from core import clock, live
from core.errors import Invalid
from proposals import access
from proposals.models import Preview
from proposals.services.moving import person_actor, record_proposal
from proposals.services.questions import settle, waiting_proposal
from proposals.signals import preview_asked


@transaction.atomic
def ask(
    proposal_id: UUID, *, person: Person, selector: str = "", point: Mapping[str, float] | None
) -> Preview:
    """Send for a worker that looks. Raises Conflict when the proposal waits no more."""
    proposal = waiting_proposal(person, proposal_id)
    if bool(selector.strip()) == (point is not None):
        raise Invalid("Name a selector or a point of the page, not both.")
    preview = Preview.objects.create(
        proposal=proposal,
        person=person,
        selector=selector.strip(),
        point=dict(point) if point else None,
        created_at=clock.now(),
    )
    record_proposal(
        proposal,
        "proposal.preview",
        actor=person_actor(person),
        payload={"selector": preview.selector, "point": preview.point},
    )
    transaction.on_commit(partial(preview_asked.send_robust, sender=Preview, preview_id=preview.id))
    return preview


def answer(
    preview: Preview,
    *,
    match_confidence: Mapping[str, Any],
    anchors: list[Any],
    is_listed: bool = False,
) -> None:
    _settle(
        preview,
        Preview.Status.DONE,
        match_confidence=dict(match_confidence),
        anchors=anchors,
        is_listed=is_listed,
    )


def fail(preview: Preview, error: Mapping[str, Any]) -> None:
    _settle(preview, Preview.Status.FAILED, error=dict(error))


def _settle(preview: Preview, status: Preview.Status, **columns: Any) -> None:
    if settle(preview, status, **columns):
        transaction.on_commit(partial(live.announce, preview.pk))


def get_visible(person: Person, preview_id: UUID) -> Preview | None:
    mine = Preview.objects.select_related("proposal").filter(proposal__in=access.visible_to(person))
    return mine.filter(pk=preview_id).first()
