"""Where a benchmark stands: Django on data of its own, or a plain Playwright page as the peer."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import django
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from browser import providers
from core import engines
from core.chromium import find_chromium


@contextlib.contextmanager
def own_data() -> Iterator[Path]:
    """Django set up on a fresh database; afterwards its engines, browsers and files are gone.

    Models may be imported inside only.
    """
    folder = Path(tempfile.mkdtemp(prefix="pm-"))
    os.environ["DATA_DIR"] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    # The peer's Playwright keeps a loop running in this thread.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    os.environ.pop("DATABASE_URL", None)
    os.environ.pop("REDIS_URL", None)
    try:
        with engines.running_engines(folder):
            django.setup()
            _migrate()
            try:
                yield folder
            finally:
                providers.stop_all(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _migrate() -> None:
    from core.processes.stack import migrate  # asks for settings when it is imported

    migrate()


@contextlib.contextmanager
def plain_page(url: str) -> Iterator[Page]:
    """The same page in a Chromium with the same flags, driven by Playwright alone."""
    with sync_playwright() as playwright, contextlib.closing(launch(playwright)) as browser:
        page = browser.new_page(no_viewport=True)
        page.goto(url)
        yield page


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=find_chromium(), args=list(providers.FLAGS))
