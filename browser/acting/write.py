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
from browser.setting_off import set_off_by_enter
from confidence.domain import risk
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
    _fill(tab, found, element, typing, timeout_s=timeout_s)
    refuse_misled_keys(tab)
    return _read_back(found, typing.text)


def handle_of(tab: Tab, found: Found) -> ElementHandle:
    """Playwright's own hold of the very element. Raises Detached."""
    pick = f"{tab.engine}=pick:{found.world.token}:{found.position}"
    element = found.world.frame.query_selector(pick)
    if element is None:
        raise Detached("The field left the page before it could be written.")
    return element


def _fill(
    tab: Tab, found: Found, element: ElementHandle, typing: Typing, *, timeout_s: float
) -> None:
    try:
        is_enter = typing.text == "\n"  # alone, the browser takes it for the key
        at_once = "" if typing.slowly or is_enter else typing.text
        element.fill(at_once, timeout=timeout_s * 1000)
        if typing.slowly:
            _type_slowly(tab, found, element, typing.text, timeout_s=timeout_s)
    except PlaywrightTimeout as error:
        raise NotEnabled("The field did not become editable in time.") from error
    except PlaywrightError as error:
        raise why_not_written(error) from error


def _type_slowly(
    tab: Tab, found: Found, element: ElementHandle, text: str, *, timeout_s: float
) -> None:
    """A line break is never pressed: as a key it would be Enter, and submit the form. A field of
    one line leaves it out, as the browser does; even written there it would submit."""
    for number, line in enumerate(_bare_lines(text).split("\n")):
        if number and not _has_one_line(found):
            tab.page.keyboard.insert_text("\n")
        element.type(line, delay=KEY_DELAY_MS, timeout=timeout_s * 1000)


def _has_one_line(found: Found) -> bool:
    state = found.world.ask("fieldState", found.position)
    return state is None or bool(state["type"])  # only inputs have a type


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
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def _letters(text: str) -> str:
    """Without what a mask adds: blanks, brackets, dashes, case."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _refuse_raised_risk(found: Found) -> None:
    """A page may put another button into the form as soon as it sees what is written."""
    judged = found.candidate
    if judged.sets_off is None or risk.looks_irreversible(judged):
        return
    now = replace(judged, sets_off=set_off_by_enter(found.world, found.position))
    if risk.looks_irreversible(now):
        raise NotEnabled("It was typed, but Enter now does what cannot be undone: it was not sent.")


def _submit(tab: Tab, found: Found, *, timeout_s: float) -> None:
    """Enter, if the field still has the focus: on another control it would press that one."""
    before = Before.of(tab)
    put_up(tab, [found], "keys")
    if not found.world.ask("hasFocus", found.position):
        raise NotEnabled("It was typed, but the page moved the focus: Enter was not sent.")
    _refuse_raised_risk(found)
    tab.page.keyboard.press("Enter")
    refuse_unheard_key(tab, "Enter")
    changes_after(tab, found.world, before, timeout_s=timeout_s)
