"""What a call would really press, in the words of the site's profile."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from playwright.sync_api import Frame

from browser import identifying
from browser.calls.jobs import SLACK_S, ask
from browser.errors import Detached
from browser.frames import World, world_of
from browser.identifying import Hit, Named, PageRules, RulesFor
from browser.presses import Press
from browser.providers import BrowserRef
from browser.resolver import Resolution
from browser.sessions import Tab

TRIES = 3
NO_RULES = PageRules()
ForbiddenFor = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Surveyed:
    """One document. `named` has one entry for each element rule; none where no rules hold."""

    url: str
    screen_id: str = ""
    named: tuple[Named, ...] = ()
    is_ruled: bool = False


def hits(
    ref: BrowserRef, resolution: Resolution, index: int, how: Press, *, rules_for: RulesFor
) -> Hit:
    """What pressing that candidate would really press. Raises Detached, TimedOut.

    The page is not changed by it; `rules_for` is called by the address of the document that holds
    the control, outside of the browser's thread.
    """
    found = resolution.found[index]

    def look(tab: Tab, rules: PageRules) -> Hit:
        return identifying.hit(tab, found, how, rules)

    return _by_rules(ref, lambda _: found.world.frame, look, rules_for)


def screen(ref: BrowserRef, *, rules_for: RulesFor) -> str:
    """The screen that the page around all frames is on; "" where no rule names it."""
    return _screen_in(ref, lambda tab: tab.page.main_frame, rules_for).screen_id


def screens_in_frames(ref: BrowserRef, *, rules_for: RulesFor) -> list[Hit]:
    """The documents in the page's frames that any rules are for, and the screens they are."""
    _main, *framed = ask(ref, _addresses, timeout_s=SLACK_S).items()
    ruled = [frame for frame, url in framed if rules_for(url)]
    return [_screen_in(ref, partial(_always, frame), rules_for) for frame in ruled]


def _always(frame: Frame, _: Tab) -> Frame:
    return frame


def _screen_in(ref: BrowserRef, frame_in: Callable[[Tab], Frame], rules_for: RulesFor) -> Hit:
    def look(tab: Tab, rules: PageRules) -> Hit:
        world = world_of(tab, frame_in(tab))
        if world is None:
            raise Detached("The page was left while it was read.")
        return identifying.screen(world, rules)

    return _by_rules(ref, frame_in, look, rules_for)


def survey(ref: BrowserRef, *, rules_for: RulesFor) -> list[Surveyed]:
    """What the rules find in each document of the page, that around all frames first. `rules_for`
    is called in the browser's thread."""

    def look(tab: Tab) -> list[Surveyed]:
        worlds = (world_of(tab, frame) for frame in tab.page.frames)
        return [_surveyed(world, rules_for) for world in worlds if world]

    return ask(ref, look, timeout_s=SLACK_S)


def _surveyed(world: World, rules_for: RulesFor) -> Surveyed:
    url = identifying.address_of(world.frame)
    rules = rules_for(url)
    if rules is None:
        return Surveyed(url)
    seen = identifying.screen(world, rules)
    return Surveyed(url, seen.screen_id, tuple(identifying.named(world, rules)), is_ruled=True)


def forbidden_in(
    ref: BrowserRef, forbidden_for: ForbiddenFor | None
) -> Mapping[Frame, Sequence[str]]:
    """Selectors of what may not be pressed in each frame of the page."""
    if forbidden_for is None:
        return {}
    frames = ask(ref, _addresses, timeout_s=SLACK_S)
    return {frame: forbidden_for(url) for frame, url in frames.items()}


def _addresses(tab: Tab) -> dict[Frame, str]:
    return {frame: identifying.address_of(frame) for frame in tab.page.frames}


def _by_rules(
    ref: BrowserRef,
    frame_in: Callable[[Tab], Frame],
    look: Callable[[Tab, PageRules], Hit],
    rules_for: RulesFor,
) -> Hit:
    """Asked again where the document went to an address of other rules meanwhile."""
    url = ask(ref, lambda tab: identifying.address_of(frame_in(tab)), timeout_s=SLACK_S)
    for _ in range(TRIES):
        rules = rules_for(url) or NO_RULES
        seen = ask(ref, _with(rules, look), timeout_s=SLACK_S)
        if seen.url == url or (rules_for(seen.url) or NO_RULES) == rules:
            return seen
        url = seen.url
    raise Detached("The page kept changing its address while it was looked at.")


def _with(rules: PageRules, look: Callable[[Tab, PageRules], Hit]) -> Callable[[Tab], Hit]:
    return lambda tab: look(tab, rules)
