"""How a job is run on a run's tab, and what its failures mean."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser import sessions
from browser.acting import Beginning, Done
from browser.errors import BrowserLost, Detached, OutcomeUnknown, TimedOut
from browser.frames import prepare
from browser.providers import BrowserRef
from browser.sessions import Tab

Answer = TypeVar("Answer")
SLACK_S = 15  # attaching, settling and taking a picture, on top of an action's own time


def ask(ref: BrowserRef, job: Callable[[Tab], Answer], *, timeout_s: float) -> Answer:
    """Run a job that only reads. Raises Detached or TimedOut when the page does not hold still."""
    try:
        return sessions.call(ref, job, timeout_s=timeout_s)
    except PlaywrightTimeout as error:
        raise TimedOut("The page did not answer in time.") from error
    except PlaywrightError as error:
        raise Detached("The page was left while it was read.") from error


def begun_or_not(
    ref: BrowserRef, job: Callable[[Tab], Done], beginning: Beginning, *, timeout_s: float
) -> Done:
    """Run an act. What fails before it began was not done; what fails after that is unknown."""
    try:
        return sessions.call(ref, job, timeout_s=timeout_s + SLACK_S)
    except (PlaywrightError, BrowserLost, TimedOut, Detached) as error:
        if not beginning.give_up():
            raise OutcomeUnknown(
                "The page stopped answering in the middle of the act: it may have happened."
            ) from error
        if isinstance(error, PlaywrightTimeout):
            raise TimedOut("The target did not appear in time.") from error
        if isinstance(error, PlaywrightError):
            raise Detached("The page was left before it could be acted on.") from error
        raise


def adopt(ref: BrowserRef) -> BrowserRef:
    """Attach to a fresh browser and learn which tab is the run's own. Raises BrowserLost."""

    def job(tab: Tab) -> str:
        prepare(tab)
        return tab.target

    return replace(ref, target=ask(ref, job, timeout_s=SLACK_S))


def forget(ref: BrowserRef) -> None:
    """Detach from a browser that is about to end."""
    sessions.forget(ref)
