"""How profiles speak to the rooms above: ids only, sent once the change is committed."""

from django.dispatch import Signal

# An admin wants a profile's text tried on the page of a run. Arguments: trial_id (UUID).
trial_asked = Signal()
