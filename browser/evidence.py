"""What is kept of a page for people: the picture they see, and what the page was."""

import hashlib
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame, Locator

from browser.frames import World, world_of
from browser.sessions import Tab, place_of
from core.text import storable

SNIPPET = 4_000
PICTURE_TIMEOUT_MS = 5_000
WHOLE_TIMEOUT_MS = 12_000
TALLEST_PX, WIDEST_PX = 8_000, 4_000  # of a picture of the whole page


@dataclass(frozen=True)
class Shot:
    """A JPEG of a part of the page. `viewport` is what rectangle of it that is, in CSS px."""

    content: bytes
    viewport: dict[str, float]
    media_type: str = "image/jpeg"


@dataclass(frozen=True)
class WholeShot(Shot):
    """From the page's top left corner on; `page_height` tells whether the foot was left out."""

    page_height: float = 0


def shoot(tab: Tab) -> Shot:
    metrics = tab.cdp.send("Page.getLayoutMetrics")["cssVisualViewport"]
    content = _photograph(tab, timeout=PICTURE_TIMEOUT_MS)
    viewport = {
        "scroll_x": metrics["pageX"],
        "scroll_y": metrics["pageY"],
        "width": metrics["clientWidth"],
        "height": metrics["clientHeight"],
    }
    return Shot(content, viewport)


def shoot_whole(tab: Tab) -> WholeShot:
    """The page does not move: what it has fixed to its window stays where it is. All it can notice
    is one `resize` event, of a window as large as before."""
    page = tab.cdp.send("Page.getLayoutMetrics")["cssContentSize"]
    size = {
        "width": min(page["width"], WIDEST_PX),
        "height": min(page["height"], TALLEST_PX),
    }
    clip = {"x": 0, "y": 0, **size}
    content = _photograph(tab, full_page=True, clip=clip, timeout=WHOLE_TIMEOUT_MS)
    return WholeShot(content, {"scroll_x": 0, "scroll_y": 0, **size}, page_height=page["height"])


def _photograph(tab: Tab, **part: Any) -> bytes:
    """Fields that hold secrets are painted over before the picture is taken."""
    return tab.page.screenshot(
        type="jpeg",
        quality=70,
        mask=_secrets(tab),
        mask_color="#1f2937",
        animations="allow",
        caret="initial",
        **part,
    )


def _secrets(tab: Tab) -> list[Locator]:
    """Only when there are any: masking puts an element of its own into the page. Raises when a
    frame that is still there cannot tell: no picture is better than one that shows a secret."""
    found = []
    for frame in tab.page.frames:
        try:
            found += _secrets_in(tab, frame)
        except PlaywrightError:
            if not frame.is_detached():
                raise
    return found


def _secrets_in(tab: Tab, frame: Frame) -> list[Locator]:
    world = world_of(tab, frame)
    count = world.ask("holdSecrets") if world else 0
    picks = (f"{tab.engine}=pick:{world.token}:{place}" for place in range(count) if world)
    return [frame.locator(pick) for pick in picks]


@dataclass(frozen=True)
class PageState:
    """Which page it was. The digest covers address, title and frames."""

    url: str
    title: str
    digest: str


def page_state(tab: Tab) -> PageState:
    place = place_of(tab)
    parts = [place.url, place.title, *sorted(frame.url for frame in tab.page.frames)]
    digest = hashlib.sha256(storable("\n".join(parts)).encode()).hexdigest()
    return PageState(place.url, place.title, digest)


def snippet_of(world: World, position: int) -> str:
    """HTML around an element, values masked, scripts and styles taken out."""
    found: Any = world.ask("snippetOf", position, SNIPPET)
    return str(found or "")
