"""What people may change of a precedent."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from confidence.domain.page_pattern import BadPattern, checked_pattern
from confidence.models import Precedent
from oversight.forms import ChangeForm


class PrecedentForm(ChangeForm):
    """Where it holds and how long from now; nothing said about its end: as before."""

    page_pattern = forms.CharField(
        max_length=500,
        error_messages={"required": gettext_lazy("Say for which pages: host and path.")},
    )
    expires_in_days = forms.IntegerField(required=False)
    rescues_ambiguous = forms.BooleanField(required=False)

    def clean_page_pattern(self) -> str:
        try:
            return checked_pattern(self.cleaned_data["page_pattern"])
        except BadPattern as error:
            raise forms.ValidationError(str(error)) from None

    def changes_of(self, precedent: Precedent) -> dict[str, Any]:
        """Only what is new, so that the record says what was changed."""
        said = self.cleaned_data
        wanted = {
            name: said[name]
            for name in ("page_pattern", "rescues_ambiguous")
            if said[name] != getattr(precedent, name)
        }
        if said["expires_in_days"] is not None:
            wanted["expires_in_days"] = said["expires_in_days"]
        return wanted
