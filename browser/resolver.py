"""From a target to real elements: every visible match in every frame, described and scored.

`find` never acts. What it returns holds on to the elements themselves, in the page's isolated
world, so the element that was scored is the element that is acted on.
"""

import hashlib
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser import snapshot
from browser.errors import InvalidSelector, TimedOut
from browser.frames import World, path_of, prepare, worlds_with
from browser.geometry import Offset, cover_above, offset_of
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
    """One described candidate and where its element is held."""

    candidate: MatchCandidate
    world: World
    position: int
    offset: Offset
    is_secret: bool = False


@dataclass
class Resolution:
    """What a target means on the page right now. Counts are of visible and of all matches."""

    target: str
    is_text_only: bool
    found: list[Found] = field(default_factory=list)
    worlds: list[World] = field(default_factory=list)
    match_count: int = 0
    total_count: int = 0
    appeared_after_ms: float = 0.0
    took_ms: float = 0.0

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
    look, waited_s = _until_visible(tab, target, timeout_s, refs or {})
    resolution.appeared_after_ms = round(waited_s * 1000, 1)
    if look.visible:
        for world in look.worlds[:1]:
            world.ask("settle")
        look = _look(tab, target, refs or {})
    _fill(tab, resolution, look)
    resolution.took_ms = round((time.monotonic() - started) * 1000, 1)
    return resolution


def count_again(tab: Tab, resolution: Resolution, refs: dict[str, Any]) -> int:
    """How many visible matches there are now; what `resolution` found stays held."""
    try:
        return sum(world.ask("survey", 0)["visible"] for world in _worlds_of(tab, resolution, refs))
    except PlaywrightError as error:
        if _went_away(error):
            return 0
        raise


def _worlds_of(tab: Tab, resolution: Resolution, refs: dict[str, Any]) -> list[World]:
    if selector_reading.is_ref(resolution.target):
        return [snapshot.hold(tab, resolution.target, refs)]
    return worlds_with(tab, _stash_everywhere(tab, resolution.target))


def is_there(tab: Tab, target: str) -> bool:
    """Whether the target means anything visible at this moment."""
    return bool(_look(tab, target, {}).visible)


def wait_until_interactive(tab: Tab, *, timeout_s: float) -> None:
    try:
        tab.page.wait_for_load_state("domcontentloaded", timeout=timeout_s * 1000)
    except PlaywrightTimeout as error:
        raise TimedOut("The page was still loading when the time was up.") from error


def _until_visible(
    tab: Tab, target: str, timeout_s: float, refs: dict[str, Any]
) -> tuple[_Look, float]:
    """The first look that sees a match, and how long after the first look it began, in s."""
    started = time.monotonic()
    while True:
        waited_s = time.monotonic() - started
        look = _look(tab, target, refs)
        if look.visible or waited_s > timeout_s:
            return look, waited_s
        tab.page.wait_for_timeout(STEP_MS)


def _look(tab: Tab, target: str, refs: dict[str, Any]) -> _Look:
    """Every match in every frame, stashed and described: one evaluate per frame that has any.

    A navigation in between empties the look; the caller looks again.
    """
    try:
        if selector_reading.is_ref(target):
            worlds = [snapshot.hold(tab, target, refs)]
        else:
            worlds = worlds_with(tab, _stash_everywhere(tab, target))
        return _Look(worlds, [world.ask("survey", DESCRIBED) for world in worlds])
    except PlaywrightError as error:
        if _went_away(error):
            return _Look([], [])
        raise


def _went_away(error: PlaywrightError) -> bool:
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


def _stash_everywhere(tab: Tab, target: str) -> dict[str, Frame]:
    look = tab.new_token()
    held: dict[str, Frame] = {}
    for number, frame in enumerate(tab.page.frames):
        token = f"{look}.{number}"
        if _stash(tab, frame, target, token):
            held[token] = frame
    return held


def _stash(tab: Tab, frame: Frame, target: str, token: str) -> int:
    try:
        return frame.locator(f"{_nested(target)} >> {tab.engine}=stash:{token}").count()
    except PlaywrightError as error:
        if any(sign in str(error) for sign in MALFORMED):
            raise InvalidSelector(_parser_words(error, tab.engine)) from error
        if frame != tab.page.main_frame and (_went_away(error) or frame.is_detached()):
            return 0
        raise


def _nested(target: str) -> str:
    """An open quote would swallow our own engine behind it."""
    ends_in_quote = selector_reading.ends_in_quote(target)
    return f":root >> internal:chain={json.dumps(target)}" if ends_in_quote else target


def _parser_words(error: PlaywrightError, engine: str) -> str:
    """What the parser said, without the part of ours that it read too."""
    first = str(error).split("\n")[0].removeprefix("Locator.count: ").removeprefix("Error: ")
    first = re.sub(rf"\s*>>\s*{engine}=stash:[\d.-]+", "", first)
    return f"This target cannot be read as a selector: {first[:300]}"


def check_selector(target: str) -> None:
    """Refuse what Playwright would silently take for something else. Raises InvalidSelector."""
    if problem := selector_reading.problem_of(target):
        raise InvalidSelector(f"This target cannot be read as a selector: {problem}")


def _fill(tab: Tab, resolution: Resolution, look: _Look) -> None:
    resolution.match_count, resolution.total_count = look.visible, look.total
    resolution.worlds = look.worlds
    page_scroll = scroll_of(tab, look)
    for world, survey in zip(look.worlds, look.surveys, strict=True):
        if not survey["candidates"]:
            continue
        offset = offset_of(tab, world)
        for node in survey["candidates"][: DESCRIBED - len(resolution.found)]:
            index = len(resolution.found)
            resolution.found.append(
                Found(
                    candidate=candidate_of(tab, node, index, world, offset, page_scroll),
                    world=world,
                    position=node["position"],
                    offset=offset,
                    is_secret=node["is_secret"],
                )
            )


def scroll_of(tab: Tab, look: _Look) -> tuple[float, float]:
    """How far the page itself is scrolled, in CSS px."""
    for world, survey in zip(look.worlds, look.surveys, strict=True):
        if world.frame == tab.page.main_frame:
            return survey["scroll"]["x"], survey["scroll"]["y"]
    metrics = tab.cdp.send("Page.getLayoutMetrics")["cssVisualViewport"]
    return metrics["pageX"], metrics["pageY"]


def candidate_of(
    tab: Tab,
    node: dict[str, Any],
    index: int,
    world: World,
    offset: Offset,
    page_scroll: tuple[float, float],
) -> MatchCandidate:
    """The described element in the page's own coordinates."""
    box, frame = node["box"], path_of(world.frame)
    in_view = is_in_viewport(tab, node["point"], offset)
    cover = node["covered_by"]
    if cover is None and in_view and frame:
        cover = cover_above(tab, world, offset, node["point"])
    return MatchCandidate(
        index=index,
        tag=node["tag"],
        role=node["role"] or "",
        name=node["name"],
        text=node["text"],
        attributes={**node["attributes"], **_without_query(node["attributes"])},
        box=Box(
            x=round(box["x"] + offset.x + page_scroll[0], 2),
            y=round(box["y"] + offset.y + page_scroll[1], 2),
            width=round(box["width"], 2),
            height=round(box["height"], 2),
        ),
        visible=node["visible"],
        enabled=node["enabled"],
        in_viewport=in_view,
        covered_by=Cover(tag=cover["tag"], text=cover["text"]) if cover else None,
        frame=frame,
        shadow=node["shadow"],
        path=node["path"],
        context=node["context"],
        fingerprint=fingerprint_of(node, frame),
    )


def is_in_viewport(tab: Tab, point: dict[str, float] | None, offset: Offset) -> bool:
    """A frame's own viewport may lie outside the page's."""
    if point is None:
        return False
    if offset == Offset():
        return True
    view = tab.cdp.send("Page.getLayoutMetrics")["cssLayoutViewport"]
    x, y = point["x"] + offset.x, point["y"] + offset.y
    return bool(0 <= x < view["clientWidth"] and 0 <= y < view["clientHeight"])


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
