"""Who looks at a page, and how domain errors become pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from agents import access
from agents.models import Person
from core.errors import Forbidden, NotFound


def person_of(request: HttpRequest) -> Person:
    return cast(Person, request.user)  # login_required has made sure


def require_admin(request: HttpRequest) -> Person:
    with refusals():
        return access.admin(request.user)


@contextmanager
def refusals() -> Iterator[None]:
    """What somebody may not see is not there; what they may not do is forbidden."""
    try:
        yield
    except NotFound as error:
        raise Http404(error.message) from error
    except Forbidden as error:
        raise PermissionDenied(error.message) from error
