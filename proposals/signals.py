"""How proposals speak to the rooms above: ids only, sent once the change is committed."""

from django.dispatch import Signal

# A proposal reached another status. Arguments: proposal_id (UUID), run_id, action_id.
proposal_moved = Signal()
