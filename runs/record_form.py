"""What people search the record by, on its page. Days are UTC, both included."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agents.access import agents_overseen_by
from agents.models import Person
from runs.record import RecordSearch, id_of


class RecordForm(forms.Form):
    run = forms.UUIDField(required=False, error_messages={"invalid": _("That is no run's id.")})
    agent = forms.ChoiceField(
        required=False, error_messages={"invalid_choice": _("There is no such agent.")}
    )
    action = forms.CharField(required=False, max_length=60)
    since = forms.DateField(required=False, error_messages={"invalid": _("That is no day.")})
    until = forms.DateField(required=False, error_messages={"invalid": _("That is no day.")})

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        agents = agents_overseen_by(person).order_by("name").values_list("pk", "name")
        choices = [("", gettext("any")), *((str(key), name) for key, name in agents)]
        self.fields["agent"].choices = choices  # type: ignore[attr-defined]

    def search(self) -> RecordSearch:
        """Of a form that is valid."""
        said = self.cleaned_data
        until = said["until"]
        return RecordSearch(
            run=said["run"],
            agent=id_of(said["agent"]),
            action=id_of(said["action"]) or said["action"],
            since=_start_of(said["since"]) if said["since"] else None,
            until=_start_of(until) + timedelta(days=1) if until and until.year < 9999 else None,
        )


def _start_of(day: Any) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
