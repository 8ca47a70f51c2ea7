"""What the agents' pages send."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django import forms
from django.utils.translation import gettext_lazy

from agents.models import AgentRegistry, Team
from agents.services import checked_host
from core import clock
from core.errors import Invalid
from core.speaking import spoken
from oversight.domain import GATING_WORDS

GATING_FLAGS = {word: flag for flag, word in GATING_WORDS.items()}


class ChangeForm(forms.Form):
    """One setting of an agent. `problem()` is the first thing wrong with it, for a person."""

    def problem(self) -> str:
        return next((str(errors[0]) for errors in self.errors.values()), "")


class TierForm(ChangeForm):
    tier = forms.ChoiceField(choices=AgentRegistry.Tier.choices)


class GatingForm(ChangeForm):
    gating = forms.ChoiceField(choices=[(word, word) for word in GATING_FLAGS])

    @property
    def flag(self) -> bool | None:
        return GATING_FLAGS[self.cleaned_data["gating"]]


class ConfirmationModeForm(ChangeForm):
    """Nothing chosen leaves it to the others who may want one."""

    confirmation_mode = forms.ChoiceField(
        choices=[("", ""), *AgentRegistry.ConfirmationMode.choices], required=False
    )


class HostsForm(ChangeForm):
    """One host a line; commas and spaces part them too."""

    hosts = forms.CharField(max_length=20_000, required=False)

    def clean_hosts(self) -> list[str]:
        return checked_hosts(str(self.cleaned_data["hosts"]).replace(",", " ").split())


class KeyForm(ChangeForm):
    """How long a new key works; nothing said: until it is revoked."""

    expires_in_days = forms.TypedChoiceField(
        choices=[
            ("", gettext_lazy("never")),
            (30, gettext_lazy("in 30 days")),
            (90, gettext_lazy("in 90 days")),
            (365, gettext_lazy("in a year")),
        ],
        coerce=int,
        empty_value=None,
        required=False,
    )

    @property
    def expires_at(self) -> datetime | None:
        days = self.cleaned_data["expires_in_days"]
        return None if days is None else clock.now() + timedelta(days=days)


class RotateForm(KeyForm):
    """How long the old key goes on beside the new one."""

    overlap_hours = forms.TypedChoiceField(
        choices=[
            (24, gettext_lazy("for a day")),
            (168, gettext_lazy("for a week")),
            (1, gettext_lazy("for an hour")),
            (0, gettext_lazy("not at all")),
        ],
        coerce=int,
    )

    @property
    def overlap(self) -> timedelta:
        return timedelta(hours=self.cleaned_data["overlap_hours"])


class NewAgentForm(HostsForm, TierForm):
    """Without a team it joins the default one."""

    name = forms.CharField(
        max_length=80,
        error_messages={
            "required": gettext_lazy("Name the agent."),
            "max_length": gettext_lazy("At most 80."),
        },
    )
    team = forms.ModelChoiceField(
        Team.objects.order_by("name"), to_field_name="name", required=False, empty_label=None
    )


def checked_hosts(hosts: Iterable[str]) -> list[str]:
    try:
        return [checked_host(host) for host in hosts]
    except Invalid as error:
        raise forms.ValidationError(spoken(error.message)) from error
