"""Why a model gave no usable answer. The message goes on where the title begins."""


class NoAnswer(Exception):
    """`title` follows the name of whoever was asked: "The tiebreaker timed out"."""

    title = "failed"


class NotConfigured(NoAnswer):
    """There is nobody to ask."""

    title = "is unavailable"


class Forbidden(NoAnswer):
    """It is at an address that must not be connected to: nothing was sent, so the breaker
    takes no notice."""

    title = "is unavailable"


class Unreachable(NoAnswer):
    """It did not take the question, or did not answer with 200."""

    title = "is unavailable"


class BreakerOpen(NoAnswer):
    """It failed too often of late, so it is not asked."""

    title = "is held back, its breaker is open"


class TooSlow(NoAnswer):
    """It did not answer within the budget."""

    title = "timed out"


class BadAnswer(NoAnswer):
    """It answered something else than it was asked for."""

    title = "gave a bad answer"


class Refused(NoAnswer):
    """It was reached and does not want to answer this."""

    title = "refused"
