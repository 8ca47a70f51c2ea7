"""Reading the page: for a person, for the agent, and to see whether it became what was meant."""

import fnmatch
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from browser import anchors, evidence, resolver, sessions, snapshot
from browser.anchors import Anchor
from browser.calls.jobs import SLACK_S, ask
from browser.evidence import Shot, WholeShot
from browser.providers import BrowserRef
from browser.resolver import Resolution
from browser.sessions import Place, Tab

TEXTS = 1_000
LOOK_STEP_MS = 80
FOUND_LINES = 50


@dataclass(frozen=True)
class Sight:
    """What a person needs to judge a call: picture, page, and where each candidate of each target
    lives."""

    shot: Shot
    url: str
    title: str
    digest: str
    anchors: list[list[Anchor]] = field(default_factory=list)
    snippet: str = ""


def see(ref: BrowserRef, resolutions: Sequence[Resolution], *, shown: int = 0) -> Sight:
    """The picture and everything else a proposal holds; the HTML is that around target `shown`."""

    def job(tab: Tab) -> Sight:
        state = evidence.page_state(tab)
        return Sight(
            shot=evidence.shoot(tab),
            url=state.url,
            title=state.title,
            digest=state.digest,
            anchors=[_anchors(resolution) for resolution in resolutions],
            snippet=_snippet(resolutions[shown]) if resolutions else "",
        )

    return ask(ref, job, timeout_s=SLACK_S)


def anchors_of(ref: BrowserRef, resolution: Resolution) -> list[Anchor]:
    """Where each described candidate lives, so that any worker finds it again."""
    return ask(ref, lambda _: _anchors(resolution), timeout_s=SLACK_S)


def _anchors(resolution: Resolution) -> list[Anchor]:
    return [anchors.anchor_of(one.world, one.position) for one in resolution.found]


def _snippet(resolution: Resolution) -> str:
    if not resolution.found:
        return ""
    first = resolution.found[0]
    return evidence.snippet_of(first.world, first.position)


def texts_of(ref: BrowserRef, resolution: Resolution) -> list[str]:
    """The visible text of every match, also of those that are not described."""

    def job(tab: Tab) -> list[str]:
        return [text for world in resolution.worlds for text in world.ask("texts", TEXTS)]

    return ask(ref, job, timeout_s=SLACK_S)


def take_snapshot(
    ref: BrowserRef, *, timeout_s: float, known: Mapping[str, Any] | None = None
) -> snapshot.Snapshot:
    """`known` is what the run's earlier snapshot said of its frames."""

    def job(tab: Tab) -> snapshot.Snapshot:
        resolver.wait_until_interactive(tab, timeout_s=timeout_s)
        return snapshot.take(tab, known=known)

    return ask(ref, job, timeout_s=timeout_s + SLACK_S)


def find_text(seen: snapshot.Snapshot, text: str) -> list[str]:
    """The lines of a snapshot that hold this text, with their refs."""
    wanted = " ".join(text.split()).casefold()
    lines = (line.strip() for line in seen.text.splitlines())
    return [line for line in lines if wanted in line.casefold()][:FOUND_LINES]


def shoot(ref: BrowserRef) -> Shot:
    return ask(ref, evidence.shoot, timeout_s=SLACK_S)


def shoot_whole(ref: BrowserRef) -> WholeShot:
    return ask(ref, evidence.shoot_whole, timeout_s=SLACK_S)


def where(ref: BrowserRef) -> Place:
    return ask(ref, sessions.place_of, timeout_s=SLACK_S)


# --- waiting ----------------------------------------------------------------------------
def wait_for_time(ref: BrowserRef, seconds: float) -> None:
    ask(ref, lambda tab: tab.page.wait_for_timeout(seconds * 1000), timeout_s=seconds + SLACK_S)


def wait_for_text(ref: BrowserRef, text: str, *, gone: bool, timeout_s: float) -> bool:
    """True as soon as the text is visible anywhere on the page (or nowhere, if `gone`)."""
    return _comes_true(ref, lambda tab: _shows(tab, text) is not gone, timeout_s=timeout_s)


def _shows(tab: Tab, text: str) -> bool:
    return any(_shows_in(frame, text) for frame in tab.page.frames)


def _shows_in(frame: Any, text: str) -> bool:
    try:
        return bool(frame.get_by_text(text).locator("visible=true").count())
    except PlaywrightError:
        return False  # the frame went away


def _comes_true(ref: BrowserRef, look: Callable[[Tab], bool], *, timeout_s: float) -> bool:
    def job(tab: Tab) -> bool:
        deadline = time.monotonic() + timeout_s
        while not look(tab):
            if time.monotonic() > deadline:
                return False
            tab.page.wait_for_timeout(LOOK_STEP_MS)
        return True

    return ask(ref, job, timeout_s=timeout_s + SLACK_S)


# --- what was expected ------------------------------------------------------------------
@dataclass(frozen=True)
class Expected:
    """Post-conditions of an act; empty ones say nothing. `url` is a glob over the whole address, or
    over path and query when it begins with a slash."""

    url: str = ""
    text: str = ""
    selector: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Expected":
        return cls(given.get("url", ""), given.get("text", ""), given.get("selector", ""))


def unmet(ref: BrowserRef, expected: Expected, *, timeout_s: float) -> list[str]:
    """Which of the conditions did not come true within `timeout_s`, by name."""
    missing: list[str] = []

    def look(tab: Tab) -> bool:
        missing[:] = [name for name, holds in _conditions(expected) if not holds(tab)]
        return not missing

    _comes_true(ref, look, timeout_s=timeout_s)
    return missing


def _conditions(expected: Expected) -> list[tuple[str, Callable[[Tab], bool]]]:
    conditions: list[tuple[str, Callable[[Tab], bool]]] = []
    if expected.url:
        conditions.append(("url", lambda tab: _is_at(sessions.place_of(tab).url, expected.url)))
    if expected.text:
        conditions.append(("text", lambda tab: _shows(tab, expected.text)))
    if expected.selector:
        conditions.append(("selector", lambda tab: resolver.is_there(tab, expected.selector)))
    return conditions


def _is_at(url: str, pattern: str) -> bool:
    if pattern.startswith("/"):
        parts = urlsplit(url)
        url = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return fnmatch.fnmatchcase(url, pattern)
