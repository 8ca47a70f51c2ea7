"""Staying attached to runs' browsers: one Playwright thread per worker process.

Playwright's sync API wants a thread of its own, and Django's ORM refuses to run in it: jobs go
in, plain values come out. Attaching leaks a world in the page, so a worker stays attached.
"""

import contextlib
import itertools
import json
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psutil
from playwright.sync_api import Browser, CDPSession, Frame, Page, Playwright, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from browser.errors import BrowserError, BrowserLost, PageStuck, TimedOut
from browser.providers import BrowserRef
from core.text import storable, storable_all

log = logging.getLogger(__name__)
Result = TypeVar("Result")
ATTACHED_AT_MOST = 12
TAB_KNOWN_WITHIN_S = 1.5
LEAVE_TIMEOUT_S = 5
ATTACH_TIMEOUT_MS = 10_000
STASH = (Path(__file__).parent / "js" / "stash.js").read_text()
CRASHED = "Page crashed"
LOST = ("has been closed", "Connection closed", "ECONNREFUSED", "browser has disconnected")


class Line:
    """A raw DevTools session of one renderer process, and the script contexts alive in it."""

    def __init__(
        self, cdp: CDPSession, heard: list[dict[str, Any]], choosers: list[tuple[str, int]]
    ) -> None:
        self.cdp = cdp
        self.contexts: dict[int, dict[str, Any]] = {}
        self.is_prepared = False  # our script runs first in every later document
        cdp.on("Runtime.executionContextCreated", self._created)
        cdp.on("Runtime.executionContextDestroyed", self._destroyed)
        cdp.on("Runtime.executionContextsCleared", lambda _: self.contexts.clear())
        cdp.on("Runtime.bindingCalled", lambda event: heard.append(event))
        cdp.on(
            "Page.fileChooserOpened",
            lambda event: choosers.append((event["frameId"], event.get("backendNodeId", 0))),
        )
        cdp.send("Runtime.enable")
        with contextlib.suppress(PlaywrightError):  # a frame's own process may not know them
            cdp.send("Page.enable")
            cdp.send("Page.setInterceptFileChooserDialog", {"enabled": True})

    def _created(self, event: dict[str, Any]) -> None:
        self.contexts[event["context"]["id"]] = event["context"]

    def _destroyed(self, event: dict[str, Any]) -> None:
        self.contexts.pop(event["executionContextId"], None)


class Tab:
    """A run's page as this worker sees it. `heard` is what our guards in the page reported,
    `dialogs` what the keeper answered, `choosers` the file fields whose chooser opened."""

    def __init__(self, browser: Browser, page: Page, engine: str, *, folder: str) -> None:
        self.browser = browser
        self.page = page
        self.engine = engine
        self.target = target_info(browser, page)["targetId"]
        self.dialogs = Dialogs(folder)
        self.choosers: list[tuple[str, int]] = []
        self.heard: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.world = ""  # the name of our isolated world, once a selector ran
        self.line = Line(browser.contexts[0].new_cdp_session(page), self.heard, self.choosers)
        self.cdp = self.line.cdp
        self.lines: dict[Frame, Line] = {}  # of frames that live in a process of their own
        self.known: dict[Frame, Any] = {}  # browser/frames.py: our world in each frame
        self.guarded: list[Any] = []  # the worlds whose guard is up: browser/acting/guard.py
        self.forbidden: Mapping[Frame, Sequence[str]] = {}  # what the guard lets nobody press
        self._tokens = itertools.count(1)
        page.on("request", lambda request: self.requests.append(request.resource_type))

    def new_token(self) -> str:
        """Names one look at the page; never used twice by this worker."""
        return f"{os.getpid()}-{next(self._tokens)}"


class Dialogs:
    """What the page asked in dialogs, as the run's keeper writes it down when it answers."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / "dialogs.jsonl"
        self._seen = self._size()

    def _size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def clear(self) -> None:
        self._seen = self._size()

    def __bool__(self) -> bool:
        return self._size() > self._seen

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Those since `clear`: type, message, accepted."""
        if self:
            with self._path.open() as lines:
                lines.seek(self._seen)
                yield from (storable_all(json.loads(line)) for line in lines)


@dataclass(frozen=True)
class Place:
    """Where the run's page is."""

    url: str
    title: str


def target_info(browser: Browser, page: Page) -> dict[str, str]:
    """targetId, url and title of a page, as the browser itself knows them."""
    cdp = browser.contexts[0].new_cdp_session(page)
    info = cdp.send("Target.getTargetInfo")["targetInfo"]
    cdp.detach()
    return {name: storable(info[name]) for name in ("targetId", "url", "title")}


def place_of(tab: Tab) -> Place:
    """Asked of the browser itself: never a step behind, and a hanging page cannot hold it up."""
    info = tab.cdp.send("Target.getTargetInfo")["targetInfo"]
    return Place(storable(info["url"]), storable(info["title"]))


class _Attachments:
    """Lives in the Playwright thread only."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._driver_processes: list[psutil.Process] = []
        self._tabs: OrderedDict[str, Tab] = OrderedDict()
        self._engines = itertools.count(1)

    def tab(self, ref: BrowserRef) -> Tab:
        known = self._tabs.get(ref.endpoint)
        if known and known.browser.is_connected():
            known = self._tabs[ref.endpoint] = _on_page_of(known, ref)
            if not known.page.is_closed():
                self._tabs.move_to_end(ref.endpoint)
                return known
        self.drop(ref)
        self._tabs[ref.endpoint] = tab = self._attach(ref)
        while len(self._tabs) > ATTACHED_AT_MOST:
            self._close(self._tabs.popitem(last=False)[1])
        return tab

    def attached(self, ref: BrowserRef) -> Tab:
        """The tab of this browser. Raises BrowserLost and TimedOut."""
        try:
            return self.tab(ref)
        except PlaywrightTimeout as error:
            raise TimedOut("The browser did not let a worker attach in time.") from error
        except PlaywrightError as error:
            self.drop(ref)
            raise BrowserLost("The run's browser or its tab is gone.") from error

    def drop(self, ref: BrowserRef) -> None:
        if tab := self._tabs.pop(ref.endpoint, None):
            self._close(tab)

    def _attach(self, ref: BrowserRef) -> Tab:
        playwright = self._driver()
        browser = playwright.chromium.connect_over_cdp(ref.endpoint, timeout=ATTACH_TIMEOUT_MS)
        # An engine reaches the contexts that exist when it is registered, and its name is taken
        # for good: so each attachment registers one under a name of its own.
        engine = f"stash{next(self._engines)}"
        playwright.selectors.register(engine, script=STASH, content_script=True)
        # Somebody who listens: else Playwright would dismiss what the keeper is to answer.
        browser.contexts[0].on("dialog", lambda dialog: None)
        try:
            return Tab(browser, _page_of(browser, ref), engine, folder=ref.folder)
        except (BrowserError, PlaywrightError):
            _detach(browser)
            raise

    def _driver(self) -> Playwright:
        if self._playwright is None:
            before = _children()
            self._playwright = sync_playwright().start()
            self._driver_processes = [child for child in _children() if child not in before]
        return self._playwright

    def abandon(self) -> None:
        """End the driver under a thread that hangs: its call fails then, and the thread ends."""
        for process in self._driver_processes:
            with contextlib.suppress(psutil.Error):
                process.kill()

    def _close(self, tab: Tab) -> None:
        _detach(tab.browser)


def _detach(browser: Browser) -> None:
    try:
        browser.close()  # over CDP this only detaches
    except PlaywrightError as error:
        log.debug("detaching: %s", error)


def _on_page_of(known: Tab, ref: BrowserRef) -> Tab:
    """The run may have gone on in another tab of the same browser."""
    if not ref.target or known.target == ref.target:
        return known
    return Tab(known.browser, _page_of(known.browser, ref), known.engine, folder=ref.folder)


def _page_of(browser: Browser, ref: BrowserRef) -> Page:
    """The run's own page, not one that it opened. Raises BrowserLost when it was closed, PageStuck
    when it is there but does not let us in."""
    deadline = time.monotonic() + TAB_KNOWN_WITHIN_S
    while True:
        pages = browser.contexts[0].pages
        if not ref.target and len(pages) == 1:
            return pages[0]
        for page in pages:
            if target_info(browser, page)["targetId"] == ref.target:
                return page
        if not _is_open(browser, ref.target):
            raise BrowserLost("The run's tab was closed: start a new run.")
        if time.monotonic() > deadline:
            raise PageStuck("The page crashed or never rests: open another address.")
        time.sleep(0.05)  # another worker opened it, or it is being left this moment


def _is_open(browser: Browser, target: str) -> bool:
    """Asked of the browser itself; what happened meanwhile is heard of with the answer."""
    cdp = browser.new_browser_cdp_session()
    infos = cdp.send("Target.getTargets")["targetInfos"]
    cdp.detach()
    return any(
        info["type"] == "page" and (not target or info["targetId"] == target) for info in infos
    )


def _children() -> list[psutil.Process]:
    return psutil.Process().children()


class _Worker:
    """The thread and what it is attached to; replaced whole when a page hangs it."""

    def __init__(self) -> None:
        self.executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="playwright")
        self.attachments = _Attachments()


_lock = threading.Lock()
_worker: _Worker | None = None
_owner = 0


def _current() -> _Worker:
    """This process's worker; a forked child never uses its parent's."""
    global _worker, _owner
    with _lock:
        if _worker is None or _owner != os.getpid():
            _worker, _owner = _Worker(), os.getpid()
        return _worker


def call(ref: BrowserRef, job: Callable[[Tab], Result], *, timeout_s: float) -> Result:
    """Run `job` on the run's tab in the Playwright thread and return what it returns.

    Raises BrowserLost when the browser is gone and TimedOut when the page hangs the thread; that
    thread is then given up and the next call starts a fresh one.
    """
    global _worker
    worker = _current()

    def work() -> Result:
        tab = worker.attachments.attached(ref)
        try:
            return job(tab)
        except PlaywrightError as error:
            if CRASHED in str(error):
                raise PageStuck("The page crashed: open another address.") from error
            if any(sign in str(error) for sign in LOST) and not _lives(tab):
                worker.attachments.drop(ref)
                raise BrowserLost("The run's browser or its tab is gone.") from error
            raise

    future: Future[Result] = worker.executor.submit(work)
    try:
        return future.result(timeout_s)
    except FutureTimeout:
        with _lock:
            if _worker is worker:
                _worker = None
        worker.executor.shutdown(wait=False, cancel_futures=True)
        worker.attachments.abandon()
        raise TimedOut(f"The page did not answer within {timeout_s:g} s.") from None


def _lives(tab: Tab) -> bool:
    """A frame that went away says the same words as a browser that did: ask the tab itself."""
    try:
        place_of(tab)
    except PlaywrightError:
        return False
    return True


def forget(ref: BrowserRef) -> None:
    """Detach from a browser that is about to end."""
    worker = _current()
    worker.executor.submit(worker.attachments.drop, ref)


def leave_stuck_page(ref: BrowserRef) -> None:
    """Put an empty page in place of one that Playwright can do nothing with. Raises BrowserLost."""
    forget(ref)
    try:
        with connect(ref.endpoint, open_timeout=LEAVE_TIMEOUT_S, max_size=None) as line:
            named = {"targetId": ref.target, "flatten": True}
            session = _asked(line, "Target.attachToTarget", named)["sessionId"]
            _asked(line, "Page.navigate", {"url": "about:blank"}, session=session)
    except (OSError, WebSocketException, KeyError) as error:
        raise BrowserLost("The run's browser or its tab is gone.") from error


def _asked(
    line: ClientConnection, method: str, params: dict[str, Any], *, session: str = ""
) -> dict[str, Any]:
    """Raw DevTools: one question, and its answer among the news that comes in between."""
    to = {"sessionId": session} if session else {}
    line.send(json.dumps({"id": 1, "method": method, "params": params, **to}))
    deadline = time.monotonic() + LEAVE_TIMEOUT_S
    while True:
        answer = json.loads(line.recv(timeout=max(deadline - time.monotonic(), 0.0)))
        if answer.get("id") == 1 and answer.get("sessionId", "") == session:
            return dict(answer["result"])
