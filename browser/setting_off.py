"""What Enter in an element would set off, asked of the page and kept with the candidate."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import Any

from browser.frames import World
from browser.resolver import Found, Resolution
from confidence.domain.confidence import SetOff


def note_set_off(resolution: Resolution) -> None:
    """Every described candidate then says which controls Enter in it presses: one evaluate for each
    frame."""
    for _, held in groupby(resolution.found, key=lambda one: id(one.world)):
        _note_in_frame(list(held))


def _note_in_frame(founds: list[Found]) -> None:
    told = founds[0].world.ask("setOffByEnter", [one.position for one in founds])
    for found, said in zip(founds, told, strict=True):
        found.candidate = replace(found.candidate, sets_off=_set_off(said))


def set_off_by_enter(world: World, position: int) -> SetOff:
    return _set_off(world.ask("setOffByEnter", [position])[0])


def _set_off(said: Any) -> SetOff:
    words: Iterable[str] = said["words"]
    return SetOff(tuple(words), is_known=said["is_known"])
