"""A person answers an agent's question in their own words. Only a pure yes, and only to the one
question it can mean, counts; whatever else is said leaves the question open."""

import re
from dataclasses import dataclass
from uuid import UUID

import proposals.services
from agents.models import Person
from core import clock
from core.words import phrase
from proposals import access
from proposals.domain import QUESTION, Status
from proposals.models import Proposal
from routing import rules
from routing.domain.confirmation import Detection, detect

# What may stand around a yes without making a question, a joke or a no of it.
_CALM = re.compile(r"[\w\s.,;:!'’\"“”()…–-]*")
_APPROVING = str.maketrans("", "", "👍👌✅✔🙂😀😊🙏🎉\N{VARIATION SELECTOR-16}🏻🏼🏽🏾🏿")

WHY_NOT = {
    "not_a_yes": phrase("This was not taken as a yes: nothing was confirmed."),
    "retracted": phrase("You took it back in the same breath: nothing was confirmed."),
    "has_more": phrase("You asked for something beside a yes: nothing was confirmed."),
    "nothing_asked": phrase("No question of an agent waits for you here."),
    "several_asked": phrase(
        "Several questions wait: say which one by its card. Nothing was confirmed."
    ),
}
FIRST_OF_TWO = phrase("Your yes counts. Another person has to say yes as well.")


@dataclass(frozen=True)
class Reply:
    """`answered` is the question that the yes was said to; without one `code` says why."""

    detection: Detection
    waiting: tuple[Proposal, ...]
    answered: Proposal | None = None
    code: str = ""

    @property
    def still_waiting(self) -> tuple[Proposal, ...]:
        """Afterwards: a first yes of two leaves its question open."""
        return () if self.answered and not self.answered.is_pending else self.waiting

    @property
    def message(self) -> str:
        if self.answered and self.answered.is_pending:
            return FIRST_OF_TWO
        return WHY_NOT.get(self.code, phrase("The agent may go on."))


def reply(
    person: Person, words: str, *, run_id: UUID | None = None, question_id: UUID | None = None
) -> Reply:
    """`question_id` is the question the person saw, where they saw one: no other is answered.

    Raises Forbidden for who may not decide, and AlreadyDecided when somebody else was faster."""
    waiting = tuple(_waiting(person, run_id, question_id))
    detection = detect(words, rules.current())
    if code := _why_not(words, detection, len(waiting)):
        return Reply(detection, waiting, code=code)
    question = waiting[0]
    answered = proposals.services.approve(
        question.id, person=person, version=question.version, reason=words
    )
    return Reply(detection, waiting, answered)


def _why_not(words: str, detection: Detection, count: int) -> str:
    if detection.retracted:
        return "retracted"
    if not detection.is_confirmation or _is_doubtful(words):
        return "not_a_yes"
    if detection.scope:
        return "has_more"
    if count != 1:
        return "several_asked" if count else "nothing_asked"
    return ""


def _is_doubtful(words: str) -> bool:
    """“Yes?”, a yes with a thumb down, or with signs that turn the words around on a screen: the
    router's detection hears letters only."""
    return _CALM.fullmatch(words.translate(_APPROVING)) is None


def _waiting(person: Person, run_id: UUID | None, question_id: UUID | None) -> list[Proposal]:
    questions = access.visible_to(person).filter(
        tool=QUESTION, status=Status.PENDING, expires_at__gt=clock.now()
    )
    if run_id:
        questions = questions.filter(run_id=run_id)
    if question_id:
        questions = questions.filter(pk=question_id)
    return list(questions.order_by("created_at")[:20])
