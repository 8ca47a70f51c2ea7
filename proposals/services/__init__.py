"""Every way a proposal changes, one file for each part of its life."""

from proposals.services import modifying
from proposals.services.creating import Draft, create
from proposals.services.deciding import (
    approve,
    mark_done,
    mark_not_done,
    modify,
    needs_two_people,
    reject,
    retry,
)
from proposals.services.executing import claim, finish, hand_out, lose_expired_leases
from proposals.services.messaging import deliver, say
from proposals.services.settling import (
    cancel,
    cancel_of_run,
    cut_lease,
    expire_due,
    note_run_end,
    supersede,
)
from proposals.services.teaching import can_be_remembered
from proposals.services.viewing import VIEWING, view

__all__ = [
    "VIEWING",
    "Draft",
    "approve",
    "can_be_remembered",
    "cancel",
    "cancel_of_run",
    "claim",
    "create",
    "cut_lease",
    "deliver",
    "expire_due",
    "finish",
    "hand_out",
    "lose_expired_leases",
    "mark_done",
    "mark_not_done",
    "modify",
    "modifying",
    "needs_two_people",
    "note_run_end",
    "reject",
    "retry",
    "say",
    "supersede",
    "view",
]
