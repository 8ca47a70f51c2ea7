"""A question of an agent before people: its card, the answer in words, and who may not give one."""

import pytest

from agents.models import AgentRegistry, Person
from agents.services import create_agent, create_person
from confidence import flags
from core import clock
from proposals import services
from proposals.domain import Event
from proposals.models import Proposal
from runs.models import Action, Run
from runs.replying import reply
from tests.support.clients import client_of
from tests.support.history import run_of
from tests.support.proposals import a_proposal

pytestmark = pytest.mark.django_db
NOT_TAKEN = "This was not taken as a yes: nothing was confirmed."


@pytest.fixture
def rey() -> Person:
    return create_person("rey", teams=["north"])[0]


@pytest.fixture
def audrey() -> Person:
    return create_person("audrey", role="auditor")[0]


@pytest.fixture
def cy() -> Person:
    return create_person("cy", teams=["south"])[0]


@pytest.fixture
def bot() -> AgentRegistry:
    return create_agent("bot", tier="supervised", teams=["north"])


def a_question(bot: AgentRegistry, words: str = "May I place the order?") -> Proposal:
    run = run_of(bot)
    Run.objects.filter(pk=run.pk).update(status="open")
    said = {"content": words}
    action = Action.objects.create(
        run=run, step_id=1, tool="needs_confirmation", params=said, created_at=clock.now()
    )
    return a_proposal(
        bot,
        run_id=run.pk,
        action_id=action.pk,
        tool="needs_confirmation",
        params=said,
        reasons=("confirmation",),
        level="",
        score=None,
        match_confidence=None,
        anchors=[],
        risk="irreversible",
        screen_id="CHECKOUT_REVIEW",
    )


def card_of(person: Person, question: Proposal) -> str:
    return client_of(person).get(f"/proposals/{question.pk}").content.decode()


def answer(person: Person, question: Proposal, words: str, **more: str):
    path = f"/proposals/{question.pk}/reply"
    return client_of(person).post(path, {"reply": words, "version": 1, **more})


def answer_on_run(person: Person, question: Proposal, words: str, *, run_id: object = None):
    path = f"/runs/{run_id or question.run_id}/reply"
    return client_of(person).post(path, {"reply": words, "question": str(question.pk)})


def status_of(question: Proposal) -> str:
    return Proposal.objects.get(pk=question.pk).status


# --- the card ---------------------------------------------------------------------------
def test_a_question_reads_as_a_question(rey, bot) -> None:
    page = card_of(rey, a_question(bot, "May I \u202eetelp <b>order</b>?"))
    for words in ("The agent asks", "unverified", "Yes, it may", "CHECKOUT_REVIEW", "What a yes"):
        assert words in page
    assert "U+202E" in page
    assert "&lt;b&gt;order&lt;/b&gt;" in page
    assert "before the agent does what cannot be undone" in page
    for words in ("Modify", "The same pick next time", "Reject with", "Pick on the picture"):
        assert words not in page


def test_a_yes_by_the_button_needs_the_typed_word(rey, bot) -> None:
    question = a_question(bot)
    path = f"/proposals/{question.pk}/approve"
    assert client_of(rey).post(path, {"version": 1}).status_code == 422
    assert client_of(rey).post(path, {"version": 1, "word": "approve"}).status_code == 302
    assert status_of(question) == "approved"
    assert "You said yes" in card_of(rey, question)


def test_a_no_reaches_the_agent_with_its_reason(rey, bot) -> None:
    question = a_question(bot)
    services.reject(question.pk, person=rey, version=1, reason="Not now")
    page = card_of(rey, question)
    assert "You said no" in page
    assert "Not now" in page


def test_rows_and_decided_cards_say_question_yes_and_no(rey, bot) -> None:
    yes, no, _ = a_question(bot), a_question(bot), a_question(bot)
    services.approve(yes.pk, person=rey, version=1)
    services.finish(services.claim(yes.pk, lease_s=9), Event.EXECUTE, outcome={"kind": "verified"})
    services.reject(no.pk, person=rey, version=1, reason="No")
    rows = client_of(rey).get("/queue/list").content.decode()
    assert 'level-question">' in rows
    for words in ("question</span>", "yes</span>", "no</span>"):
        assert words in rows
    assert "executed</span>" not in rows


# --- in words ---------------------------------------------------------------------------
def test_a_plain_yes_in_words_confirms_and_is_kept(rey, bot) -> None:
    question = a_question(bot)
    assert answer(rey, question, "Yes, go ahead").status_code == 302
    assert status_of(question) == "approved"
    assert question.decisions.get().reason == "Yes, go ahead"


@pytest.mark.parametrize("words", ["no", "yes, but don't", "yes, and gift-wrap it", "maybe"])
def test_what_is_no_yes_loses_nothing_and_says_why(words: str, rey, bot) -> None:
    question = a_question(bot)
    refused = answer(rey, question, words, reason="half done")
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "nothing was confirmed" in page
    assert page.count(words.replace("'", "&#x27;")) >= 1
    assert "half done" in page
    assert status_of(question) == "pending"


@pytest.mark.parametrize("words", ["", "  ", "yes " * 300])
def test_nothing_and_too_much_are_no_answer(words: str, rey, bot) -> None:
    question = a_question(bot)
    assert answer(rey, question, words).status_code == 422
    assert status_of(question) == "pending"


def test_a_yes_goes_to_the_question_that_was_seen_and_to_no_newer_one(rey, bot) -> None:
    seen, newer = a_question(bot), a_question(bot)
    Proposal.objects.filter(pk=seen.pk).update(status="cancelled")
    refused = answer(rey, seen, "yes")
    assert refused.status_code == 422
    assert "No question of an agent waits for you here." in refused.content.decode()
    assert answer_on_run(rey, seen, "yes").status_code == 422
    assert status_of(newer) == "pending"


def test_an_answer_on_the_runs_page(rey, bot) -> None:
    question = a_question(bot)
    page = client_of(rey).get(f"/runs/{question.run_id}").content.decode()
    assert "Answer in your own words" in page
    refused = answer_on_run(rey, question, "yes, but wait")
    assert refused.status_code == 422
    assert "yes, but wait" in refused.content.decode()
    assert answer_on_run(rey, question, "yes").status_code == 302
    assert status_of(question) == "approved"
    page = client_of(rey).get(f"/runs/{question.run_id}").content.decode()
    assert "The agent may go on." not in page  # said once, on the page it was answered on
    assert "Answer in your own words" not in page


def test_a_question_of_another_run_is_not_answered_by_it(rey, bot) -> None:
    question, other = a_question(bot), a_question(bot)
    assert answer_on_run(rey, question, "yes", run_id=other.run_id).status_code == 422
    assert (status_of(question), status_of(other)) == ("pending", "pending")
    path = f"/runs/{other.run_id}/reply"
    assert client_of(rey).post(path, {"reply": "yes"}).status_code == 404
    assert client_of(rey).post(path, {"reply": "yes", "question": "x"}).status_code == 404


@pytest.fixture
def two_people():
    flags.set_flag("IRREVERSIBLE_NEEDS_TWO_PEOPLE", "true")
    flags._forget()
    yield
    flags._forget()


def test_the_first_yes_of_two_people_says_that_another_is_needed(rey, bot, two_people) -> None:
    question = a_question(bot)
    said = reply(rey, "yes", question_id=question.pk)
    assert said.answered.status == "pending"
    assert "Another person has to say yes" in said.message
    page = card_of(rey, question)
    assert "You said yes first" in page


# --- who may not ------------------------------------------------------------------------
def test_who_may_not_answer(rey, audrey, cy, bot) -> None:
    question = a_question(bot)
    assert answer(cy, question, "yes").status_code == 404
    assert answer_on_run(cy, question, "yes").status_code == 404
    assert answer(audrey, question, "yes").status_code == 403
    assert answer_on_run(audrey, question, "yes").status_code == 403
    assert status_of(question) == "pending"
    assert "Answer in your own words" not in card_of(audrey, question)
    run = client_of(audrey).get(f"/runs/{question.run_id}").content.decode()
    assert "May I place the order?" in run
    assert "Answer in your own words" not in run
