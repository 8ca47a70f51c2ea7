"""One key, for the element that has the focus."""

from dataclasses import replace

from browser.acting.changes import Before, changes_after, in_words
from browser.acting.done import Beginning, Done, done, unverified, verified
from browser.acting.guard import put_up, refuse_unheard_key
from browser.errors import Detached
from browser.resolver import Found
from browser.sessions import Tab
from confidence.domain.outcome import VerifiedOutcome


def press_key(tab: Tab, found: Found, key: str, *, beginning: Beginning, timeout_s: float) -> Done:
    """Raises Detached when the focus went elsewhere before, NotEnabled when it did so meanwhile."""
    put_up(tab, [found], "keys")
    if not found.world.ask("hasFocus", found.position):
        raise Detached("The focus is on another element than the one that was judged.")
    before = Before.of(tab)
    beginning.begin()
    tab.page.keyboard.press(key)
    refuse_unheard_key(tab, key)
    changes = changes_after(tab, found.world, before, timeout_s=timeout_s)
    act = done(tab, _outcome(changes.seen), changes.place)
    return replace(act, secret_fields=frozenset({0} if found.is_secret else ()))


def _outcome(changes: list[str]) -> VerifiedOutcome:
    if changes:
        return verified(f"The element received the key; then changed: {in_words(changes)}.")
    return unverified("The element received the key; nothing on the page changed.")
