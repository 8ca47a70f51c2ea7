"""What the pages of people, teams and one's own account send."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.utils.translation import gettext_lazy

from agents.models import AgentRegistry, Person, Team


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": gettext_lazy(
            "This username and password do not go together. Both tell capital from small "
            "letters. If it stays like this, ask an admin for a new password."
        ),
        "inactive": gettext_lazy("This account is switched off. Ask an admin."),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["username"].widget.attrs["autofocus"] = True


class NewPasswordForm(SetPasswordForm):
    """By a link: without the former password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, label_suffix="", **kwargs)
        _in_our_words(self)


class OwnPasswordForm(PasswordChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, label_suffix="", **kwargs)
        self.fields["old_password"].widget.attrs.pop("autofocus", None)
        self.fields["old_password"].label = gettext_lazy("Present password")
        _in_our_words(self)


def _in_our_words(form: forms.Form) -> None:
    form.fields["new_password1"].label = gettext_lazy("New password")
    form.fields["new_password1"].help_text = gettext_lazy(
        "At least 10 characters, and no common one."
    )
    form.fields["new_password2"].label = gettext_lazy("The same again")
    form.fields["new_password2"].help_text = ""


class ForgottenForm(forms.Form):
    who = forms.CharField(
        label=gettext_lazy("Username or e-mail address"),
        max_length=254,
        strip=True,
        label_suffix="",
    )


class LanguageForm(forms.Form):
    language = forms.ChoiceField(
        choices=[("", gettext_lazy("as my browser says")), *settings.LANGUAGES],
        required=False,
        label=gettext_lazy("Language"),
        label_suffix="",
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(
        choices=Person.Role.choices, error_messages={"required": gettext_lazy("Choose a role.")}
    )


class TeamsForm(forms.Form):
    teams = forms.ModelMultipleChoiceField(Team.objects.order_by("name"), required=False)


class InvitationForm(RoleForm, TeamsForm):
    username = forms.CharField(
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        error_messages={"required": gettext_lazy("Name the person.")},
    )
    email = forms.EmailField(required=False, max_length=254)


class TeamNameForm(forms.Form):
    name = forms.CharField(
        max_length=80, error_messages={"required": gettext_lazy("Name the team.")}
    )


class MembersForm(forms.Form):
    people = forms.ModelMultipleChoiceField(Person.objects.all(), required=False)
    agents = forms.ModelMultipleChoiceField(AgentRegistry.objects.all(), required=False)
