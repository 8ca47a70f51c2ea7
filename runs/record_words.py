"""What the record says of the confirmation protocol, as a sentence beside the bare entry."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext

from proposals.page_text import cut, visible

Payload = Mapping[str, Any]


def _asked(said: Payload) -> str:
    words = gettext("Asked on {screen}: good for one act within five steps.")
    return words.format(screen=_screen(said))


def _used(said: Payload) -> str:
    words = gettext("The yes was used for {element} on {screen}.")
    return words.format(element=_named(said, "element_id"), screen=_screen(said))


def _returned(said: Payload) -> str:
    words = gettext("The press on {screen} reached nothing: the yes still counts.")
    return words.format(screen=_screen(said))


def _missing(said: Payload) -> str:
    words = gettext("It had not asked before {element} on {screen}.")
    missing = words.format(element=_named(said, "element_id"), screen=_screen(said))
    then = (
        gettext("It was refused.") if said.get("refused") else gettext("It was done all the same.")
    )
    return f"{missing} {then}"


def _latched(said: Payload) -> str:
    words = gettext("This broke the seal for good: {violation}.")
    return words.format(violation=_named(said, "violation"))


def _created(said: Payload) -> str:
    """Of a run's opening: its task."""
    task = said.get("task") or {}
    criteria = ", ".join(_plain(str(one)) for one in task.get("success_criteria") or ())
    if said.get("open_play"):
        return gettext("Free play: nothing it does is latched.")
    if criteria:
        return gettext("With a task: {criteria}.").format(criteria=criteria)
    return gettext("With a task.") if task else ""


STORIES: Mapping[str, Callable[[Payload], str]] = {
    "confirmation.ask": _asked,
    "confirmation.use": _used,
    "confirmation.return": _returned,
    "confirmation.missing": _missing,
    "confirmation.latch": _latched,
}
OPENINGS: Mapping[str, Callable[[Payload], str]] = {"run.create": _created}


def story_of(verb: str, payload: Payload) -> str:
    """Empty for an entry that has no sentence."""
    tell = STORIES.get(verb) or OPENINGS.get(verb)
    return tell(payload) if tell else ""


def _screen(said: Payload) -> str:
    return _named(said, "screen_id").removeprefix("URL:")


def _named(said: Payload, name: str) -> str:
    """Words of a profile, or of a page that no profile knows."""
    return _plain(str(said.get(name) or ""))


def _plain(text: str) -> str:
    return visible(cut(text, 120))
