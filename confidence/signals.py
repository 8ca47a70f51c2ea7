"""How the flags speak to the rooms above: names only, sent once the change is committed."""

from django.dispatch import Signal

# A flag was overridden, or its override was taken back. Arguments: name.
flags_changed = Signal()
