"""Every way a proposal changes, one file for each part of its life."""

from proposals.services import modifying
from proposals.services.creating import Draft, create
from proposals.services.deciding import (
    approve,
    mark_done,
    modify,
    needs_two_people,
    reject,
    retry,
)
from proposals.services.executing import claim, finish, hand_out, lose_expired_leases
from proposals.services.settling import cancel, cancel_of_run, expire_due, supersede
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
    "expire_due",
    "finish",
    "hand_out",
    "lose_expired_leases",
    "mark_done",
    "modify",
    "modifying",
    "needs_two_people",
    "reject",
    "retry",
    "supersede",
    "view",
]
