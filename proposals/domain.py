"""The life of a proposal and what a decision may say. Pure rules, standard library only."""

from collections.abc import Mapping, Sequence
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
class Starred:
    """One target of a call: its name, which of its `count` candidates is starred (-1: none)."""

    name: str
    index: int
    count: int


@dataclass(frozen=True)
class Choice:
    """Which candidate of each target a decision runs (0-based; empty without a target) and why."""

    picks: tuple[int, ...]
    event: Event


def approval(targets: Sequence[Starred], named: Mapping[int, object]) -> Choice:
    """Approve what is starred; where nothing is, the reviewer names one (by target: candidate)."""
    for place, target in enumerate(targets):
        if place not in named and target.index < 0:
            raise ChoiceNeeded(f"Nothing is starred{_of(target, targets)}: pick the candidate.")
        if target.index >= 0 and named.get(place, target.index) != target.index:
            raise UseModify("That is not the starred candidate: send it as a modification.")
    return Choice(_picks(targets, named), Event.APPROVE)


def modification(targets: Sequence[Starred], named: Mapping[int, object]) -> Choice:
    """Pick another candidate for one target or several."""
    if not named:
        raise Invalid("Say what to change: chosen_index, or fields.")
    for place, target in enumerate(targets):
        if place not in named and target.index < 0:
            raise ChoiceNeeded(f"Nothing is starred{_of(target, targets)}: pick the candidate.")
    return Choice(_picks(targets, named), Event.MODIFY)


def _of(target: Starred, targets: Sequence[Starred]) -> str:
    return f" for {target.name!r}" if len(targets) > 1 else ""


def _picks(targets: Sequence[Starred], named: Mapping[int, object]) -> tuple[int, ...]:
    unknown = sorted(set(named) - set(range(len(targets))))
    if unknown:
        raise Invalid(f"There is no field {unknown[0]}: they count from 0 to {len(targets) - 1}.")
    return tuple(
        checked_index(named.get(place, target.index), target.count)
        for place, target in enumerate(targets)
    )


def named_picks(given: Mapping[str, Any], *, shown: int) -> dict[int, object]:
    """`{chosen_index}` for the target that is shown, `{fields: [{index, chosen_index}]}` for any.

    Raises Invalid for unknown keys and for a field named twice.
    """
    unknown = sorted(set(given) - {"chosen_index", "fields"})
    if unknown:
        named = ", ".join(key[:80] for key in unknown[:20])
        raise Invalid(f"Unknown modification: {named}.")
    pairs = [_field_pick(one) for one in _listed(given.get("fields", []))]
    if given.get("chosen_index") is not None:
        pairs.append((shown, given["chosen_index"]))
    picks = dict(pairs)
    if len(picks) < len(pairs):
        raise Invalid("A field was named twice.")
    return picks


def _listed(fields: object) -> list[Any]:
    if not isinstance(fields, list):
        raise Invalid("fields must be a list of {index, chosen_index}.")
    return fields


def _field_pick(one: object) -> tuple[int, object]:
    if not isinstance(one, Mapping) or set(one) != {"index", "chosen_index"}:
        raise Invalid("Each of fields must be {index, chosen_index}.")
    if isinstance(one["index"], bool) or not isinstance(one["index"], int):
        raise Invalid("The index of a field must be a whole number.")
    return one["index"], one["chosen_index"]


def checked_index(index: object, count: int) -> int:
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
        raise Invalid(f"chosen_index must be a whole number from 0 to {count - 1}.")
    return index
