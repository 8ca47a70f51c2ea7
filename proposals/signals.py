"""How proposals speak to the rooms above: ids only, sent once the change is committed."""

from django.dispatch import Signal

# A proposal was made. Arguments: proposal_id (UUID).
proposal_created = Signal()

# A proposal reached another status. Arguments: proposal_id (UUID), run_id, action_id, and event:
# the word of `domain.Event` that moved it, since by now it may have moved on.
proposal_moved = Signal()

# A reviewer wants something looked up on the waiting page. Arguments: preview_id (UUID).
preview_asked = Signal()

# A reviewer wants to see the whole waiting page. Arguments: full_picture_id (UUID).
full_picture_asked = Signal()
