"""A kill where no worker answers, and what the loss of a browser means then."""

from datetime import timedelta

import pytest

import proposals.services
from browser.errors import BrowserLost, OutcomeUnknown
from core import clock
from core.actors import SYSTEM, Actor
from proposals.models import Proposal
from runs import services
from runs.models import Action, Run
from runs.services import RunEnded, killing
from tests.support.proposals import a_person
from tests.unit.test_messages import parked

pytestmark = pytest.mark.django_db
ANNA = Actor(kind="person", id="1", name="anna")
LOST = BrowserLost("The run's browser or its tab is gone.")


@pytest.fixture(autouse=True)
def _short_grace(monkeypatch):
    monkeypatch.setattr(killing, "GRACE_S", 0.1)


def of_killed_run(**columns) -> Action:
    action = Action.objects.get(pk=parked().action_id)
    Action.objects.filter(pk=action.pk).update(status="running", **columns)
    error = {"code": "killed", "message": "anna killed this run."}
    Run.objects.filter(pk=action.run_id).update(status="killed", error=error)
    return Action.objects.get(pk=action.pk)


def test_an_execution_whose_worker_is_silent_is_called_unknown():
    proposal = parked()
    proposals.services.approve(proposal.id, person=a_person(), version=1, chosen_index=0)
    claimed = services.claim_execution(proposal.id)
    assert claimed is not None
    killed = services.kill(Run.objects.get(pk=proposal.run_id), actor=ANNA)
    assert Proposal.objects.get(pk=proposal.pk).status == "outcome_unknown"
    assert Action.objects.get(pk=proposal.action_id).status == "outcome_unknown"
    assert [one.id for one in killed.not_stopped] == [str(proposal.action_id)]
    assert killed.stopped == ()


def test_nothing_begins_after_a_kill():
    proposal = parked()
    services.kill(Run.objects.get(pk=proposal.run_id), actor=ANNA)
    Proposal.objects.filter(pk=proposal.pk).update(status="approved")
    assert services.claim_execution(proposal.id) is None
    Action.objects.filter(pk=proposal.action_id).update(status="queued")
    assert services.claim_action(proposal.action_id) is None


def test_a_run_that_ended_by_itself_stays_what_it_was():
    run = Run.objects.get(pk=parked().run_id)
    services.end_run(run, Run.Status.FINISHED, actor=SYSTEM)
    killed = services.kill(run, actor=ANNA, why="late")
    assert (killed.run.status, killed.run.error) == ("finished", None)


def test_an_untouched_action_of_an_ended_run_is_not_queued_again():
    """Its worker lost the claim and left it running."""
    past = clock.now() - timedelta(seconds=1)
    action = of_killed_run(acting_at=None, lease_until=past)
    services.recover(action.id)
    after = Action.objects.get(pk=action.pk)
    assert (after.status, after.error["code"]) == ("failed", "run_ended")
    assert after.error["message"] == "anna killed this run. Nothing was done."


def test_a_lost_browser_of_an_open_run_is_just_that():
    action = Action.objects.get(pk=parked().action_id)
    assert services.meaning_of(LOST, action) is LOST


def test_a_lost_browser_of_a_killed_run_is_its_end():
    meaning = services.meaning_of(LOST, of_killed_run(acting_at=None))
    assert isinstance(meaning, RunEnded)
    assert "anna killed this run" in meaning.message


def test_a_navigation_that_was_cut_off_may_have_reached_the_site():
    action = of_killed_run(acting_at=clock.now(), tool="browser_navigate")
    assert isinstance(services.meaning_of(LOST, action), OutcomeUnknown)
