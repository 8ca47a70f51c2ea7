"""What can go wrong on a page. The codes are public: agents read them."""

from core.errors import DomainError


class BrowserError(DomainError):
    """An action could not be carried out on the page."""

    code = "browser_error"
    status = 422


class NoMatch(BrowserError):
    """Nothing visible matches the target."""

    code = "no_match"


class InvalidSelector(BrowserError):
    """The target cannot be read as a selector."""

    code = "invalid_selector"


class StaleRef(BrowserError):
    """The element of a snapshot ref is gone: take a new snapshot."""

    code = "stale"


class Covered(BrowserError):
    """Something else lies on top of the target."""

    code = "covered"
    retryable = True


class Unforeseen(BrowserError):
    """The act would have pressed a control that it was not judged for: that press was stopped."""

    code = "unforeseen"
    retryable = True


class NotEnabled(BrowserError):
    """The target is disabled, read-only or not a field."""

    code = "not_enabled"
    retryable = True


class Detached(BrowserError):
    """The element that was judged left the page before it could be acted on."""

    code = "detached"
    retryable = True


class TimedOut(BrowserError):
    """The page did not answer in time."""

    code = "timeout"
    retryable = True


class PageStuck(TimedOut):
    """The page crashed or never rests: only another address helps."""


class NavigationFailed(BrowserError):
    """The address could not be opened."""

    code = "navigation_failed"
    retryable = True


class BrowserLost(BrowserError):
    """The run's browser is gone: start a new run."""

    code = "browser_lost"


class PageChanged(BrowserError):
    """The page no longer holds what was approved. Nothing was done."""

    code = "stale"


class OutcomeUnknown(BrowserError):
    """The act had begun when the page or the browser stopped answering: it may have happened."""

    code = "outcome_unknown"


class FormStopped(BrowserError):
    """A form was left half filled in; `written` names the fields that hold their values."""

    def __init__(self, message: str, *, cause: BrowserError, written: list[str]) -> None:
        super().__init__(message, written=written)
        self.code = cause.code
        self.retryable = cause.retryable
