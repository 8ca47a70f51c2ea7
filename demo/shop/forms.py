"""What a shopper fills in: where to send the order, how to pay, and the account."""

from django import forms

DELIVERY_CHOICES = (
    ("standard", "Standard, 3 to 4 working days"),
    ("express", "Express, next working day"),
)
PAYMENT_CHOICES = (
    ("invoice", "By invoice: it comes with the parcel, and you have fourteen days"),
    ("card", "With the card ending in 4242 (a demonstration: nothing is ever charged)"),
)


def _text(label: str, *, autocomplete: str, max_length: int = 80) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, max_length=max_length, widget=widget)


def _email() -> forms.EmailField:
    widget = forms.EmailInput(attrs={"autocomplete": "email"})
    return forms.EmailField(label="E-mail", max_length=254, widget=widget)


class RecipientForm(forms.Form):
    name = _text("Full name", autocomplete="name")
    email = _email()
    street = _text("Street and number", autocomplete="street-address", max_length=120)
    town = _text("Town", autocomplete="address-level2")
    postcode = _text("Postcode", autocomplete="postal-code", max_length=12)


class AccountForm(RecipientForm):
    """The e-mail is what one signs in with, so it stays."""

    email = None  # type: ignore[assignment]  # how a form drops a field of its parent


class AddressForm(RecipientForm):
    delivery = forms.ChoiceField(choices=DELIVERY_CHOICES, initial="standard")


class PaymentForm(forms.Form):
    payment = forms.ChoiceField(choices=PAYMENT_CHOICES, initial="invoice")


class SignInForm(forms.Form):
    email = _email()
    password = forms.CharField(
        label="Password",
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class SignUpForm(forms.Form):
    name = _text("Full name", autocomplete="name")
    email = _email()
    password = forms.CharField(
        label="Password (eight characters or more)",
        min_length=8,
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
