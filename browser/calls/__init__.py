"""Everything the pipeline asks of a run's browser, each one job in the Playwright thread.

What comes out is plain, but for a Resolution, which holds on to the elements it found. Nothing
here touches the database.
"""

from browser.calls.acting import (
    Approved,
    Pick,
    act,
    act_on_approved,
    act_plainly,
    answer_next_dialog,
    upload_to_chooser,
)
from browser.calls.identifying import (
    ForbiddenFor,
    Surveyed,
    hits,
    screen,
    screens_in_frames,
    survey,
)
from browser.calls.jobs import adopt, forget
from browser.calls.moving import close_tab, go_back, list_tabs, navigate, new_tab, select_tab
from browser.calls.resolving import note_set_off, resolve, resolve_all
from browser.calls.seeing import (
    Expected,
    Place,
    Sight,
    anchors_of,
    find_text,
    see,
    shoot,
    shoot_whole,
    take_snapshot,
    texts_of,
    unmet,
    wait_for_text,
    wait_for_time,
    where,
)
from browser.identifying import ElementRule, Hit, Named, PageRules, RulesFor
from browser.presses import Press, Way, press_of

__all__ = [
    "Approved",
    "ElementRule",
    "Expected",
    "ForbiddenFor",
    "Hit",
    "Named",
    "PageRules",
    "Pick",
    "Place",
    "Press",
    "RulesFor",
    "Sight",
    "Surveyed",
    "Way",
    "act",
    "act_on_approved",
    "act_plainly",
    "adopt",
    "anchors_of",
    "answer_next_dialog",
    "close_tab",
    "find_text",
    "forget",
    "go_back",
    "hits",
    "list_tabs",
    "navigate",
    "new_tab",
    "note_set_off",
    "press_of",
    "resolve",
    "resolve_all",
    "screen",
    "screens_in_frames",
    "see",
    "select_tab",
    "shoot",
    "shoot_whole",
    "survey",
    "take_snapshot",
    "texts_of",
    "unmet",
    "upload_to_chooser",
    "wait_for_text",
    "wait_for_time",
    "where",
]
