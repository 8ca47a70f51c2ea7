"""Why a run takes an action not, or not yet."""

from core.errors import Conflict, Forbidden


class RunEnded(Conflict):
    """The run is over: start a new one."""

    code = "run_ended"


class AgentPaused(Forbidden):
    """A person paused the agent. What it sent before goes on; ask again later."""

    code = "agent_paused"
    retryable = True


class ClaimLost(Conflict):
    """This worker was too slow: the action was taken over by another one, or ended with its run."""


class WaitingForReview(Conflict):
    """A person decides first; until then the run takes reads only."""

    code = "waiting_for_review"
    retryable = True


class ConfirmationRequired(Conflict):
    """An act that cannot be taken back was not asked about. Nothing was done: send
    needs_confirmation, and the act in a later step."""

    code = "confirmation_required"
    retryable = True
