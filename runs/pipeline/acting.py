"""Resolve, judge, then act on what was judged; once more from the start if it went away."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from browser import calls
from browser.acting import Done
from browser.calls import Pick
from browser.errors import Covered, Detached, NoMatch, NotEnabled
from browser.providers import BrowserRef
from browser.resolver import Resolution
from confidence import flags, precedents
from confidence.domain import selector
from confidence.domain.gate import Decision, GateDecision
from core import metrics
from core.sealing import unseal
from runs import services
from runs.models import Action, Run
from runs.pipeline.asking import ask_a_person
from runs.pipeline.confirming import (
    forbidden_for,
    hold_to_protocol,
    irreversible_presses,
    matters,
)
from runs.pipeline.expecting import expected_of
from runs.pipeline.judging import Judgement, decide_on, decide_without_target, judge
from runs.pipeline.outcomes import not_done
from runs.pipeline.resolving import note_timings, refs_of, refuse_missing, resolve
from runs.pipeline.uploads import with_files
from runs.targets import targets_of

TRIES = 3
REACHED_NOTHING = (Detached, Covered, NotEnabled)  # one press, and no control got it
PLAINLY = GateDecision(Decision.PROCEED, ("layer_disabled",))


def act(action: Action, ref: BrowserRef) -> None:
    if _layer_is_off(action):
        return _act_plainly(action, ref)
    with_secrets(action)  # a file that may not be read is refused before anything is looked at
    done = _done_or_asked(action, ref)
    if done is not None:
        services.show_typed(action, secret_fields=done.secret_fields)
        services.succeed(action, expected_of(action, ref, done))
    return None


def _done_or_asked(action: Action, ref: BrowserRef) -> Done | None:
    """None when a person was asked, or nothing was to be done. Only what goes away before it is
    acted on is judged again: once acted, never."""
    for attempt in range(1, TRIES + 1):
        try:
            return _judge_and_act(action, ref)
        except Detached:
            if attempt == TRIES:
                raise
            services.abandon_act(action)
    return None


def _judge_and_act(action: Action, ref: BrowserRef) -> Done | None:
    targets = targets_of(action.tool, action.params)
    resolutions = resolve(action, ref)
    refuse_missing(targets, resolutions)
    params = with_secrets(action)
    acts = irreversible_presses(action, ref, targets, resolutions, params=params)
    judgement = judge(action, ref, targets, resolutions, listed=acts)
    if action.dry_run:
        services.succeed(action, not_done(judgement.decision))
        return None
    before = hold_to_protocol(action, acts, judgement, resolutions)
    if judgement.decision.decision is Decision.PROPOSE:
        services.show_typed(action, secret_fields=_secret_fields(resolutions))
        ask_a_person(action, ref, targets, resolutions, judgement)
        return None
    indices = judgement.indices(resolutions)
    services.begin_act(action, indices=indices, shown=judgement.shown)
    if judgement.saves_review:
        precedents.count_saved_review(action.id)
    try:
        return _on_elements(action, ref, resolutions, indices)
    except REACHED_NOTHING:
        if before:
            services.give_back(action, before)
        raise


def _secret_fields(resolutions: Sequence[Resolution]) -> frozenset[int]:
    """Which targets (0-based) may be a field that holds secrets."""
    return frozenset(
        index
        for index, resolution in enumerate(resolutions)
        if any(one.is_secret for one in resolution.found)
    )


def _on_elements(
    action: Action, ref: BrowserRef, resolutions: Sequence[Resolution], indices: Sequence[int]
) -> Done:
    started = time.monotonic()
    try:
        return calls.act(
            ref,
            action.tool,
            with_secrets(action),
            [Pick(one, index) for one, index in zip(resolutions, indices, strict=True)],
            refs=refs_of(action),
            timeout_s=settings.ACTION_TIMEOUT_S,
            forbidden_for=forbidden_for(action),
        )
    finally:
        took_s = time.monotonic() - started
        metrics.observe("act", took_s)
        note_timings(action, act_ms=took_s * 1000)


def with_secrets(action: Action, *, sealed_changes: str = "") -> Mapping[str, Any]:
    """The call as it is carried out: typed text in the clear, files by their absolute paths, and
    what a reviewer changed of it."""
    typed, changes = unseal(action.sealed_params), unseal(sealed_changes)
    for index, value in changes.pop("values", {}).items():
        typed["fields"][int(index)]["value"] = value
    if options := changes.pop("options", None):
        typed["values"] = options
    return with_files(action, {**typed, **changes})


# --- without a target -------------------------------------------------------------------
def act_without_target(action: Action, ref: BrowserRef) -> None:
    """Nothing is resolved, so nothing is scored: the tier alone may send it to a person."""
    with_files(action, {})
    _refuse_without_chooser(action)
    decision = decide_without_target(action)
    if action.dry_run:
        services.succeed(action, not_done(decision))
    elif decision.decision is Decision.PROPOSE:
        ask_a_person(action, ref, [], [], Judgement((), decision))
    else:
        services.begin_act(action, indices=[])
        services.succeed(action, expected_of(action, ref, do_without_target(action, ref)))


def _refuse_without_chooser(action: Action) -> None:
    if action.tool == "browser_file_upload" and not _chooser_of(action):
        raise NoMatch("No file chooser is open: click the file field, or name it as target.")


def _chooser_of(action: Action) -> dict[str, Any]:
    anchor: dict[str, Any] = Run.objects.values_list("chooser", flat=True).get(pk=action.run_id)
    return anchor


def do_without_target(action: Action, ref: BrowserRef) -> Done:
    params = with_secrets(action)
    if action.tool == "browser_file_upload":
        return calls.upload_to_chooser(
            ref, _chooser_of(action), params["paths"], timeout_s=settings.ACTION_TIMEOUT_S
        )
    text = params.get("promptText", "")
    return calls.answer_next_dialog(ref, accept=params["accept"], text=text)


# --- the way without our layer ----------------------------------------------------------
def _layer_is_off(action: Action) -> bool:
    """The kill switch leads around our resolver; refs, dry runs, proposals and what a site's
    profile watches over still need it."""
    current = flags.current()
    if current.layer_is_on or action.dry_run or matters():
        return False
    targets = targets_of(action.tool, action.params)
    if any(selector.is_ref(target.words) for target in targets):
        return False
    return decide_on(action, None, current).decision is Decision.PROCEED


def _act_plainly(action: Action, ref: BrowserRef) -> None:
    services.note_judgement(action, None, PLAINLY)
    params = with_secrets(action)
    services.begin_act(action, indices=[0])
    done = calls.act_plainly(ref, action.tool, params, timeout_s=settings.ACTION_TIMEOUT_S)
    services.succeed(action, expected_of(action, ref, done))
