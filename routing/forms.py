"""What is tried in the playground: a prompt and what surrounds it."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, pgettext_lazy

from routing.domain.rules import Target
from routing.domain.transcript import NoSpeaker, read_transcript
from routing.domain.turn import Message, State, Turn

MAX_PROMPT = 8_000
MAX_HISTORY = 24_000  # it travels in the page's address, so that a link can be sent
NOBODY = ("", pgettext_lazy("choice", "none"))
TARGETS = [NOBODY, *((target.value, target.value) for target in Target)]


class PlaygroundForm(forms.Form):
    prompt = forms.CharField(required=False, max_length=MAX_PROMPT, strip=False)
    history = forms.CharField(required=False, max_length=MAX_HISTORY, strip=False)
    pin = forms.ChoiceField(required=False, choices=TARGETS)
    override = forms.ChoiceField(required=False, choices=TARGETS)
    sticky = forms.BooleanField(required=False)
    waiting = forms.BooleanField(required=False)

    def clean_history(self) -> tuple[Message, ...]:
        try:
            return read_transcript(self.cleaned_data["history"])
        except NoSpeaker:
            said = gettext("Begin with who speaks: user:, agent: or tool:.")
            raise ValidationError(said) from None

    def turn(self) -> Turn:
        """Of a form that is valid."""
        said = self.cleaned_data
        return Turn(
            prompt=said["prompt"],
            history=said["history"],
            state=State.ESCALATION_WAITING if said["waiting"] else State.NONE,
            pin=_target_of(said["pin"]),
            override=_target_of(said["override"]),
            sticky=said["sticky"],
        )


def _target_of(chosen: str) -> Target | None:
    return Target(chosen) if chosen else None
