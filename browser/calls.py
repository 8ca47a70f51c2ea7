"""Everything the pipeline asks of a run's browser, each one job in the Playwright thread.

What comes out is plain, but for a Resolution, which holds on to the elements it found. Nothing
here touches the database.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Response
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser import acting, anchors, evidence, resolver, sessions, snapshot
from browser.acting import Beginning, Done, Press
from browser.anchors import Anchor
from browser.errors import (
    BrowserLost,
    Detached,
    NavigationFailed,
    OutcomeUnknown,
    PageChanged,
    TimedOut,
)
from browser.evidence import Shot
from browser.frames import prepare
from browser.geometry import Offset, offset_of
from browser.providers import BrowserRef
from browser.resolver import Found, Resolution
from browser.sessions import Place, Tab
from confidence.domain.confidence import MatchCandidate
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome

Answer = TypeVar("Answer")
SLACK_S = 15  # attaching, settling and taking a picture, on top of an action's own time
TEXTS = 1_000


@dataclass(frozen=True)
class Sight:
    """What a person needs to judge a call: picture, page, and where each candidate lives."""

    shot: Shot
    url: str
    title: str
    digest: str
    anchors: list[Anchor] = field(default_factory=list)
    snippet: str = ""


def _ask(ref: BrowserRef, job: Callable[[Tab], Answer], *, timeout_s: float) -> Answer:
    """Run a job that only reads. Raises Detached or TimedOut when the page does not hold still."""
    try:
        return sessions.call(ref, job, timeout_s=timeout_s)
    except PlaywrightTimeout as error:
        raise TimedOut("The page did not answer in time.") from error
    except PlaywrightError as error:
        raise Detached("The page was left while it was read.") from error


def _answers(tab: Tab) -> None:
    """A page whose scripts never end answers nothing: found out here, before more is lost."""
    tab.cdp.send("Runtime.evaluate", {"expression": "1"})


def resolve(
    ref: BrowserRef, target: str, *, timeout_s: float, refs: Mapping[str, Any]
) -> Resolution:
    """Every element the target may mean, described. The elements stay held for `act`."""
    resolver.check_selector(target)

    def job(tab: Tab) -> Resolution:
        return resolver.find(tab, target, timeout_s=timeout_s, refs=dict(refs))

    _ask(ref, lambda _: None, timeout_s=SLACK_S + timeout_s)  # attaching takes its own time
    _ask(ref, _answers, timeout_s=timeout_s)
    return _ask(ref, job, timeout_s=timeout_s + SLACK_S)


def act(
    ref: BrowserRef,
    tool: str,
    params: Mapping[str, Any],
    resolution: Resolution,
    index: int,
    *,
    refs: Mapping[str, Any],
    timeout_s: float,
) -> Done:
    """Click or type on one element that was resolved.

    Raises Detached, Covered, NotEnabled when nothing was done, OutcomeUnknown when that is unsure.
    """

    def aim(tab: Tab) -> Found:
        if resolver.count_again(tab, resolution, dict(refs)) > resolution.match_count:
            raise Detached("More elements match now than when the target was judged.")
        return resolution.found[index]

    return _acting(ref, tool, params, aim, timeout_s=timeout_s)


def _acting(
    ref: BrowserRef,
    tool: str,
    params: Mapping[str, Any],
    aim: Callable[[Tab], Found],
    *,
    timeout_s: float,
) -> Done:
    beginning = Beginning()

    def job(tab: Tab) -> Done:
        return _act(tab, tool, params, aim(tab), beginning=beginning, timeout_s=timeout_s)

    return _begun_or_not(ref, job, beginning, timeout_s=timeout_s)


def _begun_or_not(
    ref: BrowserRef, job: Callable[[Tab], Done], beginning: Beginning, *, timeout_s: float
) -> Done:
    """Run an act. What fails before it began was not done; what fails after that is unknown."""
    try:
        return sessions.call(ref, job, timeout_s=timeout_s + SLACK_S)
    except (PlaywrightError, BrowserLost, TimedOut, Detached) as error:
        if not beginning.give_up():
            raise OutcomeUnknown(
                "The page stopped answering in the middle of the act: it may have happened."
            ) from error
        if isinstance(error, PlaywrightTimeout):
            raise TimedOut("The target did not appear in time.") from error
        if isinstance(error, PlaywrightError):
            raise Detached("The page was left before it could be acted on.") from error
        raise


def _act(
    tab: Tab,
    tool: str,
    params: Mapping[str, Any],
    found: Found,
    *,
    beginning: Beginning,
    timeout_s: float,
) -> Done:
    if tool == "browser_click":
        return acting.press(tab, found, press_of(params), beginning=beginning, timeout_s=timeout_s)
    return acting.write(
        tab,
        found,
        params["text"],
        slowly=bool(params.get("slowly")),
        submit=bool(params.get("submit")),
        beginning=beginning,
        timeout_s=timeout_s,
    )


def act_plainly(ref: BrowserRef, tool: str, params: Mapping[str, Any], *, timeout_s: float) -> Done:
    """The way without our layer: Playwright's own call, first match, nothing scored or verified."""
    beginning = Beginning()

    def job(tab: Tab) -> Done:
        tab.page.wait_for_selector(params["target"], timeout=timeout_s * 1000)
        beginning.begin()
        _act_plainly(tab, tool, params, timeout_ms=timeout_s * 1000)
        place = sessions.place_of(tab)
        outcome = VerifiedOutcome(OutcomeKind.UNVERIFIED, True, "The layer is off: not verified.")
        return Done(outcome, {"url": place.url}, place)

    return _begun_or_not(ref, job, beginning, timeout_s=timeout_s)


def _act_plainly(tab: Tab, tool: str, params: Mapping[str, Any], *, timeout_ms: float) -> None:
    target = params["target"]
    if tool == "browser_click":
        how = press_of(params)
        tab.page.click(
            target,
            button=how.button,  # type: ignore[arg-type]  # checked at the door
            click_count=how.count,
            modifiers=list(how.modifiers),  # type: ignore[arg-type]
            timeout=timeout_ms,
        )
        return
    tab.page.fill(target, params["text"], timeout=timeout_ms)
    if params.get("submit"):
        tab.page.press(target, "Enter", timeout=timeout_ms)


def press_of(params: Mapping[str, Any]) -> Press:
    return Press(
        button=params.get("button", "left"),
        count=2 if params.get("doubleClick") else 1,
        modifiers=tuple(params.get("modifiers", ())),
    )


def see(ref: BrowserRef, resolution: Resolution | None) -> Sight:
    """The picture and everything else a proposal holds."""

    def job(tab: Tab) -> Sight:
        found = resolution.found if resolution else []
        state = evidence.page_state(tab)
        return Sight(
            shot=evidence.shoot(tab),
            url=state.url,
            title=state.title,
            digest=state.digest,
            anchors=[anchors.anchor_of(one.world, one.position) for one in found],
            snippet=evidence.snippet_of(found[0].world, found[0].position) if found else "",
        )

    return _ask(ref, job, timeout_s=SLACK_S)


def act_on_approved(
    ref: BrowserRef,
    tool: str,
    params: Mapping[str, Any],
    *,
    anchor: Anchor,
    approved: MatchCandidate,
    page_url: str,
    timeout_s: float,
) -> Done:
    """Act on the very element a person approved, if it still is what they saw.

    Raises PageChanged, and nothing was done, when the page was left or the element is gone, hidden,
    or not what it was.
    """

    def aim(tab: Tab) -> Found:
        if sessions.place_of(tab).url != page_url:
            raise PageChanged("The page was left since it was shown.")
        try:
            return _approved_again(tab, anchor, approved)
        except PlaywrightError as error:
            raise PageChanged("The page was left while it was looked at again.") from error

    return _acting(ref, tool, params, aim, timeout_s=timeout_s)


def _approved_again(tab: Tab, anchor: Anchor, approved: MatchCandidate) -> Found:
    world = anchors.hold(tab, anchor)
    survey = world.ask("survey", 1)
    if not survey["candidates"]:
        raise PageChanged("The element is no longer visible.")
    offset: Offset = offset_of(tab, world)
    node = survey["candidates"][0]
    now = resolver.candidate_of(tab, node, 0, world, offset, (0.0, 0.0))
    for name, words in (
        ("fingerprint", "The element is not what it was"),
        ("path", "The element stands elsewhere on the page"),
        ("context", "What surrounds the element has changed"),
    ):
        if getattr(now, name) != getattr(approved, name):
            raise PageChanged(f"{words} since it was shown.")
    return Found(now, world, 0, offset, node["is_secret"])


def navigate(ref: BrowserRef, url: str, *, timeout_s: float) -> Done:
    """Open an address. Raises NavigationFailed with the browser's own reason."""

    def job(tab: Tab) -> Done:
        prepare(tab)
        try:
            answer = _goto(tab, url, timeout_s=timeout_s)
        except PlaywrightError as error:
            if any(sign in str(error) for sign in sessions.LOST):
                raise
            raise NavigationFailed(_reason(error, url)) from error
        status = answer.status if answer else None
        kind = OutcomeKind.VERIFIED if status is None or status < 400 else OutcomeKind.UNVERIFIED
        place = sessions.place_of(tab)
        return Done(
            VerifiedOutcome(kind, True, f"The page answered with status {status or 'none'}."),
            {"url": place.url, "title": place.title, "status": status},
            place,
        )

    return sessions.call(ref, job, timeout_s=timeout_s + SLACK_S)


def _goto(tab: Tab, url: str, *, timeout_s: float) -> Response | None:
    """A page that keeps reloading itself interrupts the first tries."""
    for tries_left in (2, 1, 0):
        try:
            return tab.page.goto(url, wait_until="domcontentloaded", timeout=timeout_s * 1000)
        except PlaywrightError as error:
            if not tries_left or "interrupted by another navigation" not in str(error):
                raise
    return None


def _reason(error: PlaywrightError, url: str) -> str:
    if isinstance(error, PlaywrightTimeout):
        return "The page did not load in time."
    first = str(error).split("\n")[0].removeprefix("Page.goto: ")
    return f"The address could not be opened: {first.replace(url, '').removesuffix(' at ')}"[:300]


def texts_of(ref: BrowserRef, resolution: Resolution) -> list[str]:
    """The visible text of every match, also of those that are not described."""

    def job(tab: Tab) -> list[str]:
        return [text for world in resolution.worlds for text in world.ask("texts", TEXTS)]

    return _ask(ref, job, timeout_s=SLACK_S)


def take_snapshot(ref: BrowserRef, *, timeout_s: float) -> snapshot.Snapshot:
    def job(tab: Tab) -> snapshot.Snapshot:
        resolver.wait_until_interactive(tab, timeout_s=timeout_s)
        return snapshot.take(tab)

    return _ask(ref, job, timeout_s=timeout_s + SLACK_S)


def shoot(ref: BrowserRef) -> Shot:
    return _ask(ref, evidence.shoot, timeout_s=SLACK_S)


def where(ref: BrowserRef) -> Place:
    return _ask(ref, sessions.place_of, timeout_s=SLACK_S)


def adopt(ref: BrowserRef) -> BrowserRef:
    """Attach to a fresh browser and learn which tab is the run's own. Raises BrowserLost."""

    def job(tab: Tab) -> str:
        prepare(tab)
        return str(tab.cdp.send("Target.getTargetInfo")["targetInfo"]["targetId"])

    return replace(ref, target=_ask(ref, job, timeout_s=SLACK_S))


def forget(ref: BrowserRef) -> None:
    """Detach from a browser that is about to end."""
    sessions.forget(ref)
