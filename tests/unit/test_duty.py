"""Who is on duty, and what the agent hears when nobody is."""

import json
import time
import uuid

import pytest

from agents import duty
from agents.models import Team
from proposals import queries
from runs import answers
from tests.support.proposals import a_person, a_proposal, an_agent
from tests.unit.test_messages import parked

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return Team.objects.create(name=f"team-{uuid.uuid4().hex[:8]}")


def later(monkeypatch, seconds: float) -> None:
    now = time.time()
    monkeypatch.setattr(duty.time, "time", lambda: now + seconds)


def test_an_open_desk_counts_until_it_is_closed(team):
    assert duty.people_on_duty([team.pk]) == {team.pk: set()}
    duty.stay("desk-1", 7, {team.pk})
    duty.stay("desk-2", 7, {team.pk})
    assert duty.people_on_duty([team.pk]) == {team.pk: {7}}
    duty.leave("desk-1", 7, {team.pk})
    assert duty.is_attended([team.pk]) is True
    duty.leave("desk-2", 7, {team.pk})
    assert duty.is_attended([team.pk]) is False


def test_a_desk_that_nobody_renews_stops_counting(team, monkeypatch):
    duty.stay("desk-of-a-dead-process", 7, {team.pk})
    later(monkeypatch, duty.HOLDS_S - 1)
    assert duty.is_attended([team.pk]) is True
    later(monkeypatch, duty.HOLDS_S + 1)
    assert duty.is_attended([team.pk]) is False
    duty.stay("desk-of-a-dead-process", 7, {team.pk})
    assert duty.is_attended([team.pk]) is True


def test_a_lost_redis_is_not_nobody(team, no_redis, monkeypatch):
    monkeypatch.setattr(duty, "shared_redis", lambda: no_redis)
    duty.stay("desk", 7, {team.pk})  # neither raises
    duty.leave("desk", 7, {team.pk})
    assert duty.is_attended([team.pk]) is None
    answer = answers.answer_of(answers.get_action(parked().action_id))
    assert "on_duty" not in answer
    assert duty.unattended_teams(seen_by=a_person("admin")) == []


def test_only_those_who_decide_have_duties(team):
    anna, auditor = a_person(), a_person("auditor")
    for person in (anna, auditor):
        person.teams.set([team])
    assert duty.duties_of(anna.pk) == {team.pk}
    assert duty.duties_of(auditor.pk) == set()
    anna.is_active = False
    anna.save()
    assert duty.duties_of(anna.pk) == set()


def test_a_pending_answer_says_whether_anybody_is_there(team):
    proposal = parked()
    proposal.agent.teams.set([team])
    answer = answers.answer_of(answers.get_action(proposal.action_id))
    assert answer["on_duty"] is False
    assert "Nobody is on duty" in answer["note"]
    model = json.loads(answer["tool_result"]["content"])
    assert (model["on_duty"], model["note"]) == (False, answer["note"])
    duty.stay("desk", 7, {team.pk})
    answer = answers.answer_of(answers.get_action(proposal.action_id))
    assert answer["on_duty"] is True
    assert "note" not in answer


def test_one_team_of_several_is_enough(team):
    other = Team.objects.create(name=f"other-{uuid.uuid4().hex[:8]}")
    agent = an_agent()
    agent.teams.set([team, other])
    duty.stay("desk", 7, {other.pk})
    assert queries.duty_words(a_proposal(agent).agent) == {"on_duty": True}


def test_admins_are_told_of_teams_that_nobody_watches(team):
    empty = Team.objects.create(name=f"empty-{uuid.uuid4().hex[:8]}")
    watched = Team.objects.create(name=f"watched-{uuid.uuid4().hex[:8]}")
    own = Team.objects.create(name=f"own-{uuid.uuid4().hex[:8]}")
    for one in (team, watched, own):
        an_agent().teams.add(one)
    admin = a_person("admin")
    admin.teams.set([own])
    duty.stay("desk", 7, {watched.pk})
    names = duty.unattended_teams(seen_by=admin)
    assert team.name in names
    assert not {empty.name, watched.name, own.name} & set(names)
