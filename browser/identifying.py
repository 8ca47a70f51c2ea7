"""Which controls an input would really press, and what the rules of their site call them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from playwright.sync_api import Frame

from browser.errors import Detached
from browser.frames import World, path_of
from browser.geometry import offset_of
from browser.presses import Press, Way
from browser.resolver import Found, fingerprint_of
from browser.sessions import Tab
from confidence.domain.confidence import MatchCandidate

# Documents that stand at no address: they belong to the page around them.
_WRITTEN_BY_A_PAGE = ("about:", "data:", "blob:")


@dataclass(frozen=True)
class ElementRule:
    """A CSS selector and the id of what it finds; `[N]` in that is the place of its row, from 0,
    among all that `row` finds."""

    id: str
    selector: str
    row: str = ""


@dataclass(frozen=True)
class PageRules:
    """What a site's profile says of one page. `screens`: (id, selector), of which the first one
    present names the page; a selector of "" always is."""

    screens: tuple[tuple[str, str], ...] = ()
    elements: tuple[ElementRule, ...] = ()


RulesFor = Callable[[str], PageRules | None]


@dataclass(frozen=True)
class Hit:
    """`url` and screen are those of the document that holds what is pressed. `controls` are what
    answers to the press, without their places on the page; none where nothing is pressed."""

    url: str
    screen_id: str = ""
    element_ids: tuple[str, ...] = ()
    controls: tuple[MatchCandidate, ...] = ()


@dataclass(frozen=True)
class Named:
    """How many elements a rule finds; `first` are the ids and names of some."""

    count: int
    first: tuple[tuple[str, str], ...] = ()


def address_of(frame: Frame | None) -> str:
    while frame and frame.parent_frame and frame.url.startswith(_WRITTEN_BY_A_PAGE):
        frame = frame.parent_frame
    return frame.url if frame else ""


def hit(tab: Tab, found: Found, press: Press, rules: PageRules) -> Hit:
    """Nothing on the page changes by it. Raises Detached."""
    how = {"way": press.way, "point": _point_in_frame(tab, found, press), "letter": press.letter}
    told = found.world.ask("pressedBy", found.position, how, asdict(rules))
    if told is None:
        raise Detached("The element left the page before it could be acted on.")
    frame = found.world.frame
    return Hit(
        url=_url(told, frame),
        screen_id=told["screen"],
        element_ids=tuple(told["elements"]),
        controls=tuple(_control(node, index, frame) for index, node in enumerate(told["controls"])),
    )


def _point_in_frame(tab: Tab, found: Found, press: Press) -> dict[str, float] | None:
    if press.way is not Way.POINT or press.point is None:
        return None
    offset = offset_of(tab, found.world)
    return {"x": press.point[0] - offset.x, "y": press.point[1] - offset.y}


def _control(node: dict[str, Any], index: int, frame: Frame) -> MatchCandidate:
    where = path_of(frame)
    told = ("tag", "name", "text", "attributes", "visible", "enabled", "shadow", "path", "context")
    return MatchCandidate(
        index=index,
        role=node["role"] or "",
        frame=where,
        fingerprint=fingerprint_of(node, where),
        **{name: node[name] for name in told},
    )


def screen(world: World, rules: PageRules) -> Hit:
    """The screen of a document, with nothing pressed."""
    told = world.ask("screenIn", rules.screens)
    return Hit(url=_url(told, world.frame), screen_id=told["screen"])


def named(world: World, rules: PageRules) -> list[Named]:
    """What each element rule finds in a document, in the order of the rules."""
    told = world.ask("namedBy", [asdict(rule) for rule in rules.elements])
    firsts = (tuple((each["id"], each["name"]) for each in one["first"]) for one in told)
    return [Named(one["count"], first) for one, first in zip(told, firsts, strict=True)]


def _url(told: dict[str, Any], frame: Frame) -> str:
    """As the document itself says it: a page may have given itself another address just now."""
    url: str = told["url"]
    return address_of(frame) if url.startswith(_WRITTEN_BY_A_PAGE) else url
