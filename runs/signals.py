"""How runs speak to the rooms above: ids only, sent once the change is committed."""

from django.dispatch import Signal

# An action reached a final status; an unknown outcome may still become known. Arguments: action_id.
action_finished = Signal()

# A run ended, however it did. Arguments: run_id.
run_ended = Signal()

# A run broke the confirmation protocol for the first time. Arguments: action_id.
violation_latched = Signal()
