"""The confirmation protocol as a run's page tells it: the task, the seal, the yes at hand, the
verifiers. Plain values, no rows are written here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext, pgettext_lazy

from audit.models import BrowserAudit
from confirmations.domain.latch import LONGEST_AGE, Latch, Token, Violation, latch_from
from confirmations.domain.task import Requirement
from core.errors import DomainError
from runs.models import Run
from runs.record_words import STORIES, story_of
from runs.services import requirement_of_run
from runs.verifying import verification_of

KINDS = {
    Violation.CHECKOUT: pgettext_lazy("violation", "checkout"),
    Violation.IRREVERSIBLE: pgettext_lazy("violation", "irreversible act"),
}
VIOLATION_WORDS = {
    Violation.CHECKOUT: gettext_lazy("It went to order without having asked at the checkout."),
    Violation.IRREVERSIBLE: gettext_lazy(
        "It went to do what cannot be undone without a yes that still counted."
    ),
}
MODE_WORDS = {
    "latch": gettext_lazy("What was not asked about is done, and the run is marked for good."),
    "block": gettext_lazy("What was not asked about is refused."),
    "ask": gettext_lazy("What was not asked about is refused, and only a person's yes counts."),
}


@dataclass(frozen=True)
class TokenAge:
    """What was asked last and did not serve yet, seen from a step."""

    token: Token
    step_id: int

    @property
    def age(self) -> int:
        return self.step_id - self.token.step_id

    @property
    def words(self) -> str:
        """`asked 2 steps ago on`: the screen's name follows."""
        if not self.age:
            return gettext("asked in this step on")
        words = ngettext("asked {count} step ago on", "asked {count} steps ago on", self.age)
        return words.format(count=self.age)

    @property
    def left_words(self) -> str:
        left = LONGEST_AGE - self.age
        if left < 0:
            return gettext("too long ago to count")
        if left == 0:
            return gettext("good for no later step")
        return ngettext("good for {count} more", "good for {count} more", left).format(count=left)


def token_age(kept: Mapping[str, Any] | None, step_id: int) -> TokenAge | None:
    """Of what an action kept; what is long past says nothing any more."""
    token = (kept or {}).get("token")
    age = TokenAge(Token(**token), step_id) if token else None
    return age if age and age.age <= LONGEST_AGE else None


@dataclass(frozen=True)
class Score:
    """What the verifiers say; with a problem nobody could be asked."""

    said: Mapping[str, Any]
    problem: str = ""

    @property
    def verifiers(self) -> list[Mapping[str, Any]]:
        return list(self.said.get("verifiers") or ())

    @property
    def completed(self) -> str:
        return _yes_or_no(self.said["completion"])

    @property
    def completed_under_policy(self) -> str:
        return _yes_or_no(self.said["completion_under_policy"])


def _yes_or_no(fact: bool) -> str:
    return pgettext("answer", "yes") if fact else pgettext("answer", "no")


@dataclass(frozen=True)
class ProtocolPage:
    run: Run

    @cached_property
    def latch(self) -> Latch:
        return latch_from(self.run.confirmation)

    @cached_property
    def requirement(self) -> Requirement:
        return requirement_of_run(self.run)

    @property
    def is_told(self) -> bool:
        """Whether the protocol says anything of this run."""
        run = self.run
        wished = run.task or run.is_open_play or run.confirmation_mode
        return bool(wished) or self.latch != Latch()

    # --- the task ---
    @property
    def goal(self) -> str:
        return str(self.run.task.get("goal") or "")

    @property
    def criteria(self) -> list[str]:
        return [str(one) for one in self.run.task.get("success_criteria") or ()]

    @property
    def required_words(self) -> str:
        if self.run.is_open_play:
            return gettext("no: free play, nothing is latched")
        if not self.requirement.is_on:
            return gettext("no")
        rules = [
            gettext("an order") if self.requirement.on_checkout else "",
            gettext("what cannot be undone") if self.requirement.on_irreversible else "",
        ]
        named = [rule for rule in rules if rule]
        if not named:
            return gettext("yes, but both of its rules are switched off")
        joined = gettext(" and ").join(named)
        return gettext("yes, before {what}").format(what=joined)

    @property
    def mode_words(self) -> str:
        return str(MODE_WORDS.get(self.run.confirmation_mode, ""))

    # --- the seal ---
    @property
    def kind(self) -> str:
        return str(KINDS[self.latch.violation]) if self.latch.violation else ""

    @property
    def violation_words(self) -> str:
        return str(VIOLATION_WORDS[self.latch.violation]) if self.latch.violation else ""

    # --- what was asked ---
    @property
    def token(self) -> TokenAge | None:
        token = self.latch.token
        return TokenAge(token, self.run.step_id) if token and not self.run.is_over else None

    @property
    def asked_on(self) -> list[str]:
        return [one.screen_id for one in self.latch.asked]

    # --- the score ---
    @property
    def shaping(self) -> float:
        return self.latch.shaping(self.requirement)

    @cached_property
    def score(self) -> Score:
        """Of an open run as things are now."""
        try:
            return Score(verification_of(self.run))
        except DomainError as error:
            return Score({}, problem=error.message)


@dataclass(frozen=True)
class Story:
    """One entry of the record about the protocol, as its step tells it. `name`: ask, use, missing
    or latch."""

    name: str
    words: str


def stories_of(action_ids: Sequence[UUID]) -> dict[UUID | None, list[Story]]:
    """What the record says of the protocol, by action, oldest first."""
    entries = BrowserAudit.objects.filter(action_id__in=action_ids, verb__in=STORIES)
    found: dict[UUID | None, list[Story]] = {}
    for entry in entries.order_by("id"):
        story = Story(entry.verb.partition(".")[2], story_of(entry.verb, entry.payload))
        found.setdefault(entry.action_id, []).append(story)
    return found
