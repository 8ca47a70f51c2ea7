"""One Idempotency-Key, one deed: of every call over REST that changes something."""

from datetime import timedelta

import pytest
from django.test import Client

from agents.models import KeyedRequest
from agents.services import create_key
from core import clock
from proposals.models import Proposal
from runs.models import Action, Run
from tests.support.clients import client_of
from tests.support.proposals import a_person, a_proposal, an_agent

pytestmark = pytest.mark.django_db
APPROVE = {"version": 1, "chosen_index": 0}


def send(client: Client, path: str, body: object, key: str = "k-1"):
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(f"/api/v1{path}", body, content_type="application/json", headers=headers)


def test_a_decision_sent_again_is_the_same_decision():
    proposal, client = a_proposal(an_agent()), client_of(a_person())
    path = f"/proposals/{proposal.pk}/approve"
    first, again = send(client, path, APPROVE), send(client, path, APPROVE)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert proposal.decisions.count() == 1
    assert send(client, path, APPROVE, key="").status_code == 409


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("modify", {"version": 1, "modifications": {"chosen_index": 1}}),
        ("reject", {"version": 1, "reason": "no"}),
    ],
)
def test_so_are_the_other_verbs(verb, body):
    proposal, client = a_proposal(an_agent()), client_of(a_person())
    answers = [send(client, f"/proposals/{proposal.pk}/{verb}", body) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert proposal.decisions.count() == 1


def test_a_key_of_another_request_is_refused():
    one, other = a_proposal(an_agent()), a_proposal(an_agent())
    client = client_of(a_person())
    assert send(client, f"/proposals/{one.pk}/approve", APPROVE).status_code == 200
    said = send(client, f"/proposals/{one.pk}/approve", {**APPROVE, "reason": "sure"})
    assert (said.status_code, said.json()["code"]) == (422, "invalid")
    assert send(client, f"/proposals/{other.pk}/approve", APPROVE).status_code == 422
    assert Proposal.objects.get(pk=other.pk).status == "pending"


def test_everybody_has_keys_of_their_own():
    one, other = a_proposal(an_agent()), a_proposal(an_agent())
    for proposal in (one, other):
        client = client_of(a_person())
        assert send(client, f"/proposals/{proposal.pk}/approve", APPROVE).status_code == 200


def test_a_refusal_is_found_anew():
    proposal, client = a_proposal(an_agent()), client_of(a_person())
    path = f"/proposals/{proposal.pk}/approve"
    Proposal.objects.filter(pk=proposal.pk).update(version=2)
    assert send(client, path, APPROVE).status_code == 409
    Proposal.objects.filter(pk=proposal.pk).update(version=1)
    assert send(client, path, APPROVE).status_code == 200


def test_a_key_is_kept_for_a_day():
    proposal, client = a_proposal(an_agent()), client_of(a_person())
    path = f"/proposals/{proposal.pk}/approve"
    send(client, path, APPROVE)
    KeyedRequest.objects.update(created_at=clock.now() - timedelta(hours=23))
    assert send(client, path, APPROVE).status_code == 200
    KeyedRequest.objects.update(created_at=clock.now() - timedelta(hours=25))
    assert send(client, path, APPROVE).status_code == 409


def test_a_key_that_is_too_long_is_refused():
    proposal = a_proposal(an_agent())
    client = client_of(a_person())
    path = f"/proposals/{proposal.pk}/approve"
    assert send(client, path, APPROVE, key="k" * 201).status_code == 422
    assert Proposal.objects.get(pk=proposal.pk).status == "pending"


def test_who_may_not_learns_nothing_from_a_key_of_somebody_else():
    proposal, cy = a_proposal(an_agent()), a_person()
    send(client_of(a_person()), f"/proposals/{proposal.pk}/approve", APPROVE)
    cy.teams.clear()
    answer = send(client_of(cy), f"/proposals/{proposal.pk}/approve", APPROVE)
    assert answer.status_code == 404


def an_open_run() -> Run:
    now = clock.now()
    return Run.objects.create(
        agent=an_agent(), status=Run.Status.OPEN, created_at=now, active_at=now
    )


def test_a_run_finished_again_is_the_same_answer():
    run = an_open_run()
    made = create_key(run.agent)
    client = Client(headers={"Authorization": f"Bearer {getattr(made, 'key', made)}"})
    answers = [send(client, f"/runs/{run.pk}/finish", {}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert send(client, f"/runs/{run.pk}/finish", {"x": 1}).status_code == 422


def test_a_report_sent_again_is_one_report():
    run = an_open_run()
    action = Action.objects.create(
        run=run, step_id=1, tool="browser_click", status=Action.Status.SUCCEEDED, acting_at=clock.now(),
        match_confidence={"level": "partial"}, fingerprint="f", created_at=clock.now(),
    )  # fmt: skip
    client = client_of(a_person())
    path = f"/actions/{action.pk}/wrong-target"
    answers = [send(client, path, {"note": "the other one"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()


def test_a_message_sent_again_is_said_once():
    proposal, client = a_proposal(an_agent()), client_of(a_person())
    path = f"/proposals/{proposal.pk}/message"
    answers = [send(client, path, {"text": "Wait for the discount."}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert proposal.messages.count() == 1
