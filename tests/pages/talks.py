"""A conversation with a turn of every kind: made by the services, answered by real local models."""

from django.test import override_settings

import routing.services
from proposals.models import Proposal
from routing import answering
from routing.models import Turn
from runs import conversing
from runs.models import Run
from tests.pages.seed import SHOP, Crew, open_run
from tests.support.executors import Executors
from tests.support.proposals import a_proposal


def work(run: Run) -> None:
    """What the message that was sent makes a worker do."""
    waiting = Turn.objects.filter(conversation_id=run.pk, status=Turn.Status.WAITING)
    for turn_id in list(waiting.values_list("id", flat=True)):
        answering.answer(turn_id)


def ask(crew: Crew, run: Run) -> Proposal:
    """The run's agent asks a person."""
    return a_proposal(
        crew.agents["checkout-bot"],
        run_id=run.pk,
        tool="needs_confirmation",
        params={"content": "Place the order for £65.99?"},
        match_confidence=None,
        level="",
        score=None,
        anchors=[],
    )


def run_with_talk(crew: Crew) -> Run:
    run = open_run(crew.agents["checkout-bot"], url=SHOP, label="Order 1042")
    with Executors.started() as models, override_settings(**models.settings()):
        _talk(crew, run, models)
    return run


def _talk(crew: Crew, run: Run, models: Executors) -> None:
    models.primary.will("I would split it in three packages.\n\n1. rules\n2. doors\n3. tests")
    models.escalation.will("Which of the three first?", "Done: " + "a-very-long-word-" * 12)
    for text in ("refactor the whole dispatch layer", "yes, go ahead", "the first one"):
        _say(crew, run, text)
    bot = crew.agents["checkout-bot"]
    routing.services.say_as_agent(run.pk, agent=bot, text="I am on it.", who=Turn.Who.AGENT)
    result = '{"status": "succeeded", "url": "https://shop.example/checkout"}\n' * 3
    routing.services.say_as_agent(run.pk, agent=bot, text=result, who=Turn.Who.TOOL_RESULT)
    models.escalation.breaks_off("So far I have")
    _say(crew, run, "and now?")
    _say(crew, run, "/escalate")
    ask(crew, run)
    waits = conversing.say(crew.ben, run, "wait a moment")
    being_answered = routing.services.claim(waits.id)
    assert being_answered
    routing.services.note_words(being_answered, "I am looking at the three of them, and")


def _say(crew: Crew, run: Run, text: str) -> None:
    conversing.say(crew.anna, run, text)
    work(run)
