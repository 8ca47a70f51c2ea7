"""Writing into a field with the keyboard, reading it back, and Enter."""

from dataclasses import dataclass, replace

from playwright.sync_api import ElementHandle
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser.acting.aim import aim
from browser.acting.changes import Before, changes_after
from browser.acting.done import Beginning, Done, done, failed, unverified, verified
from browser.acting.guard import put_up, refuse_misled_keys, refuse_unheard_key
from browser.errors import Detached, NotEnabled
from browser.resolver import Found
from browser.sessions import Tab
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome

KEY_DELAY_MS = 15
DATES = frozenset({"date", "time", "datetime-local", "month", "week"})


@dataclass(frozen=True)
class Typing:
    """What to type and how."""

    text: str
    slowly: bool = False
    submit: bool = False
    is_secret: bool = False


def write(
    tab: Tab, found: Found, typing: Typing, *, beginning: Beginning, timeout_s: float
) -> Done:
    """Replace what is in this field, read it back, then press Enter if asked."""
    aim(tab, found)
    if typing.is_secret:
        found.world.ask("declareSecret", found.position)
    outcome = type_into(tab, found, typing, beginning=beginning, timeout_s=timeout_s)
    is_secret = found.is_secret or bool(found.world.ask("isSecretNow", found.position))
    if typing.submit:
        _submit(tab, found, timeout_s=timeout_s)
    act = done(tab, outcome)
    return replace(act, secret_fields=frozenset({0} if is_secret else ()))


def type_into(
    tab: Tab, found: Found, typing: Typing, *, beginning: Beginning, timeout_s: float
) -> VerifiedOutcome:
    """A field that does not take the text at once gets it key by key: some masks listen to keys."""
    element = handle_of(tab, found)
    Before.of(tab)
    put_up(tab, [found], "keys")
    beginning.begin()
    outcome = _filled(tab, found, element, typing, timeout_s=timeout_s)
    if outcome.kind is OutcomeKind.FAILED_VERIFICATION and not typing.slowly:
        by_key = replace(typing, slowly=True)
        outcome = _filled(tab, found, element, by_key, timeout_s=timeout_s)
    return outcome


def _filled(
    tab: Tab, found: Found, element: ElementHandle, typing: Typing, *, timeout_s: float
) -> VerifiedOutcome:
    _fill(element, typing.text, slowly=typing.slowly, timeout_s=timeout_s)
    refuse_misled_keys(tab)
    return _read_back(found, typing.text)


def handle_of(tab: Tab, found: Found) -> ElementHandle:
    """Playwright's own hold of the very element. Raises Detached."""
    pick = f"{tab.engine}=pick:{found.world.token}:{found.position}"
    element = found.world.frame.query_selector(pick)
    if element is None:
        raise Detached("The field left the page before it could be written.")
    return element


def _fill(element: ElementHandle, text: str, *, slowly: bool, timeout_s: float) -> None:
    try:
        element.fill("" if slowly else text, timeout=timeout_s * 1000)
        if slowly:
            element.type(text, delay=KEY_DELAY_MS, timeout=timeout_s * 1000)
    except PlaywrightTimeout as error:
        raise NotEnabled("The field did not become editable in time.") from error
    except PlaywrightError as error:
        raise why_not_written(error) from error


def why_not_written(error: PlaywrightError) -> NotEnabled | Detached:
    if "not attached" in str(error):
        return Detached("The field left the page while it was written.")
    if "Cannot type text into input[type=number]" in str(error):
        return NotEnabled("The field takes numbers only.")
    return NotEnabled("The target is not a field that can be written.")


def _read_back(found: Found, text: str) -> VerifiedOutcome:
    """The value itself stays out of the evidence: it may be a secret."""
    state = found.world.ask("fieldState", found.position)
    if state is None:
        return unverified("The field went away when written.")
    held, wanted = _bare_lines(state["value"]), _bare_lines(text)
    if held == wanted:
        return verified("The field reads back what was typed.")
    if _letters(held) == _letters(wanted) != "":
        return verified("The field reads back what was typed, in a form of its own.")
    if state["type"] in DATES:
        return failed("The field takes dates and times in ISO form only, as in 2030-12-31.")
    return failed("The field holds something else than was typed.")


def _bare_lines(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip("\n")


def _letters(text: str) -> str:
    """Without what a mask adds: blanks, brackets, dashes, case."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _submit(tab: Tab, found: Found, *, timeout_s: float) -> None:
    """Enter, if the field still has the focus: on another control it would press that one."""
    before = Before.of(tab)
    put_up(tab, [found], "keys")
    if not found.world.ask("hasFocus", found.position):
        raise NotEnabled("It was typed, but the page moved the focus: Enter was not sent.")
    tab.page.keyboard.press("Enter")
    refuse_unheard_key(tab, "Enter")
    changes_after(tab, found.world, before, timeout_s=timeout_s)
