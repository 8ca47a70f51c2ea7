"""The life of a proposal and what a decision may say. Pure rules, standard library only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.errors import Conflict, Gone, Invalid
from core.words import phrase


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
    APPROVE_FIRST = "approve_first"  # of two people
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
    END_RUN = "end_run"  # while nobody knows what happened: no retry any more
    MARK_NOT_DONE = "mark_not_done"


TRANSITIONS: Mapping[tuple[Status, Event], Status] = {
    (Status.PENDING, Event.APPROVE): Status.APPROVED,
    (Status.PENDING, Event.APPROVE_FIRST): Status.PENDING,
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
    (Status.OUTCOME_UNKNOWN, Event.END_RUN): Status.OUTCOME_UNKNOWN,
    (Status.OUTCOME_UNKNOWN, Event.MARK_NOT_DONE): Status.EXECUTION_FAILED,
}
WAITING = frozenset({Status.PENDING, Status.OUTCOME_UNKNOWN})  # for a person
OPEN = frozenset({Status.PENDING, Status.APPROVED, Status.EXECUTING, Status.OUTCOME_UNKNOWN})


QUESTION = "needs_confirmation"  # the tool by which an agent asks a person
SECOND_ACT = "approve"  # sent as `confirm` over REST; a page asks for it in its own language
LONGEST_MESSAGE = 2000  # of a reviewer to the agent


class NotAYes(Invalid):
    """An answer in somebody's own words that does not confirm: the question still waits."""

    code = "not_a_yes"


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


class SecondActRequired(Invalid):
    """What cannot be undone takes a word beside the decision: `SECOND_ACT`."""

    code = "second_act_required"


class AnotherPerson(Conflict):
    """Two people must approve this; the caller is the one who did so first."""

    code = "another_person"


class ChoiceNeeded(Invalid):
    """Nothing is starred: an approval must name a candidate."""

    code = "choice_needed"


def next_status(status: str, event: Event) -> Status:
    """Where `event` leads from `status`. Raises NotAllowed."""
    try:
        return TRANSITIONS[Status(status), event]
    except KeyError:
        said = phrase("A proposal that is {status} cannot {event}.", status=status, event=event)
        raise NotAllowed(said) from None


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


@dataclass(frozen=True)
class Changes:
    """What a reviewer changes: candidates by target, another element found by a preview (for the
    target that is shown), typed text, chosen options, values by field."""

    picks: Mapping[int, object] = field(default_factory=dict)
    selector: str = ""
    preview: str = ""
    text: str | None = None
    options: tuple[str, ...] | None = None
    values: Mapping[int, object] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        is_written = self.text is not None or self.options is not None
        says_nothing = not (is_written or self.selector or self.preview)
        return says_nothing and not self.picks and not self.values


def approval(targets: Sequence[Starred], named: Mapping[int, object]) -> Choice:
    """Approve what is starred; where nothing is, the reviewer names one (by target: candidate)."""
    for place, target in enumerate(targets):
        if target.index >= 0 and named.get(place, target.index) != target.index:
            raise UseModify(phrase("That is not the starred candidate: send it as a modification."))
    return Choice(_picks(targets, named), Event.APPROVE)


def modification(targets: Sequence[Starred], changes: Changes) -> Choice:
    """Pick other candidates, or write something else into what is starred."""
    if changes.is_empty:
        raise Invalid(f"Say what to change: {', '.join(sorted(CHANGES))}.")
    return Choice(_picks(targets, changes.picks), Event.MODIFY)


def _picks(targets: Sequence[Starred], named: Mapping[int, object]) -> tuple[int, ...]:
    """One candidate for each target. Raises ChoiceNeeded where none is starred or named."""
    unknown = sorted(set(named) - set(range(len(targets))))
    if unknown:
        raise Invalid(f"There is no field {unknown[0]}: they count from 0 to {len(targets) - 1}.")
    for place, target in enumerate(targets):
        if place not in named and target.index < 0:
            raise ChoiceNeeded(_unstarred(target.name if len(targets) > 1 else ""))
    return tuple(
        checked_index(named.get(place, target.index), target.count)
        for place, target in enumerate(targets)
    )


def _unstarred(name: str) -> str:
    if name:
        return phrase("Nothing is starred for {name}: pick the candidate.", name=repr(name))
    return phrase("Nothing is starred: pick the candidate.")


CHANGES = frozenset({"chosen_index", "selector", "preview", "text", "values", "fields"})


def read_changes(given: Mapping[str, Any], *, shown: int) -> Changes:
    """`{chosen_index | selector | preview}` for the target that is shown, `{text}` for what is
    typed, `{values}` for the options that are chosen, `{fields: [{index, chosen_index?, value?}]}`
    for any. Raises Invalid."""
    unknown = sorted(set(given) - CHANGES)
    if unknown:
        named = ", ".join(key[:80] for key in unknown[:20])
        raise Invalid(f"Unknown modification: {named}.")
    fields = _checked_fields(given.get("fields") or [])
    changes = Changes(
        picks=_read_picks(given, fields, shown=shown),
        selector=_text(given, "selector") or "",
        preview=_text(given, "preview") or "",
        text=_text(given, "text"),
        options=_options(given),
        values={one["index"]: one["value"] for one in fields if "value" in one},
    )
    if sum([shown in changes.picks, bool(changes.selector), bool(changes.preview)]) > 1:
        raise Invalid("Name the element once: chosen_index, selector or preview.")
    return changes


def _read_picks(
    given: Mapping[str, Any], fields: Sequence[Mapping[str, Any]], *, shown: int
) -> dict[int, object]:
    pairs = [(one["index"], one["chosen_index"]) for one in fields if "chosen_index" in one]
    if given.get("chosen_index") is not None:
        pairs.append((shown, given["chosen_index"]))
    if len(dict(pairs)) < len(pairs):
        raise Invalid("A field was named twice.")
    return dict(pairs)


def _text(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not _is_text(value):
        raise Invalid(f"{name} must be text, at most {LONGEST_TEXT} characters, without NUL.")
    return value


def _options(given: Mapping[str, Any]) -> tuple[str, ...] | None:
    values = given.get("values")
    if values is None:
        return None
    if not isinstance(values, list) or not _is_value(values):
        raise Invalid("values must be a list of 1 to 100 options, each of them text.")
    return tuple(values)


LONGEST_TEXT = 100_000


def _is_text(value: object) -> bool:
    """Half characters and NUL are none: no database keeps them."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or "\x00" in value:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def _checked_fields(fields: object) -> list[Mapping[str, Any]]:
    if not isinstance(fields, list) or not all(_is_field_change(one) for one in fields):
        raise Invalid("fields must be a list of {index, chosen_index, value}.")
    return fields


def _is_field_change(one: object) -> bool:
    return (
        isinstance(one, Mapping)
        and isinstance(one.get("index"), int)
        and not isinstance(one["index"], bool)
        and len(one) > 1
        and set(one) <= {"index", "chosen_index", "value"}
        and _is_value(one.get("value", ""))
    )


def _is_value(value: object) -> bool:
    if isinstance(value, list):
        return 0 < len(value) <= 100 and all(_is_text(one) for one in value)
    return isinstance(value, bool) or _is_text(value)


def checked_index(index: object, count: int) -> int:
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
        raise Invalid(f"chosen_index must be a whole number from 0 to {count - 1}.")
    return index
