"""What a reviewer's changes make of a proposal: another element, another text. No row is written
here but the caller's."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from core import clock, sealing
from core.errors import Invalid
from core.sealing import MASK
from core.words import phrase
from proposals.domain import Changes, Starred
from proposals.models import Preview, Proposal

FRESH = timedelta(minutes=5)
NAMELESS_TARGETS = frozenset({"browser_mouse_click_xy", "browser_press_key"})


@dataclass(frozen=True)
class Change:
    """The targets to pick from, the changes with every pick named, and the columns they write."""

    targets: list[Starred]
    changes: Changes
    columns: Mapping[str, Any] = field(default_factory=dict)


def change_of(proposal: Proposal, changes: Changes) -> Change:
    """Raises Invalid for what this call cannot be changed into."""
    written = _sealed(proposal, changes)
    columns: dict[str, Any] = {"sealed_changes": sealing.seal(written)}
    if not (changes.selector or changes.preview):
        return Change(proposal.targets, changes, columns)
    columns |= _with_candidate(proposal, _preview(proposal, changes))
    shown = proposal.shown_field
    targets = proposal.targets or [Starred("target", -1, 0)]
    grown = replace(targets[shown], count=targets[shown].count + 1)
    targets = [grown if place == shown else one for place, one in enumerate(targets)]
    picks = {**changes.picks, shown: grown.count - 1}
    return Change(targets, replace(changes, picks=picks), columns)


# --- another element --------------------------------------------------------------------
def _preview(proposal: Proposal, changes: Changes) -> Preview:
    """What was looked up on the waiting page a moment ago, and came out as exactly one element."""
    if proposal.tool in NAMELESS_TARGETS or not proposal.anchors:
        raise Invalid(
            phrase("This call names no element by a selector: reject it and say what to do.")
        )
    recent = proposal.previews.filter(
        status=Preview.Status.DONE, answered_at__gt=clock.now() - FRESH
    )
    found = (
        recent.filter(pk=_uuid(changes.preview))
        if changes.preview
        else recent.filter(selector=changes.selector)
    ).first()
    if found is None:
        raise Invalid(phrase("Look it up on the page first: POST to the proposal's preview."))
    if found.candidate is None:
        raise Invalid(phrase("It must mean exactly one visible element; this one does not."))
    _refuse_raised_risk(proposal, found)
    return found


def _refuse_raised_risk(proposal: Proposal, preview: Preview) -> None:
    """A card that asked for no second act must not become one that cannot be undone."""
    if not proposal.is_irreversible and preview.is_irreversible:
        raise Invalid(
            phrase("What this element does cannot be undone: reject, and let the agent ask for it.")
        )


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Invalid("preview must be the id of a preview.") from None


def _with_candidate(proposal: Proposal, preview: Preview) -> dict[str, Any]:
    """The found element becomes one more candidate of the shown target; the others keep theirs."""
    shown = proposal.shown_field
    place = len(proposal.candidates)
    added = {**(preview.candidate or {}), "index": place, "added": True}
    held = proposal.match_confidence or {}
    confidence = {**held, "candidates": [*proposal.candidates, added]}
    anchors = [list(one) for one in proposal.anchors]
    anchors[shown].append(preview.anchors[0])
    columns: dict[str, Any] = {"match_confidence": confidence, "anchors": anchors}
    if proposal.fields:
        fields = [dict(one) for one in proposal.fields]
        fields[shown]["candidates"] = [*fields[shown]["candidates"], added]
        columns["fields"] = fields
    return columns


# --- another value ----------------------------------------------------------------------
def _sealed(proposal: Proposal, changes: Changes) -> dict[str, Any]:
    written: dict[str, Any] = {}
    if changes.text is not None:
        if proposal.tool != "browser_type":
            raise Invalid("This call types no text.")
        written["text"] = changes.text
    if changes.options is not None:
        if proposal.tool != "browser_select_option":
            raise Invalid("This call chooses no options.")
        written["options"] = list(changes.options)
    if changes.values:
        written["values"] = {str(index): value for index, value in changes.values.items()}
        _refuse_unknown_fields(proposal, changes.values)
    return written


def _refuse_unknown_fields(proposal: Proposal, values: Mapping[int, object]) -> None:
    fields = proposal.params.get("fields", ())
    for index, value in values.items():
        if not 0 <= index < len(fields):
            raise Invalid(f"There is no field {index} that takes a value.")
        _refuse_unlike(fields[index], value, index=index)


def _refuse_unlike(field: Mapping[str, Any], value: object, *, index: int) -> None:
    if field.get("type") == "file":
        raise Invalid(
            phrase(
                "Field {index} gets the agent's files: only the agent can send others.",
                index=index,
            )
        )
    if not _is_alike(field, value):
        raise Invalid(
            phrase("Field {index} takes a value of the kind that the agent gave it.", index=index)
        )


def _is_alike(field: Mapping[str, Any], value: object) -> bool:
    """Text for text, yes or no for that, a list for a list; a choice of options takes either."""
    if field.get("type") == "combobox":
        return not isinstance(value, bool)
    return type(value) is type(field.get("value"))


def shown(proposal: Proposal, modifications: Mapping[str, Any]) -> dict[str, Any]:
    """The modifications as they may be kept and seen: dots where the field holds secrets."""
    kept = dict(modifications)
    is_elsewhere = bool(kept.get("selector") or kept.get("preview"))  # it may hold secrets there
    if "text" in kept and (is_elsewhere or proposal.params.get("text") == MASK):
        kept["text"] = MASK
    if kept.get("fields"):
        kept["fields"] = [_shown_field(proposal, one) for one in kept["fields"]]
    return kept


def _shown_field(proposal: Proposal, one: Mapping[str, Any]) -> dict[str, Any]:
    fields = proposal.params.get("fields", ())
    is_known = one["index"] < len(fields)
    is_secret = is_known and fields[one["index"]].get("value") == MASK
    return {**one, "value": MASK} if is_secret and "value" in one else dict(one)
