"""What a call is about to press, by whatever way, held against what was asked."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from browser import calls
from browser.calls import ForbiddenFor
from browser.identifying import ElementRule, Hit, PageRules
from browser.presses import press_of
from browser.providers import BrowserRef
from browser.resolver import Resolution
from confidence import flags
from confidence.domain import risk
from confidence.domain.candidate import printable
from confirmations import profiles
from confirmations.domain.elements import is_one_of
from confirmations.domain.latch import Latch, is_gated
from confirmations.domain.modes import Mode, strictest
from confirmations.domain.profile import Profile
from confirmations.domain.screens import screen_of_url
from runs import services
from runs.models import Action, Run
from runs.pipeline.judging import Judgement
from runs.services import ConfirmationRequired, IrreversibleAct
from runs.targets import Target

MOST_LOOKED_AT = 20

Acts = Mapping[tuple[int, int], IrreversibleAct]


def mode_on(run: Run, url: str) -> Mode:
    """The strictest that anybody wants for a page."""
    profile = profiles.attached(url)
    return strictest(
        [
            flags.current().confirmation_mode,
            run.agent.confirmation_mode,
            profile.mode if profile else None,
            run.confirmation_mode,
        ]
    )


def asked_on(run: Run, ref: BrowserRef, url: str) -> tuple[str, Mode]:
    """The screen that a question is about, and who must answer it. A page may hold the site that
    matters in a frame: its screen comes before one where nothing is to be asked, and a stricter
    mode of it holds."""
    own = calls.screen(ref, rules_for=rules_for)
    framed = calls.screens_in_frames(ref, rules_for=rules_for) if profiles.current() else []
    named = [one for one in (own, *(hit.screen_id for hit in framed)) if one]
    gated = [one for one in named if is_gated(one)]
    screen_id = next(iter([*gated, *named]), "") or screen_of_url(url)
    return screen_id, strictest([mode_on(run, one) for one in (url, *(hit.url for hit in framed))])


def rules_for(url: str) -> PageRules | None:
    """What the profile of a page says, in the browser's words."""
    profile = profiles.attached(url)
    return rules_of(profile, url) if profile else None


def rules_of(profile: Profile, url: str) -> PageRules:
    return PageRules(
        screens=tuple((one.id, one.selector) for one in profile.screens_for(url)),
        elements=tuple(ElementRule(one.id, one.selector, one.row) for one in profile.elements),
    )


def matters() -> bool:
    """Whether anybody could be held to the protocol: the page is asked only then."""
    return bool(profiles.current()) or flags.current().confirm_unknown_sites


def irreversible_presses(
    action: Action,
    ref: BrowserRef,
    targets: Sequence[Target],
    resolutions: Sequence[Resolution],
    *,
    params: Mapping[str, Any],
) -> Acts:
    """What each candidate would press that cannot be taken back, by target and candidate. `params`
    in the clear: a masked key does not say what it presses."""
    if not matters():
        return {}
    acts = {}
    for number, (target, resolution) in enumerate(zip(targets, resolutions, strict=True)):
        how = press_of(action.tool, params, target.name)
        if how is None:
            continue
        for index in _visible(resolution):
            hit = calls.hits(ref, resolution, index, how, rules_for=rules_for)
            if act := _act_of(hit, action.run):
                acts[number, index] = act
    return _as_clicks(action, acts)


def _as_clicks(action: Action, acts: Acts) -> Acts:
    """A drag within one control is one click of it. What another button, or a drag elsewhere, does
    only the page knows: refused like a click where it must be, but no honest agent is marked."""
    if action.tool == "browser_drag":
        ends = [{act.element_id for (end, _), act in acts.items() if end == n} for n in (0, 1)]
        return {
            (end, index): replace(act, is_listed=act.is_listed and act.element_id in ends[1 - end])
            for (end, index), act in acts.items()
            if end == 0 or act.element_id not in ends[0]
        }
    if action.params.get("button", "left") == "left":
        return acts
    return {place: replace(act, is_listed=False) for place, act in acts.items()}


def _visible(resolution: Resolution) -> list[int]:
    seen = [index for index, one in enumerate(resolution.candidates) if one.visible]
    return seen[:MOST_LOOKED_AT]


def _act_of(hit: Hit, run: Run) -> IrreversibleAct | None:
    """Where a profile attaches it alone says what cannot be taken back."""
    screen_id = hit.screen_id or screen_of_url(hit.url)
    if profile := profiles.attached(hit.url):
        listed = (one for one in hit.element_ids if profile.is_irreversible(one))
        element_id = next(listed, "")
        return IrreversibleAct(screen_id, element_id, mode_on(run, hit.url)) if element_id else None
    if not flags.current().confirm_unknown_sites:
        return None
    feared = next((one for one in hit.controls if risk.looks_irreversible(one)), None)
    if feared is None:
        return None
    mode = strictest([mode_on(run, hit.url), Mode.BLOCK])
    said = printable(feared.name) or printable(feared.text) or feared.tag
    return IrreversibleAct(screen_id, said.replace(",", " "), mode, is_listed=False)


def hold_to_protocol(
    action: Action, acts: Acts, judgement: Judgement, resolutions: Sequence[Resolution]
) -> Latch | None:
    """The state whose token the call uses up, where it is one press. Raises ConfirmationRequired
    where the mode refuses what was not asked about."""
    picks = judgement.picks(resolutions)
    verdicts = services.judge_acts(action, _about_to_be_pressed(acts, picks))
    if any(verdict.is_refused for verdict in verdicts):
        raise ConfirmationRequired(
            f"{action.element_id} cannot be taken back, and it was not asked about: send "
            "needs_confirmation on this screen and act in a later step. Nothing was done, but a "
            "violation that `confirmation` shows stays on this run."
        )
    return verdicts[0].before if len(verdicts) == len(resolutions) == 1 else None


def _about_to_be_pressed(acts: Acts, picks: Sequence[int | None]) -> list[IrreversibleAct]:
    """Where a person is yet to pick, nothing of it is the agent's choice: it is refused as if it
    were, but never latched."""
    pressed = []
    for number, index in enumerate(picks):
        if index is None:
            pressed += _feared(acts, number)
        elif (number, index) in acts:
            pressed.append(acts[number, index])
    return pressed


def _feared(acts: Acts, number: int) -> list[IrreversibleAct]:
    of_target = (act for (target, _), act in acts.items() if target == number)
    refused = next((act for act in of_target if act.mode.refuses), None)
    return [replace(refused, is_listed=False)] if refused else []


def forbidden_for(action: Action) -> ForbiddenFor | None:
    """What may not be pressed by the way: the page may have changed since it was looked at."""
    if not profiles.current():
        return None
    judged = action.element_id.split(", ")
    is_marked = services.requirement_of_run(action.run).is_on

    def selectors(url: str) -> tuple[str, ...]:
        profile = profiles.attached(url)
        if profile is None or not (is_marked or mode_on(action.run, url).refuses):
            return ()
        listed = (one for one in profile.elements if one.id in profile.irreversible)
        return tuple(one.selector for one in listed if not _was_judged(one.id, judged))

    return selectors


def _was_judged(rule_id: str, judged: Sequence[str]) -> bool:
    return any(is_one_of(element_id, [rule_id]) for element_id in judged)
