"""A whole form: every field was resolved and judged before the first one is written."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from playwright.sync_api import Error as PlaywrightError

from browser.acting.aim import aim
from browser.acting.done import Beginning, Done, done, verified
from browser.acting.fields import set_field
from browser.acting.press import Press, press
from browser.errors import (
    BrowserError,
    BrowserLost,
    Detached,
    FormStopped,
    NotEnabled,
    OutcomeUnknown,
)
from browser.resolver import Found
from browser.sessions import Tab
from confidence.domain.outcome import OutcomeKind

Again = Callable[[int], Found]
STEP_MS = 100


@dataclass(frozen=True)
class FieldValue:
    """One field of the form: its name for people, and what to write."""

    name: str
    value: Any
    is_secret: bool = False


@dataclass
class Form:
    """The elements in their order, the submit control last if there is one.

    `again` finds an element anew that the page replaced meanwhile, or raises Detached.
    """

    founds: Sequence[Found]
    fields: Sequence[FieldValue]
    again: Again
    written: list[str] = field(default_factory=list)
    secrets: set[int] = field(default_factory=set)

    @property
    def has_submit(self) -> bool:
        return len(self.founds) > len(self.fields)


def fill_form(tab: Tab, form: Form, *, beginning: Beginning, timeout_s: float) -> Done:
    """Write the fields in order, read each back, then press the submit control if there is one.

    Raises FormStopped: it says which fields were written; nothing was submitted then.
    """
    for index, one in enumerate(form.fields):
        _reported(form, one.name, partial(_write, tab, form, index, beginning, timeout_s))
        form.written.append(one.name)
    if form.has_submit:
        act = _reported(form, "submit", partial(_submit, tab, form, beginning, timeout_s))
    else:
        act = done(tab, verified("Every field reads back what was written."))
    result = {**act.result, "written": form.written, "submitted": form.has_submit}
    return replace(act, result=result, secret_fields=frozenset(form.secrets))


def _reported(form: Form, name: str, work: Callable[[], Any]) -> Any:
    """What stops the form says how far it came."""
    try:
        return work()
    except (BrowserLost, OutcomeUnknown):
        raise
    except BrowserError as error:
        raise _stopped(form, name, error.message, error) from error
    except PlaywrightError as error:
        left = Detached("The page was left while the form was filled in.")
        raise _stopped(form, name, left.message, left) from error


def _stopped(form: Form, name: str, why: str, cause: BrowserError) -> FormStopped:
    written = f"Written: {', '.join(form.written)}." if form.written else "Nothing was written."
    return FormStopped(
        f"Stopped at {name!r}: {why} {written} Nothing was submitted.",
        cause=cause,
        written=list(form.written),
    )


def _write(tab: Tab, form: Form, index: int, beginning: Beginning, timeout_s: float) -> None:
    def write(found: Found) -> None:
        aim(tab, found)
        value = form.fields[index].value
        if form.fields[index].is_secret:
            found.world.ask("declareSecret", found.position)
        outcome = set_field(tab, found, value, beginning=beginning, timeout_s=timeout_s)
        if outcome.kind is OutcomeKind.FAILED_VERIFICATION:
            raise _NotTaken(outcome.evidence)
        if found.is_secret or found.world.ask("isSecretNow", found.position):
            form.secrets.add(index)

    _on_present(form, index, write)


class _NotTaken(BrowserError):
    """The field did not take what was written."""

    code = "not_enabled"
    retryable = True


def _submit(tab: Tab, form: Form, beginning: Beginning, timeout_s: float) -> Done:
    def submit(found: Found) -> Done:
        """Many pages enable the control only once they have looked at the last field."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                return _pressed(tab, found, beginning, timeout_s)
            except NotEnabled:
                if time.monotonic() > deadline:
                    raise
                tab.page.wait_for_timeout(STEP_MS)

    act: Done = _on_present(form, len(form.fields), submit)
    return act


def _pressed(tab: Tab, found: Found, beginning: Beginning, timeout_s: float) -> Done:
    """Once the control was pressed, nobody may say that nothing was submitted."""
    beginning.begin()
    pressing = Beginning()
    try:
        act = press(tab, found, Press(), beginning=pressing, timeout_s=timeout_s)
    except PlaywrightError as error:
        if pressing.give_up():
            raise
        text = "The page was left while the form was submitted: look at the page."
        raise OutcomeUnknown(text) from error
    _refuse_unsubmitted(found)
    return act


def _refuse_unsubmitted(found: Found) -> None:
    """Raises _NotTaken when the browser did not submit the form because of what a field holds."""
    try:
        refused = found.world.ask("refusedFields")
    except PlaywrightError:
        return  # the page was left: it was submitted
    if refused:
        named = ", ".join(repr(name) for name in refused)
        raise _NotTaken(f"The browser did not submit the form: {named} holds no valid value.")


def _on_present(form: Form, index: int, work: Callable[[Found], Any]) -> Any:
    """Writing a field may make the page put new elements in place of the later ones."""
    try:
        return work(form.founds[index])
    except Detached:
        return work(form.again(index))
