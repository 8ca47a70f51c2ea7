"""What came of an act, and whether it had begun."""

from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Any

from browser.anchors import Anchor
from browser.errors import Detached
from browser.sessions import Place, Tab, place_of
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome

DIALOGS = 20


class Beginning:
    """Whether an act has begun, asked and answered once: whoever gives it up first, wins.

    A thread that was given up cannot begin any more; an act that began cannot be called undone.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._state = "waiting"

    def begin(self) -> None:
        """Raises Detached when the act was given up meanwhile."""
        with self._lock:
            if self._state == "given up":
                raise Detached("The act was given up before it began.")
            self._state = "begun"

    def give_up(self) -> bool:
        """True when nothing was begun and nothing will be."""
        with self._lock:
            if self._state == "waiting":
                self._state = "given up"
            return self._state == "given up"


@dataclass(frozen=True)
class Done:
    """What came of an act. `result` goes to the agent, `outcome` to people only.

    `secret_fields`: which of the written fields (0-based) hold secrets. `chooser`: the file field
    whose chooser was opened. `target`: the tab the run goes on in, when that changed.
    """

    outcome: VerifiedOutcome
    result: dict[str, Any] = field(default_factory=dict)
    place: Place | None = None
    secret_fields: frozenset[int] = frozenset()
    chooser: Anchor | None = None
    target: str = ""


def verified(evidence: str) -> VerifiedOutcome:
    return VerifiedOutcome(OutcomeKind.VERIFIED, True, evidence)


def unverified(evidence: str) -> VerifiedOutcome:
    return VerifiedOutcome(OutcomeKind.UNVERIFIED, True, evidence)


def failed(evidence: str) -> VerifiedOutcome:
    return VerifiedOutcome(OutcomeKind.FAILED_VERIFICATION, False, evidence)


def done(tab: Tab, outcome: VerifiedOutcome, place: Place | None = None, **result: Any) -> Done:
    """`place` where it is known already."""
    place = place or place_of(tab)
    return Done(outcome, {"url": place.url, **result, **_dialogs(tab)}, place)


def _dialogs(tab: Tab) -> dict[str, Any]:
    """What the page asked in dialogs during this act, and how it was answered."""
    dialogs = list(islice(tab.dialogs, DIALOGS))
    return {"dialogs": dialogs} if dialogs else {}
