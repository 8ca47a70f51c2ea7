"""What cannot be undone takes a second, deliberate act over REST as it does on the page."""

import pytest
from django.test import Client

from agents.services import create_person
from proposals.models import Proposal
from tests.support.proposals import a_person, a_proposal, an_agent

pytestmark = pytest.mark.django_db
VERBS = {"approve": {"chosen_index": 0}, "modify": {"modifications": {"chosen_index": 0}}}


def send(proposal: Proposal, verb: str, **said):
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(a_person())
    body = {"version": proposal.version, **VERBS[verb], **said}
    path = f"/api/v1/proposals/{proposal.pk}/{verb}"
    return client.post(path, body, content_type="application/json")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("said", [{}, {"confirm": ""}, {"confirm": "yes"}])
def test_without_the_word_nothing_is_decided(verb, said):
    proposal = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    answer = send(proposal, verb, **said)
    assert (answer.status_code, answer.json()["code"]) == (422, "second_act_required")
    proposal.refresh_from_db()
    assert proposal.status == "pending"


@pytest.mark.parametrize("verb", VERBS)
def test_with_the_word_it_is(verb):
    proposal = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    assert send(proposal, verb, confirm="approve").json()["status"] == "approved"


@pytest.mark.parametrize("verb", VERBS)
def test_what_can_be_undone_takes_none(verb):
    assert send(a_proposal(an_agent()), verb).json()["status"] == "approved"


def test_a_card_that_is_settled_says_who_was_faster():
    proposal = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    send(proposal, "approve", confirm="approve")
    assert send(proposal, "approve").status_code == 409


def test_another_team_is_told_nothing_of_it():
    proposal = a_proposal(an_agent(), risk=Proposal.Risk.IRREVERSIBLE)
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(create_person("cy", teams=["far away"])[0])
    path = f"/api/v1/proposals/{proposal.pk}/approve"
    body = {"version": 1, "chosen_index": 0}
    assert client.post(path, body, content_type="application/json").status_code == 404
