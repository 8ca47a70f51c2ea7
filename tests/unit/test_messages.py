"""A reviewer tells the agent something without deciding."""

import json
from datetime import timedelta

import pytest

from agents.models import Team
from audit.models import BrowserAudit
from core import clock
from core.errors import Forbidden, Invalid, NotFound
from proposals import queries, services
from proposals.domain import AlreadyDecided, Expired
from proposals.models import Proposal
from runs import answers
from runs.models import Action, Run
from tests.support.proposals import a_person, a_proposal, an_agent

pytestmark = pytest.mark.django_db


def parked() -> Proposal:
    """With the run and the action behind it."""
    agent, now = an_agent(), clock.now()
    run = Run.objects.create(agent=agent, status="open", created_at=now, active_at=now)
    action = Action.objects.create(
        run=run, step_id=1, tool="browser_click", fingerprint="x", created_at=now
    )
    proposal = a_proposal(agent, run_id=run.id, action_id=action.id)
    action.proposal_id, action.status = proposal.id, "requires_approval"
    action.save()
    return proposal


def test_a_message_leaves_the_proposal_as_it_was_and_is_on_record():
    proposal, anna = parked(), a_person()
    said = services.say(proposal.id, person=anna, text="  Use the one in the form.\n")
    after = Proposal.objects.get(pk=proposal.pk)
    assert (after.status, after.version) == ("pending", proposal.version)
    assert said.text == "Use the one in the form."
    entry = BrowserAudit.objects.get(verb="proposal.message")
    assert (entry.actor_name, entry.payload) == (anna.username, {"text": said.text})


def test_the_agents_answer_carries_it_and_says_whose_words_they_are():
    proposal, anna = parked(), a_person()
    services.say(proposal.id, person=anna, text="Which size?\u202e")
    answer = answers.answer_of(answers.get_action(proposal.action_id))
    assert [(one["from"], one["text"]) for one in answer["messages"]] == [
        (anna.username, "Which size?\u202e")
    ]
    content = answer["tool_result"]["content"]
    assert "\u202e" not in content  # escaped: nothing turns the line
    model = json.loads(content)
    assert model["status"] == "requires_approval"
    assert model["messages_of_reviewers"] == answer["messages"]
    assert "Reviewers" in model["about_messages"]


def test_an_answer_without_messages_says_nothing_of_them():
    answer = answers.answer_of(answers.get_action(parked().action_id))
    assert "messages" not in answer
    assert "reviewers" not in answer["tool_result"]["content"].lower()


def test_each_message_is_news_once_and_stays_in_every_answer():
    proposal, anna = parked(), a_person()
    assert not services.deliver(proposal.action_id)
    services.say(proposal.id, person=anna, text="one")
    assert services.deliver(proposal.action_id)
    assert not services.deliver(proposal.action_id)
    services.say(proposal.id, person=anna, text="two")
    assert services.deliver(proposal.action_id)
    assert [one["text"] for one in queries.messages_about(proposal.action_id)] == ["one", "two"]


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u202e", "x" * 2001])
def test_empty_and_endless_messages_are_refused(text):
    proposal, anna = parked(), a_person()
    with pytest.raises(Invalid):
        services.say(proposal.id, person=anna, text=text)
    assert queries.messages_about(proposal.action_id) == []


def test_what_is_decided_or_expired_takes_no_message():
    anna, decided, expired = a_person(), parked(), parked()
    services.reject(decided.id, person=anna, version=1, reason="no")
    with pytest.raises(AlreadyDecided):
        services.say(decided.id, person=anna, text="but")
    past = clock.now() - timedelta(seconds=1)
    Proposal.objects.filter(pk=expired.pk).update(
        created_at=past - timedelta(seconds=1), expires_at=past
    )
    with pytest.raises(Expired):
        services.say(expired.id, person=anna, text="but")


def test_only_those_who_may_decide_may_write():
    proposal = parked()
    with pytest.raises(Forbidden):
        services.say(proposal.id, person=a_person("auditor"), text="hello")
    stranger = a_person()
    stranger.teams.set([Team.objects.create(name="elsewhere")])
    with pytest.raises(NotFound):
        services.say(proposal.id, person=stranger, text="hello")
