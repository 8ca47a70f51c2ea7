"""Why the pipeline itself does not carry an action out. The codes are public."""

from core.errors import DomainError


class SandboxBlocked(DomainError):
    """The sandbox refuses this call, however sure it is."""

    code = "sandbox_blocked"
    status = 403


class GateFailed(DomainError):
    """Resolve, score or gate failed inside; while gating is in force nothing is done then."""

    code = "gate_failed"
    retryable = True
