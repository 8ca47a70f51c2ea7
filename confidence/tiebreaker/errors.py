"""Why the tiebreaker gave no usable answer. The message ends up in the tiebreak's rationale."""

from confidence.models import TiebreakCall

Outcome = TiebreakCall.Outcome


class NoAnswer(Exception):
    """`outcome` is how the meter calls it, `title` how the tiebreak's rationale begins."""

    outcome = Outcome.ERROR
    title = "failed"


class NotConfigured(NoAnswer):
    """There is no tiebreaker to ask."""

    outcome = Outcome.UNAVAILABLE
    title = "is unavailable"


class Forbidden(NoAnswer):
    """It is at an address that must not be connected to: nothing was sent, so the breaker
    takes no notice."""

    outcome = Outcome.UNAVAILABLE
    title = "is unavailable"


class Unreachable(NoAnswer):
    """It did not take the question, or did not answer with 200."""

    outcome = Outcome.UNAVAILABLE
    title = "is unavailable"


class BreakerOpen(NoAnswer):
    """It failed too often of late, so it is not asked."""

    outcome = Outcome.OPEN
    title = "is held back, its breaker is open"


class TooSlow(NoAnswer):
    """It did not answer within the budget."""

    outcome = Outcome.TIMEOUT
    title = "timed out"


class BadAnswer(NoAnswer):
    """It answered something else than one of the candidates or -1."""

    outcome = Outcome.BAD_ANSWER
    title = "gave a bad answer"
