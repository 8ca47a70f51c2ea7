"""From a target to real elements: every visible match in every frame, described and scored.

`find` never acts. What it returns holds on to the elements themselves, in the page's isolated
world, so the element that was scored is the element that is acted on.
"""

import hashlib
import itertools
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser import snapshot
from browser.errors import InvalidSelector, TimedOut
from browser.frames import World, counts_in, path_of, prepare, worlds_with
from browser.geometry import Offset, View, covers_above, is_shown, offset_of, view_of
from browser.sessions import Tab
from confidence.domain import selector as selector_reading
from confidence.domain.confidence import Box, Cover, MatchCandidate

DESCRIBED = 10
STEP_MS = 40
MALFORMED = (
    "while parsing",
    "Unknown engine",
    "InvalidSelectorError",
    "SyntaxError",
    "is not a valid",
    "Unexpected token",
    "Malformed",
    "selector cannot be",
    "Error while parsing selector",
)
FIELDS = frozenset({"input", "select", "textarea"})
IDENTITY = ("id", "name", "type", "data-testid", "aria-label", "href", "placeholder", "title")


@dataclass
class Found:
    """One described candidate and where its element is held. `box` is where it stood in its own
    frame, once the page had settled."""

    candidate: MatchCandidate
    world: World
    position: int
    offset: Offset
    is_secret: bool = False
    box: Mapping[str, float] | None = None


@dataclass
class Resolution:
    """What a target means on the page right now. Counts are of visible and of all matches.
    `page_url` is the address of the page around all frames."""

    target: str
    is_text_only: bool
    found: list[Found] = field(default_factory=list)
    worlds: list[World] = field(default_factory=list)
    match_count: int = 0
    total_count: int = 0
    appeared_after_ms: float = 0.0
    took_ms: float = 0.0
    page_url: str = ""

    @property
    def candidates(self) -> list[MatchCandidate]:
        return [found.candidate for found in self.found]


@dataclass(frozen=True)
class _Look:
    worlds: list[World]
    surveys: list[dict[str, Any]]

    @property
    def visible(self) -> int:
        return sum(survey["visible"] for survey in self.surveys)

    @property
    def total(self) -> int:
        return sum(survey["total"] for survey in self.surveys)


class _Search:
    """One target, looked for again and again. What a turn finds takes the place of what the last
    one found: a search holds one set of elements in each frame."""

    def __init__(self, tab: Tab, target: str, refs: dict[str, Any]) -> None:
        self.tab = tab
        self.target = target
        self.refs = refs
        self._token = tab.new_token()
        self._tokens: dict[Frame, str] = {}
        self._turns = itertools.count()

    @property
    def places(self) -> list[list[Frame]]:
        """Where to look one after another until something is seen. A ref knows its own frame."""
        frames = self.tab.page.frames
        is_ref = selector_reading.is_ref(self.target)
        return [frames] if is_ref else [[frame] for frame in frames]

    def worlds(self, frames: list[Frame]) -> list[World]:
        """Our world in each of the frames that hold a match. Raises StaleRef."""
        if selector_reading.is_ref(self.target):
            return [snapshot.hold(self.tab, self.target, self.refs, token=self._token)]
        turn = next(self._turns)
        stash = {
            frame: f"{self.tab.engine}=stash:{self._token_in(frame)}:{turn}" for frame in frames
        }
        selectors = {frame: f"{_nested(self.target)} >> {stash[frame]}" for frame in frames}
        counts = counts_in(self.tab, selectors)
        found = [frame for frame in frames if _matches(self.tab, frame, counts[frame])]
        return worlds_with(self.tab, {self._token_in(frame): frame for frame in found})

    def _token_in(self, frame: Frame) -> str:
        return self._tokens.setdefault(frame, f"{self._token}.{len(self._tokens)}")


def find(
    tab: Tab, target: str, *, timeout_s: float, refs: dict[str, Any] | None = None
) -> Resolution:
    """Wait up to `timeout_s` for a visible match, let the page settle, then describe them all.

    `refs` is what the run's latest snapshot said of its frames. Raises InvalidSelector, StaleRef,
    TimedOut. No match is not an error here: `match_count` is 0.
    """
    started = time.monotonic()
    prepare(tab)
    wait_until_interactive(tab, timeout_s=timeout_s)
    resolution = Resolution(target, selector_reading.is_text_only(target))
    look, waited_s = _until_visible(_Search(tab, target, refs or {}), timeout_s)
    resolution.appeared_after_ms = round(waited_s * 1000, 1)
    _fill(tab, resolution, look)
    resolution.took_ms = round((time.monotonic() - started) * 1000, 1)
    return resolution


def count_again(tab: Tab, resolution: Resolution, refs: dict[str, Any]) -> int:
    """How many visible matches there are now; what `resolution` found stays held."""
    search = _Search(tab, resolution.target, refs)
    try:
        worlds = search.worlds(tab.page.frames)
        return sum(_seen(tab, world, world.ask("tally"))["visible"] for world in worlds)
    except PlaywrightError as error:
        if _went_away(error):
            return 0
        raise


def is_there(tab: Tab, target: str) -> bool:
    """Whether the target means anything visible at this moment."""
    return _glance(_Search(tab, target, {}))


def wait_until_interactive(tab: Tab, *, timeout_s: float) -> None:
    try:
        tab.page.wait_for_load_state("domcontentloaded", timeout=timeout_s * 1000)
    except PlaywrightTimeout as error:
        raise TimedOut("The page was still loading when the time was up.") from error


def _until_visible(search: _Search, timeout_s: float) -> tuple[_Look, float]:
    """The look at what was seen and has settled, and when it was first seen, in s from now.

    The last look when the time is up, whatever it saw.
    """
    started = time.monotonic()
    while True:
        waited_s = time.monotonic() - started
        is_seen, is_over = _glance(search), waited_s > timeout_s
        if is_seen or is_over:
            look = _look(search)
            if look.visible or is_over:
                return look, waited_s
        search.tab.page.wait_for_timeout(STEP_MS)


def _glance(search: _Search) -> bool:
    """Is anything visible? The first frame that shows something is enough; the page has had two
    frames to settle then."""
    try:
        for frames in search.places:
            for world in search.worlds(frames):
                if _seen(search.tab, world, world.ask("glance"))["visible"]:
                    return True
    except PlaywrightError as error:
        if not _went_away(error):
            raise
    return False


def _look(search: _Search) -> _Look:
    """Every match in every frame, stashed and described: one evaluate per frame that has any.

    A navigation in between empties the look; the caller looks again.
    """
    tab = search.tab
    try:
        worlds = search.worlds(tab.page.frames)
        return _Look(
            worlds, [_seen(tab, world, world.ask("survey", DESCRIBED)) for world in worlds]
        )
    except PlaywrightError as error:
        if _went_away(error):
            return _Look([], [])
        raise


def _seen(tab: Tab, world: World, told: dict[str, Any]) -> dict[str, Any]:
    """What a frame told of its matches; nothing of it is visible where nobody sees the frame."""
    if told["visible"] and not is_shown(tab, world, told["shown_above"]):
        return {**told, "visible": 0, "candidates": []}
    return told


def _went_away(error: BaseException) -> bool:
    text = str(error)
    return any(
        sign in text
        for sign in (
            "context was destroyed",
            "Cannot find context",
            "detached",
            "navigat",
            "has been closed",  # a frame in a process of its own; a lost browser shows later
        )
    )


def _matches(tab: Tab, frame: Frame, counted: int | BaseException) -> bool:
    """Whether this frame holds any match. Raises what the count failed with, InvalidSelector for a
    malformed target."""
    if not isinstance(counted, BaseException):
        return counted > 0
    if any(sign in str(counted) for sign in MALFORMED):
        raise InvalidSelector(_parser_words(counted, tab.engine)) from counted
    is_gone = _went_away(counted) or frame.is_detached()
    if frame != tab.page.main_frame and is_gone:
        return False
    raise counted


def _nested(target: str) -> str:
    """Where something appended would be taken for a part of the target itself."""
    if selector_reading.is_closed(target):
        return target
    return f":root >> internal:chain={json.dumps(target)}"


def _parser_words(error: BaseException, engine: str) -> str:
    """What the parser said, without the part of ours that it read too."""
    first = str(error).split("\n")[0].removeprefix("Locator.count: ").removeprefix("Error: ")
    first = re.sub(rf"\s*>>\s*{engine}=stash:[\d.:-]+", "", first)
    return f"This target cannot be read as a selector: {first[:300]}"


def check_selector(target: str) -> None:
    """Refuse what Playwright would silently take for something else. Raises InvalidSelector."""
    if problem := selector_reading.problem_of(target):
        raise InvalidSelector(f"This target cannot be read as a selector: {problem}")


def _fill(tab: Tab, resolution: Resolution, look: _Look) -> None:
    resolution.match_count, resolution.total_count = look.visible, look.total
    resolution.worlds = look.worlds
    for world, survey in zip(look.worlds, look.surveys, strict=True):
        nodes = survey["candidates"][: DESCRIBED - len(resolution.found)]
        if nodes:
            view = _view_in(tab, look)
            resolution.found += _found_in(tab, world, nodes, view, first=len(resolution.found))


def _view_in(tab: Tab, look: _Look) -> View:
    """The page's viewport. The page's own frame tells it without being asked, if it has a match."""
    for world, survey in zip(look.worlds, look.surveys, strict=True):
        if world.frame == tab.page.main_frame:
            return View(**survey["view"])
    return view_of(tab)


def _found_in(
    tab: Tab, world: World, nodes: list[dict[str, Any]], view: View, *, first: int
) -> list[Found]:
    """The described elements of one frame, in the page's own coordinates."""
    offset = offset_of(tab, world)
    covers = _covers_of(tab, world, offset, nodes, view)
    return [
        Found(
            candidate=_candidate(node, index, world, offset, view, cover),
            world=world,
            position=node["position"],
            offset=offset,
            is_secret=node["is_secret"],
            box=node["box"],
        )
        for index, (node, cover) in enumerate(zip(nodes, covers, strict=True), first)
    ]


def _covers_of(
    tab: Tab, world: World, offset: Offset, nodes: list[dict[str, Any]], view: View
) -> list[dict[str, Any] | None]:
    """What lies on each: in its own frame, else above it where the viewport shows the frame."""
    is_open = [node["covered_by"] is None and view.shows(node["point"], offset) for node in nodes]
    points = [node["point"] for node, asked in zip(nodes, is_open, strict=True) if asked]
    above = iter(covers_above(tab, world, offset, points))
    return [
        next(above) if asked else node["covered_by"]
        for node, asked in zip(nodes, is_open, strict=True)
    ]


def candidate_of(
    tab: Tab,
    node: dict[str, Any],
    index: int,
    world: World,
    offset: Offset,
    page_scroll: tuple[float, float],
) -> MatchCandidate:
    """One described element in the page's own coordinates."""
    shown = view_of(tab)
    view = replace(shown, x=page_scroll[0], y=page_scroll[1])
    cover = _covers_of(tab, world, offset, [node], view)[0]
    return _candidate(node, index, world, offset, view, cover)


def _candidate(
    node: dict[str, Any],
    index: int,
    world: World,
    offset: Offset,
    view: View,
    cover: dict[str, Any] | None,
) -> MatchCandidate:
    box, frame = node["box"], path_of(world.frame)
    return MatchCandidate(
        index=index,
        tag=node["tag"],
        role=node["role"] or "",
        name=node["name"],
        text=node["text"],
        attributes={**node["attributes"], **_without_query(node["attributes"])},
        box=Box(
            x=round(box["x"] + offset.x + view.x, 2),
            y=round(box["y"] + offset.y + view.y, 2),
            width=round(box["width"], 2),
            height=round(box["height"], 2),
        ),
        visible=node["visible"],
        enabled=node["enabled"],
        in_viewport=view.shows(node["point"], offset),
        covered_by=Cover(tag=cover["tag"], text=cover["text"]) if cover else None,
        frame=frame,
        shadow=node["shadow"],
        path=node["path"],
        context=node["context"],
        fingerprint=fingerprint_of(node, frame),
    )


def is_in_viewport(tab: Tab, point: dict[str, float] | None, offset: Offset) -> bool:
    """Of a point of a frame: whether the page shows it now."""
    if offset == Offset():
        return point is not None
    return view_of(tab).shows(point, offset)


def _without_query(attributes: dict[str, str]) -> dict[str, str]:
    """A link's query may hold secrets: people see that there is one, the fingerprint knows it."""
    href = attributes.get("href")
    return {"href": href.partition("?")[0] + "?…"} if href and "?" in href else {}


def fingerprint_of(node: dict[str, Any], frame: str) -> str:
    """A stable hash of what makes this element itself, wherever it stands on the page."""
    text = "" if node["tag"] in FIELDS else node["text"]  # a list's text is that of its options
    parts = [node["tag"], node["role"], node["name"], text, frame, node["shadow"]]
    parts += [node["attributes"].get(name) for name in IDENTITY]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]
