"""The life of a proposal and what a decision may say. Pure rules, standard library only."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.errors import Conflict, Gone, Invalid


class Status(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    EXECUTING = "executing"
    EXECUTED = "executed"
    EXECUTION_FAILED = "execution_failed"
    OUTCOME_UNKNOWN = "outcome_unknown"
    STALE = "stale"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"


class Event(StrEnum):
    APPROVE = "approve"
    MODIFY = "modify"
    REJECT = "reject"
    EXPIRE = "expire"
    CANCEL = "cancel"
    SUPERSEDE = "supersede"
    CLAIM = "claim"
    EXECUTE = "execute"
    FAIL = "fail"
    GO_STALE = "go_stale"
    LOSE = "lose"
    MARK_DONE = "mark_done"
    RETRY = "retry"


TRANSITIONS: Mapping[tuple[Status, Event], Status] = {
    (Status.PENDING, Event.APPROVE): Status.APPROVED,
    (Status.PENDING, Event.MODIFY): Status.APPROVED,
    (Status.PENDING, Event.REJECT): Status.REJECTED,
    (Status.PENDING, Event.EXPIRE): Status.EXPIRED,
    (Status.PENDING, Event.CANCEL): Status.CANCELLED,
    (Status.PENDING, Event.SUPERSEDE): Status.SUPERSEDED,
    (Status.APPROVED, Event.CLAIM): Status.EXECUTING,
    (Status.APPROVED, Event.CANCEL): Status.CANCELLED,
    (Status.EXECUTING, Event.EXECUTE): Status.EXECUTED,
    (Status.EXECUTING, Event.FAIL): Status.EXECUTION_FAILED,
    (Status.EXECUTING, Event.GO_STALE): Status.STALE,
    (Status.EXECUTING, Event.LOSE): Status.OUTCOME_UNKNOWN,
    (Status.OUTCOME_UNKNOWN, Event.MARK_DONE): Status.EXECUTED,
    (Status.OUTCOME_UNKNOWN, Event.RETRY): Status.APPROVED,
}
OPEN = frozenset({Status.PENDING, Status.APPROVED, Status.EXECUTING, Status.OUTCOME_UNKNOWN})


class NotAllowed(Conflict):
    """This event does not fit the proposal's present status."""

    code = "not_allowed"


class AlreadyDecided(Conflict):
    """Somebody or something was first; `details` say who and what."""

    code = "already_decided"


class StaleVersion(Conflict):
    """The proposal changed since the caller saw it; look again, then decide."""

    code = "stale_version"
    retryable = True


class Expired(Gone):
    """Nobody decided in time."""

    code = "expired"


class UseModify(Invalid):
    """Naming another candidate than the starred one is a modification."""

    code = "use_modify"


class ChoiceNeeded(Invalid):
    """Nothing is starred: an approval must name a candidate."""

    code = "choice_needed"


def next_status(status: str, event: Event) -> Status:
    """Where `event` leads from `status`. Raises NotAllowed."""
    try:
        return TRANSITIONS[Status(status), event]
    except KeyError:
        raise NotAllowed(f"A proposal that is {status} cannot {event}.") from None


@dataclass(frozen=True)
class Choice:
    """Which candidate a decision runs (0-based; -1 for a call without a target) and why."""

    index: int
    event: Event


def approval(*, starred: int, count: int, named: int | None) -> Choice:
    """Approve what is starred; with nothing starred the reviewer names one of `count`."""
    if count == 0:
        return Choice(-1, Event.APPROVE)
    if named is None and starred < 0:
        raise ChoiceNeeded("Nothing is starred: pick the candidate to act on first.")
    if named is not None and starred >= 0 and named != starred:
        raise UseModify("That is not the starred candidate: send it as a modification.")
    return Choice(checked_index(starred if named is None else named, count), Event.APPROVE)


def modification(modifications: Mapping[str, Any], *, count: int) -> Choice:
    """Pick another candidate. Unknown keys and empty changes are refused."""
    unknown = sorted(set(modifications) - {"chosen_index"})
    if unknown:
        named = ", ".join(key[:80] for key in unknown[:20])
        raise Invalid(f"Unknown modification: {named}.")
    if "chosen_index" not in modifications:
        raise Invalid("Say what to change: chosen_index.")
    return Choice(checked_index(modifications["chosen_index"], count), Event.MODIFY)


def checked_index(index: object, count: int) -> int:
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
        raise Invalid(f"chosen_index must be a whole number from 0 to {count - 1}.")
    return index
