"""What the webhooks' pages send."""

from django import forms
from django.utils.translation import gettext_lazy

from webhooks.domain import ABOUT, Event

CHOICES = [(str(event), ABOUT[event]) for event in Event]


class EndpointForm(forms.Form):
    url = forms.CharField(
        max_length=500,
        error_messages={
            "required": gettext_lazy("Say where to send."),
            "max_length": gettext_lazy("Too long."),
        },
    )
    description = forms.CharField(max_length=200, required=False)
    events = forms.MultipleChoiceField(
        choices=CHOICES,
        error_messages={"required": gettext_lazy("Choose an event at least.")},
    )


class DigestForm(forms.Form):
    address = forms.EmailField(error_messages={"required": gettext_lazy("Say where to write to.")})
    every_minutes = forms.IntegerField(min_value=5, max_value=1440)
    waiting_minutes = forms.IntegerField(min_value=1, max_value=1440)
