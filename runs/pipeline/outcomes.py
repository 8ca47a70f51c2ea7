"""Answers of calls that did nothing."""

from browser.acting import Done
from confidence.domain.gate import GateDecision
from confidence.domain.outcome import OutcomeKind, VerifiedOutcome


def not_done(decision: GateDecision) -> Done:
    result = {"dry_run": True, "decision": str(decision.decision), "reasons": decision.reasons}
    return Done(VerifiedOutcome(OutcomeKind.UNVERIFIED, True, "A dry run does nothing."), result)
