"""What the agents' pages send."""

from collections.abc import Iterable

from django import forms

from agents.models import AgentRegistry, Team
from agents.services import checked_host
from core.errors import Invalid
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


class HostsForm(ChangeForm):
    """One host a line; commas and spaces part them too."""

    hosts = forms.CharField(max_length=20_000, required=False)

    def clean_hosts(self) -> list[str]:
        return checked_hosts(str(self.cleaned_data["hosts"]).replace(",", " ").split())


class NewAgentForm(HostsForm, TierForm):
    """Without a team it joins the default one."""

    name = forms.CharField(
        max_length=80, error_messages={"required": "Name the agent.", "max_length": "At most 80."}
    )
    team = forms.ModelChoiceField(
        Team.objects.order_by("name"), to_field_name="name", required=False, empty_label=None
    )


def checked_hosts(hosts: Iterable[str]) -> list[str]:
    try:
        return [checked_host(host) for host in hosts]
    except Invalid as error:
        raise forms.ValidationError(error.message) from error
