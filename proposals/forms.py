"""What the desk's forms send."""

from typing import Any

from django import forms

from core.errors import Invalid
from proposals.domain import Starred
from proposals.models import Proposal
from proposals.page_text import cut, visible
from proposals.queries import WAITING
from proposals.targets import pick_name

SECOND_ACT = "approve"


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
    cannot be undone asks for a typed word as well."""

    word = forms.CharField(max_length=40, required=False)

    def __init__(self, *args: Any, proposal: Proposal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.proposal = proposal
        self.targets = proposal.targets if proposal.fields else []
        for index, target in enumerate(self.targets):
            self.fields[pick_name(index)] = _pick_field(target)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        typed = str(cleaned.get("word") or "").strip().lower()
        if self._needs_second_act() and typed != SECOND_ACT:
            self.add_error(None, f"This cannot be undone: type {SECOND_ACT} to go on.")
        if missing := self._unpicked():
            self.add_error(None, f"Pick a candidate first for: {', '.join(missing)}.")
        return cleaned

    def picks(self) -> list[dict[str, int]]:
        """What was picked, by target; nothing for a call with one target or none."""
        named = ((index, self._pick(index)) for index in range(len(self.targets)))
        return [{"index": index, "chosen_index": pick} for index, pick in named if pick is not None]

    def modifications(self) -> dict[str, Any]:
        """The picks that are not starred. Raises Invalid when there is none."""
        picks = [one for one in self.picks() if one["chosen_index"] != self._starred(one["index"])]
        if picks:
            return {"fields": picks}
        if not self.targets and self.cleaned_data["chosen_index"] is not None:
            return {"chosen_index": self.cleaned_data["chosen_index"]}
        raise Invalid("Pick the candidate to act on instead first.")

    def _pick(self, index: int) -> int | None:
        pick: int | None = self.cleaned_data.get(pick_name(index))
        return pick

    def _starred(self, index: int) -> int:
        return self.targets[index].index

    def _unpicked(self) -> list[str]:
        """Not on a card that is settled, nor of one to be tried again: it was picked then."""
        if not self.proposal.is_pending:
            return []
        return [
            _name(target)
            for index, target in enumerate(self.targets)
            if target.index < 0 and self._pick(index) is None
        ]

    def _needs_second_act(self) -> bool:
        """Not on a card that is settled: the answer there is who was faster."""
        return self.proposal.is_irreversible and self.proposal.status in WAITING


def _pick_field(target: Starred) -> forms.IntegerField:
    return forms.IntegerField(
        min_value=0, max_value=target.count - 1, required=False, label=_name(target)
    )


def _name(target: Starred) -> str:
    return visible(cut(target.name, 40))
