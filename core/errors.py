"""The errors every room raises. `core/http.py` alone turns them into HTTP answers."""


class DomainError(Exception):
    """Something was refused. `code` is stable and public; the message says what to do."""

    code = "error"
    status = 400
    retryable = False

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class Invalid(DomainError):
    """The request is well formed but asks for something impossible."""

    code = "invalid"
    status = 422


class NotFound(DomainError):
    """There is no such thing, or the caller may not see it: the two are not told apart."""

    code = "not_found"
    status = 404


class Forbidden(DomainError):
    """The caller may see this but not do that."""

    code = "forbidden"
    status = 403


class Conflict(DomainError):
    """The present state does not allow it; `details` say what that state is."""

    code = "conflict"
    status = 409


class Gone(DomainError):
    """It was possible once; its time is over."""

    code = "expired"
    status = 410


class TooMany(DomainError):
    """A limit is reached; try again after `retry_after_s`."""

    code = "too_many"
    status = 429
    retryable = True


class Unavailable(DomainError):
    """A part Pointsman stands on does not answer."""

    code = "unavailable"
    status = 503
    retryable = True
