"""The one form of the shop that a person fills in: where to send the order."""

from django import forms

DELIVERY_CHOICES = (
    ("standard", "Standard, 3 to 4 working days"),
    ("express", "Express, next working day"),
)


def _text(label: str, *, autocomplete: str, max_length: int = 80) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, max_length=max_length, widget=widget)


class CheckoutForm(forms.Form):
    name = _text("Full name", autocomplete="name")
    email = forms.EmailField(
        label="E-mail", widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    street = _text("Street and number", autocomplete="street-address", max_length=120)
    town = _text("Town", autocomplete="address-level2")
    postcode = _text("Postcode", autocomplete="postal-code", max_length=12)
    delivery = forms.ChoiceField(
        label="Delivery", choices=DELIVERY_CHOICES, widget=forms.RadioSelect, initial="standard"
    )

    def address(self) -> str:
        kept = self.cleaned_data
        return f"{kept['street']}, {kept['town']} {kept['postcode']}"
