"""Small web pages, photographed in a real Chromium with the candidates measured on them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from core.chromium import find_chromium

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTH, HEIGHT = 1280, 720
SITES = Path(__file__).with_name("sites")

MEASURE = """([selector, frame, offset]) => {
  const roles = { checkbox: 'checkbox', input: 'textbox', select: 'combobox', div: 'listitem',
                  section: 'region' };
  const label = (e) => e.labels?.[0]?.firstChild.textContent.trim() || e.labels?.[0]?.innerText;
  return [...document.querySelectorAll(selector)].map((e) => {
  const r = e.getBoundingClientRect();
  const names = ['id', 'name', 'type', 'data-testid', 'aria-label', 'href', 'placeholder', 'title'];
  const attributes = {};
  for (const n of names) if (e.getAttribute(n)) attributes[n] = e.getAttribute(n);
  const text = (e.textContent || '').trim().slice(0, 200);
  const tag = e.tagName.toLowerCase();
  const landmark = e.closest('form, section, header, tr');
  const heading = landmark?.querySelector('h2')?.textContent || landmark?.cells?.[0]?.textContent
    || landmark?.tagName.toLowerCase() || '';
  return {
    tag, role: roles[e.type] || roles[tag] || 'button', text,
    name: e.getAttribute('aria-label') || label(e) || text,
    attributes,
    box: {x: r.x + scrollX + offset[0], y: r.y + scrollY + offset[1], width: r.width,
          height: r.height},
    visible: true, enabled: !e.disabled,
    in_viewport: r.bottom > 0 && r.top < innerHeight, covered_by: null, frame, shadow: false,
    path: selector, context: heading.trim().slice(0, 120), fingerprint: ''
  };
}); }"""


@dataclass(frozen=True)
class Scene:
    """A page as it was: its picture and the candidates of one selector, or of each of several."""

    title: str
    picture: bytes
    viewport: dict[str, float]
    candidates: list[dict[str, Any]]
    snippet: str
    parts: tuple[list[dict[str, Any]], ...] = ()


@dataclass(frozen=True)
class Sketch:
    site: str
    selector: str
    scroll_y: int = 0
    frame: str = ""
    parts: tuple[str, ...] = ()


SKETCHES = {
    "checkout": Sketch("checkout", "button.main"),
    "addresses": Sketch("addresses", "td button"),
    "account": Sketch("account", "#close, .card-delete"),
    "reviews": Sketch("reviews", ".more", scroll_y=180),
    "newsletter": Sketch("newsletter", "button", frame="newsletter"),
    "trick": Sketch("trick", "button"),
    "terms": Sketch("terms", "button"),
    "search": Sketch("search", "#q"),
    "search button": Sketch("search", "button"),
    "delivery": Sketch(
        "delivery",
        "form",
        parts=("#name", "[type=email]", "#country", "#gift", "#pin", ".main, #keep"),
    ),
    "board": Sketch("board", ".board", parts=("#open .card:first-of-type, #doing .card", "#done")),
}


def photograph(browser: Browser) -> dict[str, Scene]:
    """Every sketch by name."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    scenes = {name: _scene(page, sketch) for name, sketch in SKETCHES.items()}
    page.close()
    return scenes


def photograph_alone() -> dict[str, Scene]:
    """The same with a browser of its own, which is gone when this returns."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        scenes = photograph(browser)
        browser.close()
    return scenes


def photograph_whole(browser: Browser, site: str) -> tuple[bytes, int]:
    """All of a page, and how high it is."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto((SITES / f"{site}.html").as_uri())
    page.wait_for_load_state("networkidle")
    taken = page.screenshot(type="jpeg", quality=70, full_page=True)
    height = page.evaluate("document.documentElement.scrollHeight")
    page.close()
    return taken, height


def _scene(page: Page, sketch: Sketch) -> Scene:
    page.goto((SITES / f"{sketch.site}.html").as_uri())
    page.wait_for_load_state("networkidle")
    page.evaluate("y => window.scrollTo(0, y)", sketch.scroll_y)
    found = _measured(page, sketch.selector)
    if sketch.frame:
        found += _in_frame(page, sketch)
    scroll_y = page.evaluate("window.scrollY")
    return Scene(
        title=page.title(),
        picture=page.screenshot(type="jpeg", quality=70),
        viewport={"scroll_x": 0, "scroll_y": scroll_y, "width": WIDTH, "height": HEIGHT},
        candidates=_numbered(found),
        snippet=page.locator(sketch.selector).first.evaluate("e => e.parentElement.outerHTML"),
        parts=tuple(_numbered(_measured(page, selector)) for selector in sketch.parts),
    )


def _measured(page: Page, selector: str) -> list[dict[str, Any]]:
    return list(page.evaluate(MEASURE, [selector, "", [0, 0]]))


def _numbered(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"index": index, **each} for index, each in enumerate(found)]


def _in_frame(page: Page, sketch: Sketch) -> list[dict[str, Any]]:
    at = page.locator(f"iframe[name={sketch.frame}]").bounding_box()
    frame = page.frame(name=sketch.frame)
    assert at is not None
    assert frame is not None
    place = [sketch.selector, f"iframe[name={sketch.frame}]", [at["x"], at["y"]]]
    return list(frame.evaluate(MEASURE, place))
