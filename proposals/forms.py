"""What the desk's forms send."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from core.errors import Invalid
from core.words import phrase
from proposals.changes import (
    LONGEST_EDIT,
    Kind,
    Writable,
    writable_text,
    writable_values,
)
from proposals.domain import Starred, UseModify
from proposals.models import Proposal
from proposals.page_text import cut, visible
from proposals.queries import WAITING
from proposals.targets import pick_name

REMEMBER = (
    ("", gettext_lazy("ask a person again")),
    ("agent", gettext_lazy("remember for this agent")),
    ("site", gettext_lazy("remember for this site")),
)
TEXT = -1  # where a call with one target keeps what it writes; fields count from 0
LONGEST_SELECTOR = 4_000


def second_act() -> str:
    """The word that is typed before what cannot be undone, in the language of the page."""
    return gettext("approve")


class DecisionForm(forms.Form):
    """A decision about the version that was seen. `chosen_index` counts from 0."""

    version = forms.IntegerField(min_value=1)
    chosen_index = forms.IntegerField(min_value=0, required=False)
    reason = forms.CharField(max_length=1000, required=False)

    def problem(self) -> str:
        """The first thing that is wrong, in words for a person."""
        if own_words := self.non_field_errors():
            return str(own_words[0])
        name, errors = next(iter(self.errors.items()))
        return f"{self[name].label}: {errors[0]}"


class ActingForm(DecisionForm):
    """Approve, modify or retry. A call with several targets has a pick for each of them; what
    cannot be undone asks for a typed word as well.

    A pick beyond the listed candidates of the shown target means what was looked up: `selector` or
    `preview` says what that is.
    """

    word = forms.CharField(max_length=40, required=False)
    selector = forms.CharField(max_length=LONGEST_SELECTOR, required=False)
    preview = forms.CharField(max_length=40, required=False)
    remember = forms.ChoiceField(choices=REMEMBER, required=False)

    def __init__(self, *args: Any, proposal: Proposal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.proposal = proposal
        self.targets = proposal.targets
        self.writables = _writables(proposal)
        for index, target in enumerate(self.targets):
            self.fields[self._pick_name(index)] = _pick_field(target, self._is_shown(index))
        for writable in self.writables.values():
            self.fields[writable.field_name] = _value_field(writable)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        typed = str(cleaned.get("word") or "").strip().lower()
        if self._needs_second_act() and typed != second_act():
            words = gettext("This cannot be undone: type {word} to go on.")
            self.add_error(None, words.format(word=second_act()))
        if missing := self._unpicked():
            words = gettext("Pick a candidate first for: {names}.")
            self.add_error(None, words.format(names=", ".join(missing)))
        return cleaned

    def picks(self) -> list[dict[str, int]]:
        """What was picked of what is listed, by target; nothing for a call with one or none."""
        if not self.proposal.fields:
            return []
        return [{"index": index, "chosen_index": pick} for index, pick in self._listed_picks()]

    def refuse_changes(self) -> None:
        """An approval would run without them. Raises UseModify."""
        if self._written() or self._element():
            raise UseModify(phrase("You changed something: approve it with your changes."))

    def modifications(self) -> dict[str, Any]:
        """What differs from the star and from what the agent wrote. Raises Invalid when nothing
        does."""
        changes: dict[str, Any] = {
            **self._element(),
            **self._changed_picks(),
            **self._changed_text(),
        }
        if fields := self._changed_fields():
            changes["fields"] = fields
        if not changes:
            raise Invalid(phrase("Pick another element, or change what is written, first."))
        return changes

    # --- the element ---
    def _element(self) -> dict[str, str]:
        """What was looked up, if that is picked."""
        shown = self.proposal.shown_field
        if not self.targets or self._pick(shown) != self.targets[shown].count:
            return {}
        named = {name: self.cleaned_data[name] for name in ("selector", "preview")}
        return {name: value for name, value in named.items() if value}

    def _changed_picks(self) -> dict[str, int]:
        """Of a call with one target."""
        if self.proposal.fields:
            return {}
        changed = [pick for index, pick in self._listed_picks() if pick != self._starred(index)]
        return {"chosen_index": changed[0]} if changed else {}

    def _listed_picks(self) -> list[tuple[int, int]]:
        named = ((index, self._pick(index)) for index in range(len(self.targets)))
        return [
            (index, pick)
            for index, pick in named
            if pick is not None and pick < self.targets[index].count
        ]

    def _pick(self, index: int) -> int | None:
        pick: int | None = self.cleaned_data.get(self._pick_name(index))
        return pick

    def _pick_name(self, index: int) -> str:
        return pick_name(index) if self.proposal.fields else "chosen_index"

    def _starred(self, index: int) -> int:
        return self.targets[index].index

    def _is_shown(self, index: int) -> bool:
        return index == self.proposal.shown_field

    # --- what is written ---
    def _written(self) -> dict[int, str | bool]:
        """The changed values by field; that of a single target has the place `TEXT`."""
        sent = {place: one for place, one in self.writables.items() if one.field_name in self.data}
        given = {place: self.cleaned_data[one.field_name] for place, one in sent.items()}
        return {
            place: sent[place].read(value)
            for place, value in given.items()
            if sent[place].is_changed_by(value)
        }

    def _changed_text(self) -> dict[str, str | bool]:
        written = self._written()
        return {"text": written[TEXT]} if TEXT in written else {}

    def _changed_fields(self) -> list[dict[str, Any]]:
        changed: dict[int, dict[str, Any]] = {}
        for pick in self.picks():
            if pick["chosen_index"] != self._starred(pick["index"]):
                changed[pick["index"]] = dict(pick)
        for index, value in self._written().items():
            if index != TEXT:
                changed.setdefault(index, {"index": index})["value"] = value
        return [changed[index] for index in sorted(changed)]

    def _unpicked(self) -> list[str]:
        """Not on a card that is settled, nor of one to be tried again: it was picked then."""
        if not self.proposal.is_pending or not self.proposal.fields:
            return []
        return [
            _name(target)
            for index, target in enumerate(self.targets)
            if target.index < 0 and self._pick(index) is None
        ]

    def _needs_second_act(self) -> bool:
        """Not on a card that is settled: the answer there is who was faster."""
        return self.proposal.is_irreversible and self.proposal.status in WAITING


def _writables(proposal: Proposal) -> dict[int, Writable]:
    text = writable_text(proposal.tool, proposal.params)
    return writable_values(proposal.tool, proposal.params) | ({TEXT: text} if text else {})


def _pick_field(target: Starred, takes_another: bool) -> forms.IntegerField:
    return forms.IntegerField(
        min_value=0,
        max_value=target.count - 1 + takes_another,
        required=False,
        label=_name(target),
    )


def _value_field(writable: Writable) -> forms.Field:
    if writable.kind is Kind.SWITCH:
        choices = [("yes", gettext("yes")), ("no", gettext("no"))]
        return forms.ChoiceField(choices=choices, required=False, label=_label(writable))
    return forms.CharField(
        max_length=LONGEST_EDIT, required=False, strip=False, label=_label(writable)
    )


def _label(writable: Writable) -> str:
    return visible(cut(writable.label, 40))


def _name(target: Starred) -> str:
    return visible(cut(target.name, 40))
