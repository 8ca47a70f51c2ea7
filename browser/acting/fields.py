"""Any kind of field: text, choice, tick, file. Written as a person would, then read back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser.acting.aim import aim
from browser.acting.changes import Before, changes_after
from browser.acting.done import Beginning, Done, done, failed, unverified, verified
from browser.acting.press import Press, press
from browser.acting.write import Typing, handle_of, type_into, why_not_written
from browser.errors import Detached, NotEnabled
from browser.resolver import Found
from browser.sessions import Tab
from confidence.domain.outcome import VerifiedOutcome

YES = frozenset({"true", "on", "yes", "1", "checked"})
NO = frozenset({"false", "off", "no", "0", "unchecked", ""})


@dataclass(frozen=True)
class OwnFiles:
    """Files of the run's own folder, by absolute path. Nothing else may go into a file field, and
    these into no other."""

    paths: tuple[str, ...]


def set_field(
    tab: Tab, found: Found, value: Any, *, beginning: Beginning, timeout_s: float
) -> VerifiedOutcome:
    """`value`: text, a list of options, yes or no, or files. What the field really is decides."""
    state = state_of(found)
    if isinstance(value, OwnFiles) is not (state["kind"] == "file"):
        raise NotEnabled('A file field, and only that, takes files: say type "file" for it.')
    match state["kind"]:
        case "text":
            text = value if isinstance(value, str) else str(value)
            typing = Typing(text)
            return type_into(tab, found, typing, beginning=beginning, timeout_s=timeout_s)
        case "select":
            wanted = value if isinstance(value, list) else [str(value)]
            return _choose(tab, found, wanted, beginning=beginning, timeout_s=timeout_s)
        case "checkbox" | "radio":
            is_wanted = _yes_or_no(value)
            return _tick(tab, found, is_wanted, beginning=beginning, timeout_s=timeout_s)
        case "file":
            return _attach(tab, found, value.paths, beginning=beginning, timeout_s=timeout_s)
        case _:
            raise NotEnabled("The target is not a field that can be written.")


def state_of(found: Found) -> dict[str, Any]:
    state: dict[str, Any] | None = found.world.ask("fieldState", found.position)
    if state is None:
        raise Detached("The field left the page.")
    return state


def choose(
    tab: Tab, found: Found, values: Sequence[str], *, beginning: Beginning, timeout_s: float
) -> Done:
    """Choose options of a <select> by value or by label."""
    aim(tab, found)
    if state_of(found)["kind"] != "select":
        raise NotEnabled("The target is no <select>: click it, then click the option.")
    before = Before.of(tab)
    outcome = _choose(tab, found, values, beginning=beginning, timeout_s=timeout_s)
    changes = changes_after(tab, found.world, before, timeout_s=timeout_s)
    return done(tab, outcome, changes.place, chosen=list(values))


def upload(
    tab: Tab, found: Found, paths: Sequence[str], *, beginning: Beginning, timeout_s: float
) -> Done:
    """Give a file field its files, by absolute path."""
    if state_of(found)["kind"] != "file":
        raise NotEnabled("The target is no file field.")
    before = Before.of(tab)
    outcome = _attach(tab, found, paths, beginning=beginning, timeout_s=timeout_s)
    changes = changes_after(tab, found.world, before, timeout_s=timeout_s)
    return done(tab, outcome, changes.place, files=state_of(found)["files"])


def _choose(
    tab: Tab, found: Found, values: Sequence[str], *, beginning: Beginning, timeout_s: float
) -> VerifiedOutcome:
    element = handle_of(tab, found)
    found.world.ask("watch", found.position)
    beginning.begin()
    try:
        # A text given to select_option stands for a value or a label.
        element.select_option(list(values), timeout=timeout_s * 1000)
    except PlaywrightTimeout as error:
        raise NotEnabled("The list has no such option, or it is disabled.") from error
    except PlaywrightError as error:
        raise why_not_written(error) from error
    return _read_choice(found, values)


def _read_choice(found: Found, wanted: Sequence[str]) -> VerifiedOutcome:
    state = found.world.ask("fieldState", found.position)
    if state is None:
        return unverified("The list went away when an option was chosen.")
    held = list(zip(state["values"], state["labels"], strict=True))
    squeezed = [" ".join(value.split()) for value in wanted]
    if len(held) == len(wanted) and all(
        any(value in pair for pair in held) or any(text in pair for pair in held)
        for value, text in zip(wanted, squeezed, strict=True)
    ):
        return verified("The list reads back what was chosen.")
    return failed("The list holds something else than was chosen.")


def _yes_or_no(value: Any) -> bool:
    word = str(value).strip().lower()
    if word in YES:
        return True
    if word in NO:
        return False
    raise NotEnabled("This field is ticked or not: its value is true or false.")


def _tick(
    tab: Tab, found: Found, is_wanted: bool, *, beginning: Beginning, timeout_s: float
) -> VerifiedOutcome:
    state = state_of(found)
    if state["kind"] == "radio" and not is_wanted:
        raise NotEnabled("A radio button cannot be unticked: tick another one of its group.")
    if state["checked"] != is_wanted:
        press(tab, found, Press(), beginning=beginning, timeout_s=timeout_s)
    after = found.world.ask("fieldState", found.position)
    if after is None:
        return unverified("The field went away when it was ticked.")
    if after["checked"] == is_wanted:
        return verified(f"The field reads back {'ticked' if is_wanted else 'not ticked'}.")
    return failed("The field did not change when it was pressed.")


def _attach(
    tab: Tab, found: Found, paths: Sequence[str], *, beginning: Beginning, timeout_s: float
) -> VerifiedOutcome:
    element = handle_of(tab, found)
    found.world.ask("watch", found.position)
    beginning.begin()
    try:
        element.set_input_files(list(paths), timeout=timeout_s * 1000)
    except PlaywrightTimeout as error:
        raise NotEnabled("The field did not take the files in time.") from error
    except PlaywrightError as error:
        if "Non-multiple file input" in str(error):
            raise NotEnabled("This field takes one file only.") from error
        raise why_not_written(error) from error
    state = found.world.ask("fieldState", found.position)
    if state is None:
        return unverified("The field went away when it got its files.")
    if len(state["files"]) == len(paths):
        return verified("The field reads back its files.")
    return failed("The field does not hold the files it was given.")
