"""When the whole waiting page is photographed, and when not."""

from datetime import timedelta

import pytest

from core import clock
from core.errors import Conflict, Forbidden
from proposals import services
from proposals.models import FullPicture
from proposals.services import full_pictures
from runs import pipeline
from tests.support.proposals import a_person, a_proposal, an_agent

pytestmark = pytest.mark.django_db
SHOWN = {"scroll_x": 0, "scroll_y": 0, "width": 1280, "height": 8000}


def test_two_reviewers_ask_one_worker():
    proposal = a_proposal(an_agent())
    first = full_pictures.ask(proposal.id, person=a_person())
    assert full_pictures.ask(proposal.id, person=a_person()) == first


def test_a_question_that_was_answered_or_is_late_may_be_asked_again():
    proposal, person = a_proposal(an_agent()), a_person()
    first = full_pictures.ask(proposal.id, person=person)
    full_pictures.answer(first, picture="a" * 64, viewport=SHOWN, page_height=8000)
    second = full_pictures.ask(proposal.id, person=person)
    assert second != first
    late = clock.now() - full_pictures.LATE - timedelta(seconds=1)
    FullPicture.objects.filter(pk=second.pk).update(created_at=late)
    assert full_pictures.ask(proposal.id, person=person) != second


def test_the_first_answer_counts():
    proposal = a_proposal(an_agent())
    asked = full_pictures.ask(proposal.id, person=a_person())
    full_pictures.fail(asked, {"code": "timeout", "message": "Too slow."})
    full_pictures.answer(asked, picture="a" * 64, viewport=SHOWN, page_height=8000)
    asked.refresh_from_db()
    assert (asked.status, asked.picture) == ("failed", "")


def test_a_settled_card_takes_none():
    proposal, person = a_proposal(an_agent()), a_person()
    services.reject(proposal.id, person=person, version=1, reason="No.")
    with pytest.raises(Conflict):
        full_pictures.ask(proposal.id, person=person)


def test_an_auditor_may_not_ask():
    with pytest.raises(Forbidden):
        full_pictures.ask(a_proposal(an_agent()).id, person=a_person("auditor"))


def test_a_page_whose_card_was_decided_meanwhile_is_left_alone():
    proposal, person = a_proposal(an_agent()), a_person()
    asked = full_pictures.ask(proposal.id, person=person)
    services.reject(proposal.id, person=person, version=1, reason="No.")
    pipeline.full_picture(asked.id)
    asked.refresh_from_db()
    assert asked.status == "failed"
    assert "decided before" in asked.error["message"]
