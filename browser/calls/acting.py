"""Acting on elements that were resolved, or on those a person approved."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame

from browser import acting, anchors, pointing, resolver, sessions
from browser.acting import Beginning, Done
from browser.acting import fields as field_acts
from browser.acting.done import verified
from browser.acting.form import Again
from browser.acting.guard import lower, refuse_unforeseen
from browser.anchors import Anchor
from browser.calls.identifying import ForbiddenFor, forbidden_in
from browser.calls.jobs import begun_or_not
from browser.errors import Covered, Detached, PageChanged, Unforeseen
from browser.frames import World
from browser.geometry import offset_of
from browser.providers import BrowserRef
from browser.resolver import Found, Resolution
from browser.sessions import Tab
from browser.setting_off import set_off_by_enter
from confidence.domain.confidence import MatchCandidate

ANSWER_HOLDS_S = 120
FIELD_S = 0.5  # what each field of a form adds to the time of the act


@dataclass(frozen=True)
class Pick:
    """What one target was resolved to, and which of it is acted on."""

    resolution: Resolution
    index: int


@dataclass(frozen=True)
class Approved:
    """One candidate as a person saw it, and where its element lives."""

    anchor: Anchor
    candidate: MatchCandidate


def act(
    ref: BrowserRef,
    tool: str,
    params: Mapping[str, Any],
    picks: Sequence[Pick],
    *,
    refs: Mapping[str, Any],
    timeout_s: float,
    forbidden_for: ForbiddenFor | None = None,
) -> Done:
    """Carry out a tool on the elements its targets mean, in the order of its targets.

    `forbidden_for` gives, by a document's address, selectors of what may not be pressed by the way.

    Raises Detached, Covered, NotEnabled when nothing was done, FormStopped when a form was left
    half filled in, Unforeseen when what is forbidden was met, OutcomeUnknown when that is unsure.
    """

    def aim(tab: Tab) -> tuple[list[Found], Again]:
        for pick in picks:
            _refuse_more(tab, pick.resolution, dict(refs))
        founds = [pick.resolution.found[pick.index] for pick in picks]
        return founds, lambda index: _found_again(tab, picks[index], dict(refs), timeout_s)

    forbidden = forbidden_in(ref, forbidden_for)
    return _acting(ref, tool, params, aim, forbidden=forbidden, timeout_s=timeout_s)


def _refuse_more(tab: Tab, resolution: Resolution, refs: dict[str, Any]) -> None:
    if not resolution.target:  # a point or the focus: the act itself looks again
        return
    if resolver.count_again(tab, resolution, refs) > resolution.match_count:
        raise Detached("More elements match now than when the target was judged.")


def _found_again(tab: Tab, pick: Pick, refs: dict[str, Any], timeout_s: float) -> Found:
    """The element that took the place of one, if nobody could tell the two apart."""
    before = pick.resolution
    now = resolver.find(tab, before.target, timeout_s=timeout_s, refs=refs)
    if now.match_count == before.match_count and pick.index < len(now.found):
        found = now.found[pick.index]
        if found.candidate.fingerprint == before.found[pick.index].candidate.fingerprint:
            return found
    raise Detached("The page put another element in its place.")


def _acting(
    ref: BrowserRef,
    tool: str,
    params: Mapping[str, Any],
    aim: Callable[[Tab], tuple[list[Found], Again]],
    *,
    forbidden: Mapping[Frame, Sequence[str]],
    timeout_s: float,
) -> Done:
    beginning = Beginning()

    def job(tab: Tab) -> Done:
        founds, again = aim(tab)
        tab.forbidden = forbidden
        try:
            done = acting.act(
                tab, tool, params, founds, again=again, beginning=beginning, timeout_s=timeout_s
            )
            refuse_unforeseen(tab)
        except (Covered, Unforeseen):
            lower(tab)
            raise
        lower(tab)  # not after other failures: a page that hangs would not answer
        return done

    fields_s = FIELD_S * len(params.get("fields", ()))
    return begun_or_not(ref, job, beginning, timeout_s=timeout_s + fields_s)


def act_plainly(ref: BrowserRef, tool: str, params: Mapping[str, Any], *, timeout_s: float) -> Done:
    """The way without our layer."""
    beginning = Beginning()

    def job(tab: Tab) -> Done:
        return acting.act_plainly(tab, tool, params, beginning=beginning, timeout_s=timeout_s)

    return begun_or_not(ref, job, beginning, timeout_s=timeout_s)


def act_on_approved(
    ref: BrowserRef,
    tool: str,
    params: Mapping[str, Any],
    *,
    approved: Sequence[Approved],
    page_url: str,
    timeout_s: float,
    forbidden_for: ForbiddenFor | None = None,
) -> Done:
    """Act on the very elements a person approved, if they still are what was seen.

    Raises PageChanged, and nothing was done, when the page was left or an element is gone, hidden,
    or not what it was.
    """

    def aim(tab: Tab) -> tuple[list[Found], Again]:
        if sessions.place_of(tab).url != page_url:
            raise PageChanged("The page was left since it was shown.")
        try:
            return [_approved_again(tab, one) for one in approved], _refuse_another
        except PlaywrightError as error:
            raise PageChanged("The page was left while it was looked at again.") from error

    forbidden = forbidden_in(ref, forbidden_for)
    return _acting(ref, tool, params, aim, forbidden=forbidden, timeout_s=timeout_s)


def _refuse_another(index: int) -> Found:
    raise Detached("The page put another element in the place of the approved one.")


def _approved_again(tab: Tab, approved: Approved) -> Found:
    world = anchors.hold(tab, approved.anchor)
    node = world.ask("describeHeld")
    if approved.candidate.visible and not node["visible"]:
        raise PageChanged("The element is no longer visible.")
    offset = offset_of(tab, world)
    now = resolver.candidate_of(tab, node, 0, world, offset, (0.0, 0.0))
    for name, words in (
        ("fingerprint", "The element is not what it was"),
        ("path", "The element stands elsewhere on the page"),
        ("context", "What surrounds the element has changed"),
    ):
        if getattr(now, name) != getattr(approved.candidate, name):
            raise PageChanged(f"{words} since it was shown.")
    _refuse_another_effect(approved.candidate, world)
    judged = replace(now, sets_off=approved.candidate.sets_off)
    return Found(judged, world, 0, offset, node["is_secret"])


def _refuse_another_effect(candidate: MatchCandidate, world: World) -> None:
    """The same field, but Enter in it would press something else than what was shown."""
    if candidate.sets_off is None:
        return
    if set_off_by_enter(world, 0) != candidate.sets_off:
        raise PageChanged("What Enter would press has changed since it was shown.")


def upload_to_chooser(
    ref: BrowserRef, anchor: Anchor, paths: Sequence[str], *, timeout_s: float
) -> Done:
    """Give files to the field whose chooser a press opened. Raises PageChanged when it is gone."""
    beginning = Beginning()

    def job(tab: Tab) -> Done:
        found = pointing.find(tab, pointing.Chosen(anchor), timeout_s=timeout_s).found[0]
        return field_acts.upload(tab, found, paths, beginning=beginning, timeout_s=timeout_s)

    return begun_or_not(ref, job, beginning, timeout_s=timeout_s)


def answer_next_dialog(ref: BrowserRef, *, accept: bool, text: str) -> Done:
    """Tell the run's keeper how to answer the next dialog; forgotten after two minutes."""
    order = {"accept": accept, "text": text, "until": time.time() + ANSWER_HOLDS_S}
    draft = Path(ref.folder) / "dialog.json.draft"
    draft.write_text(json.dumps(order))
    draft.rename(Path(ref.folder) / "dialog.json")
    how = "accepted" if accept else "dismissed"
    result = {"next_dialog": how, "holds_s": ANSWER_HOLDS_S}
    return Done(verified(f"The next dialog will be {how}."), result)
