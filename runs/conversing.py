"""A person speaks on a run: first to the agent's question that waits there, then to the models."""

from uuid import UUID

import routing.services
from agents.models import Person
from core.errors import DomainError, Forbidden
from core.words import phrase
from routing.domain.turn import read_command
from routing.models import Turn
from routing.services import Reply
from runs.models import Run
from runs.replying import reply

LONGEST_YES = 1_000
NONE_SHOWN = UUID(int=0)


def say(
    person: Person,
    run: Run,
    text: str,
    *,
    override: str = "",
    question_id: UUID | None = None,
    key: str = "",
) -> Turn:
    """Keep it and have it answered. `question_id` is the question the person saw, NONE_SHOWN where
    they looked and saw none: no other is answered. Raises Forbidden for who only reads, Invalid."""
    refuse_who_only_reads(person)
    return routing.services.say_as_person(
        run.id,
        person=person,
        text=text,
        override=override,
        reply_to_question=lambda: _reply(person, run.id, text, question_id),
        key=key,
    )


def refuse_who_only_reads(person: Person) -> None:
    if not person.may_decide:
        raise Forbidden(phrase("Your role may read conversations but not speak in them."))


def _reply(person: Person, run_id: UUID, text: str, question_id: UUID | None) -> Reply | None:
    """What it does to the run's question; None where none waits or it is a command alone. Only a
    plain yes to the one question settles it, and then no model is asked."""
    if question_id == NONE_SHOWN or read_command(text).pins:
        return None
    words = text if len(text) <= LONGEST_YES else ""  # no mere yes is as long
    try:
        said = reply(person, words, run_id=run_id, question_id=question_id)
    except DomainError as refusal:  # somebody else was faster, or it takes another person
        proposal_id = str(refusal.details.get("proposal_id", ""))
        return Reply(refusal.code, refusal.message, proposal_id, settles=True)
    if said.answered:
        code = "first_of_two" if said.answered.is_pending else "confirmed"
        return Reply(code, said.message, str(said.answered.id), settles=True)
    if said.waiting:
        return Reply(said.code, said.message, str(said.waiting[0].id), settles=False)
    if question_id and said.code == "nothing_asked":  # it was decided while they wrote
        return Reply(said.code, said.message, str(question_id), settles=True)
    return None
