"""What every page's frame shows: how much waits, and whether gating is in force."""

from functools import cached_property
from typing import Any

from django.http import HttpRequest

from agents.models import Person
from confidence import flags
from proposals import queries


class Desk:
    """Asked for lazily, so that a page without the frame costs no query."""

    def __init__(self, person: object) -> None:
        self.person = person if isinstance(person, Person) and person.is_active else None

    @cached_property
    def pending_count(self) -> int:
        return queries.pending_count(self.person) if self.person else 0

    @cached_property
    def gating(self) -> str:
        return flags.current().mode


def desk(request: HttpRequest) -> dict[str, Any]:
    return {"desk": Desk(getattr(request, "user", None))}
