"""Who holds a card, who hears of it, what is listed as settled, and what a lost outcome leaves."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from core import clock
from core.actors import SYSTEM
from proposals import consumers, queries, services
from proposals.cards import Card
from proposals.domain import Event, NotAllowed
from proposals.models import Decision, Proposal
from proposals.queries import card_of
from runs.models import Action, Run
from runs.services import end_run, follow_proposal
from tests.support.history import run_of
from tests.support.proposals import a_person, a_proposal, an_agent

pytestmark = pytest.mark.django_db


def signed_in(person=None) -> Client:
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(person or a_person())
    return client


# --- who has it open --------------------------------------------------------------------
def test_who_may_not_decide_does_not_hold_the_card():
    proposal = a_proposal(an_agent())
    signed_in(a_person("auditor")).post(f"/proposals/{proposal.pk}/view")
    proposal.refresh_from_db()
    assert proposal.viewer is None


def test_a_settled_card_is_held_by_nobody():
    proposal, anna = a_proposal(an_agent()), a_person()
    services.reject(proposal.pk, person=anna, version=1, reason="no")
    signed_in(anna).post(f"/proposals/{proposal.pk}/view")
    proposal.refresh_from_db()
    assert proposal.viewer is None


def test_a_reviewer_who_opens_a_waiting_card_holds_it():
    proposal, anna = a_proposal(an_agent()), a_person()
    signed_in(anna).post(f"/proposals/{proposal.pk}/view")
    proposal.refresh_from_db()
    assert proposal.viewer == anna


# --- who hears --------------------------------------------------------------------------
def hears(person, client: Client) -> bool:
    return hears_by(person, client.session)


def hears_by(person, session) -> bool:
    return consumers._may_hear.func({"user": person, "session": session}, None)


def test_a_session_that_ran_out_hears_nothing():
    anna = a_person()
    client = signed_in(anna)
    assert hears(anna, client)
    Session.objects.update(expire_date=clock.now() - timedelta(minutes=1))
    held = client.session  # as the socket holds it since it was opened
    held._session_cache = {"_auth_user_hash": anna.get_session_auth_hash()}
    assert not hears_by(anna, held)


# --- settled lately ---------------------------------------------------------------------
def aged(proposal: Proposal, *, minutes: int) -> Proposal:
    made = clock.now() - timedelta(minutes=minutes)
    ends = max(made + timedelta(seconds=1), clock.now() + timedelta(minutes=1))
    Proposal.objects.filter(pk=proposal.pk).update(created_at=made, expires_at=ends)
    return proposal


def test_what_was_decided_last_is_listed_first_however_old_it_is():
    agent, anna = an_agent(), a_person()
    old = aged(a_proposal(agent), minutes=10)
    for _ in range(20):
        services.reject(a_proposal(agent).pk, person=anna, version=1, reason="no")
    services.reject(old.pk, person=anna, version=1, reason="the very last decision")
    assert queries.recently_settled(anna)[0].pk == old.pk


def test_what_expired_or_was_cancelled_last_is_listed_first():
    agent, anna = an_agent(), a_person()
    old = aged(a_proposal(agent), minutes=10)
    services.reject(a_proposal(agent).pk, person=anna, version=1, reason="no")
    services.cancel(old, actor=SYSTEM)
    assert queries.recently_settled(anna)[0].pk == old.pk


def test_a_row_of_the_former_release_is_listed_by_its_decision():
    agent, anna = an_agent(), a_person()
    former, later = (a_proposal(agent) for _ in range(2))
    for one in (former, later):
        services.reject(one.pk, person=anna, version=1, reason="no")
    an_hour_ago = clock.now() - timedelta(hours=1)
    Proposal.objects.filter(pk=former.pk).update(settled_at=None, decided_at=an_hour_ago)
    assert [one.pk for one in queries.recently_settled(anna)] == [later.pk, former.pk]


# --- nobody knows, and the run is over --------------------------------------------------
def lost(anna) -> tuple[Run, Proposal]:
    """An approved act whose worker died, in a run that is open."""
    agent = an_agent()
    run = run_of(agent)
    Run.objects.filter(pk=run.pk).update(status="open")
    run.refresh_from_db()
    action = Action.objects.create(
        run=run, step_id=1, tool="browser_click", params={"target": "text=Save"},
        fingerprint="f", status="outcome_unknown", created_at=clock.now(), acting_at=clock.now(),
    )  # fmt: skip
    card = a_proposal(agent, run_id=run.pk, action_id=action.pk)
    Action.objects.filter(pk=action.pk).update(proposal_id=card.pk)
    approved = services.approve(card.pk, person=anna, version=1, chosen_index=0)
    claimed = services.claim(approved.pk, lease_s=1)
    return run, services.finish(claimed, Event.LOSE, error={"code": "outcome_unknown"})


def unknown_of_a_dead_run(anna) -> Proposal:
    run, proposal = lost(anna)
    end_run(run, Run.Status.KILLED, actor=SYSTEM)
    proposal.refresh_from_db()
    return proposal


def card_page(proposal: Proposal, person) -> str:
    client = signed_in(person)
    answer = client.get(f"/proposals/{proposal.pk}/card", headers={"X-Fragment": "1"})
    return answer.content.decode()


def test_a_card_of_unknown_outcome_says_that_its_run_is_over_and_offers_no_retry():
    anna = a_person()
    page = card_page(unknown_of_a_dead_run(anna), anna)
    assert "The run ended" in page
    assert "/mark-not-done" in page
    assert "/retry" not in page


def test_while_the_run_goes_on_a_retry_is_offered():
    anna = a_person()
    _, proposal = lost(anna)
    page = card_page(proposal, anna)
    assert "/retry" in page
    assert "/mark-not-done" not in page


def test_a_run_that_ended_before_the_outcome_was_lost_is_over_too():
    anna = a_person()
    run, proposal = lost(anna)
    Run.objects.filter(pk=run.pk).update(status="killed")
    follow_proposal(proposal.pk)  # as it is told of the loss
    proposal.refresh_from_db()
    assert proposal.run_ended_at is not None


def test_what_did_not_happen_in_a_dead_run_ends_as_failed_for_card_and_agent():
    anna = a_person()
    proposal = unknown_of_a_dead_run(anna)
    path = f"/proposals/{proposal.pk}/mark-not-done"
    answer = signed_in(anna).post(path, {"version": proposal.version})
    assert answer.status_code == 302
    follow_proposal(proposal.pk)
    proposal.refresh_from_db()
    action = Action.objects.get(pk=proposal.action_id)
    assert (proposal.status, action.status) == ("execution_failed", "failed")
    assert action.error["code"] == "run_ended"
    assert proposal.decisions.last().verb == Decision.Verb.MARK_NOT_DONE
    assert "said it did not happen" in card_page(proposal, anna)


def test_a_dead_run_takes_no_retry_and_an_open_one_no_giving_up():
    anna = a_person()
    over = unknown_of_a_dead_run(anna)
    with pytest.raises(NotAllowed, match="The run is over"):
        services.retry(over.pk, person=anna, version=over.version)
    _, open_one = lost(anna)
    with pytest.raises(NotAllowed, match="The run goes on"):
        services.mark_not_done(open_one.pk, person=anna, version=open_one.version)


def test_an_auditor_does_not_say_what_did_not_happen():
    proposal = unknown_of_a_dead_run(a_person())
    path = f"/proposals/{proposal.pk}/mark-not-done"
    answer = signed_in(a_person("auditor")).post(path, {"version": proposal.version})
    assert answer.status_code == 403
    assert Proposal.objects.get(pk=proposal.pk).status == "outcome_unknown"


# --- cancelled --------------------------------------------------------------------------
def closing_words(proposal: Proposal) -> str:
    proposal.refresh_from_db()
    card: Card = card_of(proposal)
    return card.closing_words


def test_what_was_approved_and_then_cancelled_does_not_say_before_a_decision():
    anna, agent = a_person(), an_agent()
    approved = services.approve(a_proposal(agent).pk, person=anna, version=1, chosen_index=0)
    services.cancel(approved, actor=SYSTEM)
    assert closing_words(approved) == "The run ended before it was acted on. Nothing was done."
    undecided = a_proposal(agent)
    services.cancel(undecided, actor=SYSTEM)
    assert closing_words(undecided).startswith("The run ended before a decision.")


def test_a_retry_that_was_cancelled_does_not_say_that_nothing_was_done():
    anna = a_person()
    _, proposal = lost(anna)
    again = services.retry(proposal.pk, person=anna, version=proposal.version)
    services.cancel(again, actor=SYSTEM)
    assert "Nothing was done" not in closing_words(again)


# --- addresses that take only forms -----------------------------------------------------
def test_an_address_that_takes_only_forms_says_so_on_a_page_of_ours():
    proposal = a_proposal(an_agent())
    answer = signed_in().get(f"/proposals/{proposal.pk}/approve")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert b"<main" in answer.content


def test_who_sends_a_form_signed_out_is_not_led_back_to_its_address():
    proposal = a_proposal(an_agent())
    stranger = Client(HTTP_HOST="127.0.0.1")
    sent = stranger.post(f"/proposals/{proposal.pk}/approve", {"version": 1})
    assert (sent.status_code, sent["Location"]) == (302, "/sign-in")
    asked = stranger.get(f"/proposals/{proposal.pk}")
    assert asked["Location"] == f"/sign-in?next=/proposals/{proposal.pk}"


# --- pages of the same moment -----------------------------------------------------------
def listed(client: Client, path: str) -> list[str]:
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        answer = client.get(path, {"cursor": cursor} if cursor else {}).json()
        found += [one["id"] for one in answer["results"]]
        cursor = answer["next_cursor"]
    return found


def test_no_proposal_of_the_same_moment_is_lost_between_pages(monkeypatch):
    monkeypatch.setattr("proposals.api.PAGE", 2)
    agent = an_agent()
    made = {str(a_proposal(agent).pk) for _ in range(5)}
    Proposal.objects.update(created_at=clock.now() - timedelta(minutes=1))
    found = listed(signed_in(), "/api/v1/proposals")
    assert (len(found), set(found)) == (5, made)


@pytest.mark.parametrize("cursor", ["soon", "0001-01-01T00:00:00+14:00_" + "0" * 32])
def test_a_cursor_of_ones_own_making_is_refused(cursor):
    assert signed_in().get("/api/v1/proposals", {"cursor": cursor}).status_code == 422


def test_no_run_of_the_same_moment_is_lost_between_pages(monkeypatch):
    monkeypatch.setattr("runs.queries.PAGE_SIZE", 2)
    agent, client = an_agent(), signed_in()
    made = {str(run_of(agent).pk) for _ in range(5)}
    Run.objects.update(created_at=clock.now())
    found: list[str] = []
    before = ""
    while before is not None:
        context = client.get("/runs", {"before": before}).context
        found += [str(run.pk) for run, _ in context["rows"]]
        before = str(context["next_before"]) or None
    assert (len(found), set(found)) == (5, made)
