"""What is known after an action: the mirror of match confidence."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from confidence.domain.reading import mapping_from, text_from


class OutcomeKind(StrEnum):
    """verified: the world was seen to change as meant. unverified: it ran, nothing was confirmed.
    failed_verification: the check failed."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    FAILED_VERIFICATION = "failed_verification"

    def __repr__(self) -> str:  # so that the repr of a VerifiedOutcome can be read back
        return repr(self.value)


@dataclass(frozen=True)
class VerifiedOutcome:
    """`success` is the tool's own word, `evidence` one sentence of what was seen. For people only:
    an outcome never goes into what the agent's model reads."""

    kind: OutcomeKind
    success: bool = True
    evidence: str = ""

    def as_dict(self) -> dict[str, object]:
        return {**asdict(self), "kind": self.kind.value}


def parse_verified_outcome(anything: object) -> VerifiedOutcome:
    """Read an outcome back from whatever it was stored or printed as. Never raises.

    An unknown kind is unverified. `success` is False only when it is literally False.
    """
    if isinstance(anything, VerifiedOutcome):
        return anything
    data = mapping_from(anything)
    if data is None:
        return VerifiedOutcome(kind=outcome_kind_from(anything))
    return VerifiedOutcome(
        kind=outcome_kind_from(data.get("kind")),
        success=data.get("success") is not False,
        evidence=_evidence_from(data.get("evidence")),
    )


def _evidence_from(value: object) -> str:
    if value is None or isinstance(value, str):
        return text_from(value)
    try:
        return text_from(json.dumps(value))
    except (TypeError, ValueError, RecursionError):
        return ""


def outcome_kind_from(value: object) -> OutcomeKind:
    if isinstance(value, str) and value in set(OutcomeKind):
        return OutcomeKind(value)
    return OutcomeKind.UNVERIFIED


def coerce_verified_outcome_for_storage(value: object) -> str:
    """The kind to store for a kind, an outcome or anything an outcome can be read from."""
    return parse_verified_outcome(value).kind.value
