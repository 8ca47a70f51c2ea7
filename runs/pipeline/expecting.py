"""Post-conditions that the agent named: what the world must look like afterwards."""

from dataclasses import replace

from django.conf import settings

from browser import calls
from browser.acting import Done
from browser.calls import Expected
from browser.errors import BrowserError
from browser.providers import BrowserRef
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome
from runs.models import Action


def expected_of(action: Action, ref: BrowserRef, done: Done) -> Done:
    """What was done, with the outcome that the action's `expect` gives it; waits for it a while."""
    if not action.expect or action.dry_run:
        return done
    try:
        unmet = calls.unmet(ref, Expected.of(action.expect), timeout_s=settings.ACTION_TIMEOUT_S)
        place = _place_after(ref, done)
    except BrowserError as error:
        evidence = f"{done.outcome.evidence} What was expected could not be looked at: "
        outcome = VerifiedOutcome(OutcomeKind.UNVERIFIED, True, evidence + error.message)
        return replace(done, outcome=outcome)
    return replace(done, outcome=_outcome(done, unmet), place=place)


def _outcome(done: Done, unmet: list[str]) -> VerifiedOutcome:
    if unmet:
        evidence = f"{done.outcome.evidence} Expected, but not seen: {', '.join(unmet)}."
        return VerifiedOutcome(OutcomeKind.FAILED_VERIFICATION, False, evidence)
    if done.outcome.kind is OutcomeKind.FAILED_VERIFICATION:
        return done.outcome
    evidence = f"{done.outcome.evidence} The page became what was expected."
    return VerifiedOutcome(OutcomeKind.VERIFIED, True, evidence)


def _place_after(ref: BrowserRef, done: Done) -> calls.Place | None:
    """The page may have moved on while it was waited for."""
    return calls.where(ref) if done.place else None
