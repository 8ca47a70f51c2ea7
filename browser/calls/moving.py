"""Going to another page, and between the tabs of a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, Response
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser import sessions
from browser.acting import Done
from browser.acting.done import unverified, verified
from browser.calls.jobs import SLACK_S
from browser.errors import NavigationFailed, NoMatch, NotEnabled, PageStuck
from browser.frames import prepare
from browser.providers import BrowserRef
from browser.sessions import Place, Tab


def navigate(ref: BrowserRef, url: str, *, timeout_s: float) -> Done:
    """Open an address, also from a page that crashed or never rests. Raises NavigationFailed with
    the browser's own reason."""

    def go(tab: Tab) -> Response | None:
        return _goto(tab, url, timeout_s=timeout_s)

    try:
        return _moving(ref, go, url, timeout_s=timeout_s)
    except PageStuck:
        sessions.leave_stuck_page(ref)
        return _moving(ref, go, url, timeout_s=timeout_s)


def go_back(ref: BrowserRef, *, timeout_s: float) -> Done:
    """One page back in the tab's history. Raises NavigationFailed when there is none."""

    def go(tab: Tab) -> Response | None:
        before = tab.cdp.send("Page.getNavigationHistory")["currentIndex"]
        if before <= 0:
            raise NavigationFailed("There is no page to go back to.")
        return tab.page.go_back(wait_until="domcontentloaded", timeout=timeout_s * 1000)

    return _moving(ref, go, "", timeout_s=timeout_s)


def _moving(
    ref: BrowserRef, go: Callable[[Tab], Response | None], url: str, *, timeout_s: float
) -> Done:
    def job(tab: Tab) -> Done:
        prepare(tab)
        try:
            answer = go(tab)
        except PlaywrightError as error:
            if any(sign in str(error) for sign in (*sessions.LOST, sessions.CRASHED)):
                raise
            raise NavigationFailed(_reason(error, url)) from error
        return _arrived(tab, answer.status if answer else None)

    return sessions.call(ref, job, timeout_s=timeout_s + SLACK_S)


def _arrived(tab: Tab, status: int | None) -> Done:
    place = sessions.place_of(tab)
    evidence = f"The page answered with status {status or 'none'}."
    is_good = status is None or status < 400
    outcome = verified(evidence) if is_good else unverified(evidence)
    return Done(outcome, {"url": place.url, "title": place.title, "status": status}, place)


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
    first = str(error).split("\n")[0].removeprefix("Page.goto: ").removeprefix("Page.go_back: ")
    without = first.replace(url, "") if url else first
    return f"The address could not be opened: {without.removesuffix(' at ')}"[:300]


# --- tabs -------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Opened:
    """One tab of the browser."""

    page: Page
    target: str
    place: Place


def _all_tabs(ref: BrowserRef, tab: Tab) -> list[_Opened]:
    """In the order they were opened, as the keeper saw it: each worker is told another one."""
    noted = Path(ref.folder) / "tabs.txt"
    order = noted.read_text().split() if noted.exists() else []
    opened = _opened_in(tab)
    last = len(order)
    return sorted(opened, key=lambda one: order.index(one.target) if one.target in order else last)


def _opened_in(tab: Tab) -> list[_Opened]:
    """While the known ones are asked, we hear of those that other workers opened or closed."""
    asked: dict[Page, _Opened | None] = {}
    while new := [page for page in tab.browser.contexts[0].pages if page not in asked]:
        asked |= {page: _asked(tab, page) for page in new}
    return [one for one in asked.values() if one]


def _asked(tab: Tab, page: Page) -> _Opened | None:
    try:
        info = sessions.target_info(tab.browser, page)
    except PlaywrightError:
        return None  # it was closed meanwhile
    return _Opened(page, info["targetId"], Place(info["url"], info["title"]))


def list_tabs(ref: BrowserRef) -> list[dict[str, Any]]:
    """Every tab of the run's browser, in the order they were opened."""

    def job(tab: Tab) -> list[dict[str, Any]]:
        return _listed(_all_tabs(ref, tab), tab.page)

    return sessions.call(ref, job, timeout_s=SLACK_S)


def _listed(opened: Sequence[_Opened], current: Page) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "url": one.place.url,
            "title": one.place.title,
            "current": one.page == current,
        }
        for index, one in enumerate(opened)
    ]


def new_tab(ref: BrowserRef) -> Done:
    """Open an empty tab and go on in it."""

    def job(tab: Tab) -> Done:
        return _switched(ref, tab, tab.browser.contexts[0].new_page())

    return sessions.call(ref, job, timeout_s=SLACK_S)


def select_tab(ref: BrowserRef, index: int) -> Done:
    """Go on in another tab. Raises NoMatch when there is none of that number."""

    def job(tab: Tab) -> Done:
        return _switched(ref, tab, _page_at(_all_tabs(ref, tab), index))

    return sessions.call(ref, job, timeout_s=SLACK_S)


def close_tab(ref: BrowserRef, index: int | None) -> Done:
    """Close a tab, the present one if none is named; the run goes on in the one opened last.

    Raises NoMatch, and NotEnabled for the only tab there is.
    """

    def job(tab: Tab) -> Done:
        opened = _all_tabs(ref, tab)
        page = tab.page if index is None else _page_at(opened, index)
        others = [one.page for one in opened if one.page != page]
        if not others:
            raise NotEnabled("This is the only tab: finish the run instead.")
        page.close()
        return _switched(ref, tab, others[-1] if page == tab.page else tab.page)

    return sessions.call(ref, job, timeout_s=SLACK_S)


def _page_at(opened: Sequence[_Opened], index: int) -> Page:
    if not 0 <= index < len(opened):
        raise NoMatch(f"There is no tab {index}: there are {len(opened)}, counted from 0.")
    return opened[index].page


def _switched(ref: BrowserRef, tab: Tab, page: Page) -> Done:
    page.bring_to_front()
    opened = _all_tabs(ref, tab)
    now = next(one for one in opened if one.page == page)
    result = {"url": now.place.url, "tabs": _listed(opened, page)}
    return Done(verified("The run goes on in this tab."), result, now.place, target=now.target)
