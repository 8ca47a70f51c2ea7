"""A reply in words: whose, to which question, and what is no yes."""

import pytest
from django.utils import timezone

import proposals.services
from browser.acting import Done
from confidence import flags
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome
from core import clock
from core.errors import DomainError
from proposals.domain import AnotherPerson, NotAllowed
from proposals.models import Proposal
from runs import services
from runs.models import Action, Run
from runs.replying import reply
from tests.support.history import run_of
from tests.support.proposals import a_person, a_proposal, an_agent

pytestmark = pytest.mark.django_db


def a_question(agent=None, **changes) -> Proposal:
    held = {"tool": "needs_confirmation", "params": {"content": "Order it?"}, "anchors": []}
    return a_proposal(
        agent or an_agent(),
        **{**held, "match_confidence": None, "level": "", "score": None, **changes},
        risk=Proposal.Risk.IRREVERSIBLE,
    )


@pytest.mark.parametrize("words", ["yes", "Yes, please!", "ok 👍🏽", "Sì.", "“go ahead”", "yes\n"])
def test_a_plain_yes_answers_the_one_question(words):
    question = a_question()
    said = reply(a_person(), words)
    assert said.answered
    assert said.answered.pk == question.pk
    assert said.answered.status == "approved"


@pytest.mark.parametrize(
    "words",
    ["yes?", "ok ?", "yes？", "yes ❌", "👎 yes", "go ahead ✋", "🙅 ok", "yes \u202eon", "~~yes~~",
     "¬yes", "yes/", "yes ×"],
)  # fmt: skip
def test_a_yes_that_may_be_meant_otherwise_is_none(words):
    question = a_question()
    said = reply(a_person(), words)
    assert (said.answered, said.code) == (None, "not_a_yes")
    question.refresh_from_db()
    assert question.is_pending


def test_a_yes_to_the_question_that_was_seen_answers_no_later_one():
    agent = an_agent()
    seen = a_question(agent)
    Proposal.objects.filter(pk=seen.pk).update(status="superseded")
    later = a_question(agent)
    assert reply(a_person(), "yes", question_id=seen.pk).code == "nothing_asked"
    later.refresh_from_db()
    assert later.is_pending


def test_a_bare_yes_with_two_questions_answers_none():
    one, other = a_question(), a_question()
    assert reply(a_person(), "yes").code == "several_asked"
    assert {Proposal.objects.get(pk=each.pk).status for each in (one, other)} == {"pending"}


def test_a_question_whose_time_is_over_is_not_answered():
    question = a_question()
    Proposal.objects.filter(pk=question.pk).update(expires_at=timezone.now())
    assert reply(a_person(), "yes").code == "nothing_asked"


def test_who_may_only_read_answers_nothing():
    question = a_question()
    auditor = a_person("auditor")
    with pytest.raises(DomainError):
        reply(auditor, "yes", question_id=question.pk)
    question.refresh_from_db()
    assert question.is_pending


def test_two_people_say_yes_in_words_not_one_twice():
    flags.set_flag("IRREVERSIBLE_NEEDS_TWO_PEOPLE", "true")
    flags._forget()
    question, first = a_question(), a_person()
    assert reply(first, "yes").answered.is_pending
    with pytest.raises(AnotherPerson):
        reply(first, "yes")
    assert reply(a_person(), "yes", question_id=question.pk).answered.status == "approved"
    flags._forget()


def a_lost_yes() -> tuple[Proposal, Run]:
    """A person said yes in step 1, and the worker died before it was on record; then seven steps
    came that only read."""
    agent = an_agent()
    run = run_of(agent)
    Run.objects.filter(pk=run.pk).update(status="open", step_id=8)
    asking = a_step(run, 1, tool="needs_confirmation", status="requires_approval")
    question = a_question(agent, run_id=run.pk, action_id=asking.pk)
    Action.objects.filter(pk=asking.pk).update(proposal_id=question.pk, screen_id="CART")
    reply(a_person(), "yes", question_id=question.pk)
    Proposal.objects.filter(pk=question.pk).update(status="outcome_unknown")
    Action.objects.filter(pk=asking.pk).update(status="outcome_unknown")
    for step in range(2, 9):
        a_step(run, step, tool="browser_snapshot", status="succeeded")
    question.refresh_from_db()
    return question, run


def a_step(run: Run, step: int, **fields) -> Action:
    return Action.objects.create(
        run=run, step_id=step, fingerprint=str(step), created_at=clock.now(), **fields
    )


def test_a_yes_that_is_said_once_more_is_as_young_as_that():
    question, run = a_lost_yes()
    proposals.services.retry(question.pk, person=a_person(), version=question.version)
    proposal, action = services.claim_execution(question.pk)
    services.confirm_approved(action, proposal, said_yes())
    run.refresh_from_db()
    assert run.confirmation["token"] == {"screen_id": "CART", "step_id": 8}


def test_nobody_can_see_on_a_page_that_a_yes_was_put_on_record():
    question, _ = a_lost_yes()
    with pytest.raises(NotAllowed):
        proposals.services.mark_done(question.pk, person=a_person(), version=question.version)


def said_yes() -> Done:
    return Done(VerifiedOutcome(OutcomeKind.VERIFIED, True, "A person said yes."), {})
