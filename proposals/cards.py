"""A proposal as its card shows it: plain values for the template, no rows are written here."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext

from core.speaking import spoken
from proposals.call_words import Line, call_line, further_inputs, written_fields
from proposals.candidates import CandidateCard
from proposals.changes import Change, Writable, changes_of, writable_input
from proposals.domain import Event, Status
from proposals.equation import count_words
from proposals.models import Decision, Message, Proposal
from proposals.page_text import cut, visible
from proposals.targets import TargetCard, target_rows

REASON_WORDS = {
    "tier": gettext_lazy("Agents of tier {tier} always ask before they act on a page."),
    "no_target": gettext_lazy("This call names no element, so there is nothing to score."),
    "confirmation": gettext_lazy(
        "On this page a person must say yes before the agent does what cannot be undone."
    ),
}
QUESTION_CLOSING_WORDS = {
    Status.EXPIRED: gettext_lazy("Nobody answered in time. Nothing is confirmed."),
    Status.SUPERSEDED: gettext_lazy("The agent asked for something else. Nothing is confirmed."),
    Status.STALE: gettext_lazy(
        "The page was left before the yes reached it. Nothing is confirmed."
    ),
    Status.OUTCOME_UNKNOWN: gettext_lazy(
        "The worker stopped while it passed the answer on. Nobody knows whether it counts."
    ),
}
CLOSING_WORDS = {
    Status.EXPIRED: gettext_lazy("Nobody decided in time. Nothing was done."),
    Status.SUPERSEDED: gettext_lazy("The agent asked for something else. Nothing was done."),
    Status.STALE: gettext_lazy("The page no longer holds what was approved. Nothing was clicked."),
    Status.OUTCOME_UNKNOWN: gettext_lazy(
        "The worker stopped while it acted. Nobody knows what happened."
    ),
}


@dataclass(frozen=True)
class Card:
    """Everything the card of one proposal shows. `decisions` are in order, with their people.
    `is_remembered` when the decision taught a precedent."""

    proposal: Proposal
    decisions: tuple[Decision, ...]
    messages: tuple[Message, ...] = ()
    successor: Proposal | None = None
    is_remembered: bool = False

    @property
    def confidence(self) -> Mapping[str, Any]:
        return self.proposal.match_confidence or {}

    @property
    def params(self) -> Mapping[str, Any]:
        return self.proposal.params or {}

    @property
    def call(self) -> Line:
        return call_line(self.proposal.tool, self.params)

    @property
    def asks(self) -> str:
        """What a question says, in the agent's own words."""
        return str(self.params.get("content") or "") if self.proposal.is_question else ""

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """The rest of the call: what is typed, pressed or chosen; in a table its rows say it."""
        written = [] if self.rows else written_fields(self.params)
        return [*written, *further_inputs(self.params)]

    @property
    def given(self) -> list[tuple[str, str]]:
        """The parameters as the agent sent them."""
        return [
            (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
            for name, value in self.params.items()
        ]

    @cached_property
    def rows(self) -> list[TargetCard]:
        """The table of a call with several targets; empty for any other."""
        return target_rows(
            self.proposal.fields,
            tool=self.proposal.tool,
            params=self.params,
            shown=self.proposal.shown_field,
            acted=self.proposal.approved_picks,
            viewport=self.proposal.viewport,
            starred_by=self._first_person,
        )

    @cached_property
    def shown(self) -> TargetCard:
        """The only target, or of several the least sure one: its candidates are numbered."""
        if self.rows:
            return self.rows[self.proposal.shown_field]
        return TargetCard(
            {**self.confidence, "chosen_index": self.proposal.chosen_index},
            acted=self.proposal.approved_index,
            viewport=self.proposal.viewport,
            starred_by=self._first_person,
        )

    @property
    def _first_person(self) -> str:
        """The first of two people moves the stars."""
        return self.first_approval.person.username if self.first_approval else ""

    @property
    def candidates(self) -> list[CandidateCard]:
        return self.shown.candidates

    @property
    def other_rows(self) -> list[TargetCard]:
        return [row for row in self.rows if not row.is_shown]

    @property
    def writable_input(self) -> Writable | None:
        return writable_input(self.proposal.tool, self.params)

    @property
    def gives_files(self) -> bool:
        """Files are the agent's: a reviewer has none to give instead."""
        return bool(self.params.get("paths"))

    @property
    def has_writables(self) -> bool:
        return self.writable_input is not None or any(row.writable for row in self.rows)

    @property
    def unpicked(self) -> list[TargetCard]:
        """The rows that have no star."""
        return [row for row in self.rows if row.needs_pick]

    @property
    def has_other_picks(self) -> bool:
        """Something else than what is starred can be picked."""
        return any(
            target.starred_number and len(target.candidates) > 1
            for target in self.rows or [self.shown]
        )

    @property
    def reasons(self) -> list[str]:
        return [self._reason_words(code) for code in self.proposal.reasons]

    def _reason_words(self, code: str) -> str:
        if code == "match_confidence":
            return self._doubt_words()
        words = REASON_WORDS.get(code, code.replace("_", " "))
        return words.format(tier=self.proposal.agent.get_tier_display())

    def _doubt_words(self) -> str:
        if self.rows:
            return _unclear_words(self.rows)
        matches = int(self.confidence.get("match_count") or 0)
        if matches > 1:
            words = gettext("{count} visible elements match what it named.")
            return words.format(count=count_words(matches).capitalize())
        return gettext("It is not certain enough that this is the element it means.")

    @property
    def offstage(self) -> list[CandidateCard]:
        """Those that the picture does not show."""
        return [each for each in self.candidates if each.place and each.place.outside]

    @property
    def decision(self) -> Decision | None:
        """The one that settled it: the first of two people only waits for the second, and a retry
        or a mark comes after it and is told apart."""
        return next((one for one in self.decisions if one.verb != Event.APPROVE_FIRST), None)

    @property
    def first_approval(self) -> Decision | None:
        """What the first of two people said last, or was overruled by."""
        firsts = [one for one in self.decisions if one.verb == Event.APPROVE_FIRST]
        return firsts[-1] if firsts else None

    @property
    def first_words(self) -> str:
        """The stars are where the first of two people put them."""
        if self.rows:
            picks = [f"{row_name(row)} #{row.starred_number}" for row in self.rows]
            return ", ".join(picks)
        return f"#{self.shown.starred_number}" if self.shown.starred_number else ""

    @property
    def changes(self) -> list[Change]:
        """The diff of what a person decided; the first of two may have made it."""
        if self.decision and self.decision.verb == Event.REJECT:
            return []
        said = [self.decision, self.first_approval]
        made: Mapping[str, Any] = next(
            (one.modifications for one in said if one and one.modifications), {}
        )
        return changes_of(self.params, made, named=self.proposal.shown_target)

    @property
    def decided_words(self) -> str:
        """What follows `anna approved` or `anna modified`: the pick, or those that differ from the
        star."""
        if self.decision is None or self.decision.verb == Event.REJECT:
            return ""
        if self.rows:
            return _picks_in_words([row for row in self.rows if row.is_changed])
        if self.shown.acted_number is None:
            return ""
        is_change = self.decision.verb == Event.MODIFY
        return f": {_pick_in_words(self.shown)}" if is_change else f" #{self.shown.acted_number}"

    @property
    def follow_ups(self) -> tuple[Decision, ...]:
        settled = self.decision
        return self.decisions[self.decisions.index(settled) + 1 :] if settled else ()

    @property
    def closing_words(self) -> str:
        if self.proposal.status == Status.CANCELLED:
            return self._cancelled_words
        closing = QUESTION_CLOSING_WORDS if self.proposal.is_question else CLOSING_WORDS
        words = str(closing.get(Status(self.proposal.status), ""))
        if self.proposal.run_ended_at and self.proposal.status == Status.OUTCOME_UNKNOWN:
            return f"{words} {gettext('The run ended since.')}"
        return words

    @property
    def _cancelled_words(self) -> str:
        """A retry follows a try of which nobody knows what it did."""
        why = spoken((self.proposal.error or {}).get("message", ""))  # who killed the run
        if self.follow_ups:
            why = why or gettext("The run ended before it was tried again.")
            return f"{why} {gettext('Nobody knows what the first try did.')}"
        if self.decision:
            why = why or gettext("The run ended before it was acted on.")
        why = why or gettext("The run ended before a decision.")
        return f"{why} {gettext('Nothing was done.')}"


def _unclear_words(rows: Sequence[TargetCard]) -> str:
    unclear = [row_name(row) for row in rows if row.level != "high"]
    words = ngettext(
        "{count} of its {total} targets is not clear: {names}.",
        "{count} of its {total} targets are not clear: {names}.",
        len(unclear),
    )
    count, total = count_words(len(unclear)).capitalize(), count_words(len(rows))
    return words.format(count=count, total=total, names=", ".join(unclear))


def row_name(row: TargetCard) -> str:
    """For a sentence of ours: the agent named it."""
    return visible(cut(row.name, 40))


def _picks_in_words(picked: Sequence[TargetCard]) -> str:
    named = "; ".join(f"{row_name(row)} {_pick_in_words(row)}" for row in picked)
    return f": {named}" if named else ""


def _pick_in_words(target: TargetCard) -> str:
    if not target.starred_number:
        return f"#{target.acted_number}"
    words = gettext("#{number} instead of #{starred}")
    return words.format(number=target.acted_number, starred=target.starred_number)
