"""What the desk's forms send."""

from typing import Any

from django import forms

from proposals.models import Proposal
from proposals.queries import WAITING

SECOND_ACT = "approve"


class DecisionForm(forms.Form):
    """A decision about the version that was seen. `chosen_index` counts from 0."""

    version = forms.IntegerField(min_value=1)
    chosen_index = forms.IntegerField(min_value=0, required=False)
    reason = forms.CharField(max_length=1000, required=False)

    def problem(self) -> str:
        """The first thing that is wrong, in words for a person."""
        if "word" in self.errors:
            return str(self.errors["word"][0])
        field, errors = next(iter(self.errors.items()), ("", [""]))
        return f"{field.replace('_', ' ').capitalize()}: {errors[0]}"


class ActingForm(DecisionForm):
    """Approve, modify or retry: what cannot be undone asks for a typed word as well."""

    word = forms.CharField(max_length=40, required=False)

    def __init__(self, *args: Any, proposal: Proposal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.proposal = proposal

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        typed = str(cleaned.get("word") or "").strip().lower()
        if self._needs_second_act() and typed != SECOND_ACT:
            self.add_error("word", f"This cannot be undone: type {SECOND_ACT} to go on.")
        return cleaned

    def _needs_second_act(self) -> bool:
        """Not on a card that is settled: the answer there is who was faster."""
        return self.proposal.is_irreversible and self.proposal.status in WAITING
