"""What cannot be undone may take two different people who mean the same."""

import pytest
from django.test import Client

from agents.models import AgentRegistry
from confidence import flags
from core import clock
from core.errors import Invalid
from oversight.insights import insights_for
from oversight.queries import first_day, verdicts
from proposals import services
from proposals.domain import AnotherPerson, Event
from proposals.models import Proposal
from runs.models import Action
from runs.queries import page_of_steps
from runs.timeline import row_of
from tests.support.history import run_of
from tests.support.proposals import a_person, a_proposal, an_agent
from tests.unit.test_card_changes import a_form, looked_up

pytestmark = pytest.mark.django_db
IRREVERSIBLE = Proposal.Risk.IRREVERSIBLE


@pytest.fixture(autouse=True)
def _two_people_are_needed():
    flags.set_flag("IRREVERSIBLE_NEEDS_TWO_PEOPLE", "true")
    flags._forget()
    yield
    flags._forget()


def approve(proposal: Proposal, person, **said) -> Proposal:
    return services.approve(proposal.id, person=person, version=proposal.version, **said)


def test_the_first_approval_keeps_it_pending_and_stars_the_pick():
    proposal = a_proposal(an_agent(), risk=IRREVERSIBLE)
    after = approve(proposal, a_person(), chosen_index=1, reason="the order form")
    assert (after.status, after.version, after.chosen_index) == ("pending", 2, 1)
    assert after.approved_index is None
    first = after.decisions.get()
    assert (first.verb, first.reason) == ("approve_first", "the order form")


def test_another_person_approves_what_the_first_one_picked():
    proposal = a_proposal(an_agent(), risk=IRREVERSIBLE)
    first = approve(proposal, a_person(), chosen_index=1)
    second = approve(first, a_person())
    assert (second.status, second.approved_index) == ("approved", 1)
    assert second.decisions.count() == 2


def test_the_second_person_approves_a_form_whose_element_the_first_one_looked_up():
    form = a_form()
    Proposal.objects.filter(pk=form.pk).update(risk=IRREVERSIBLE)
    looked_up(form)
    first = services.modify(
        form.pk, person=a_person(), version=form.version, modifications={"selector": "#save"}
    )
    second = approve(first, a_person())
    assert (second.status, second.approved_fields) == ("approved", [1, 0, 0])
    assert second.fields[0]["candidates"][1]["name"] == "Save all"


def test_the_same_person_is_not_two():
    proposal, anna = a_proposal(an_agent(), risk=IRREVERSIBLE), a_person()
    first = approve(proposal, anna, chosen_index=0)
    with pytest.raises(AnotherPerson):
        approve(first, anna)
    assert Proposal.objects.get(pk=proposal.pk).status == "pending"


def test_a_second_person_who_means_another_one_is_a_first_again():
    proposal, anna, ben = a_proposal(an_agent(), risk=IRREVERSIBLE), a_person(), a_person()
    first = approve(proposal, anna, chosen_index=0)
    changed = services.modify(
        first.id, person=ben, version=first.version, modifications={"chosen_index": 1}
    )
    assert (changed.status, changed.chosen_index) == ("pending", 1)
    with pytest.raises(AnotherPerson):
        approve(changed, ben)
    assert approve(changed, anna).approved_index == 1


def test_one_person_is_enough_to_reject():
    proposal = a_proposal(an_agent(), risk=IRREVERSIBLE)
    first = approve(proposal, a_person(), chosen_index=0)
    rejected = services.reject(
        first.id, person=a_person(), version=first.version, reason="not this"
    )
    assert rejected.status == "rejected"


def test_what_can_be_undone_takes_one_person():
    proposal = a_proposal(an_agent())
    assert approve(proposal, a_person(), chosen_index=0).status == "approved"


def test_what_took_two_people_is_not_done_again_on_the_word_of_the_last():
    anna, ben = a_person(), a_person()
    first = approve(a_proposal(an_agent(), risk=IRREVERSIBLE), anna, chosen_index=0)
    approved = approve(first, ben)
    lost = services.finish(
        services.claim(approved.id, lease_s=1), Event.LOSE, error={"code": "outcome_unknown"}
    )
    with pytest.raises(AnotherPerson):
        services.retry(lost.id, person=ben, version=lost.version)
    assert services.retry(lost.id, person=anna, version=lost.version).status == "approved"


def test_a_call_that_names_no_element_cannot_be_remembered():
    going = a_proposal(
        an_agent(), tool="browser_navigate", match_confidence=None, anchors=[], chosen_index=-1
    )
    with pytest.raises(Invalid, match="nothing to remember"):
        approve(going, a_person(), remember="agent")
    assert approve(going, a_person()).approved_picks == []


def changed_by_two(agent, anna, ben) -> Proposal:
    proposal = a_proposal(agent, risk=IRREVERSIBLE, chosen_index=0)
    first = services.modify(
        proposal.pk,
        person=anna,
        version=1,
        modifications={"chosen_index": 1},
        reason="the order form",
    )
    return services.approve(first.pk, person=ben, version=first.version)


def test_a_change_that_two_people_made_counts_as_modified():
    agent, anna = an_agent(), a_person()
    changed_by_two(agent, anna, a_person())
    approve(approve(a_proposal(agent, risk=IRREVERSIBLE, chosen_index=0), anna), a_person())
    today = insights_for(anna, days=7).decisions[-1]
    assert (today.approved, today.modified) == (1, 1)
    agents = AgentRegistry.objects.filter(pk=agent.pk)
    assert verdicts(agents, since=first_day(1))[agent.pk] == (2, 1)


def test_the_timeline_and_its_file_name_both_people():
    agent, anna, ben = an_agent(), a_person(), a_person()
    run = run_of(agent)
    action = Action.objects.create(
        run=run, step_id=1, tool="browser_click", params={"target": "#a"}, created_at=clock.now()
    )
    done = changed_by_two(agent, anna, ben)
    Proposal.objects.filter(pk=done.pk).update(run_id=run.pk, action_id=action.pk)
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(anna)
    page = client.get(f"/runs/{run.pk}").content.decode()
    assert f"{anna.username} approved it first" in page
    assert "the order form" in page
    (step,) = page_of_steps(run).steps
    row = row_of(step)
    assert (row["decided_by"], row["first_approved_by"]) == (ben.username, anna.username)
    assert row["first_reason"] == "the order form"
