"""Fetch a run as a person, or not at all."""

from uuid import UUID

from django.db.models import QuerySet

from agents.access import agents_visible_to
from agents.models import AgentRegistry, Person
from core.errors import NotFound
from runs.models import Run


def visible_to(viewer: Person | AgentRegistry) -> QuerySet[Run]:
    """A person's teams' runs; an agent's own."""
    if isinstance(viewer, AgentRegistry):
        return Run.objects.filter(agent=viewer)
    return Run.objects.filter(agent__in=agents_visible_to(viewer))


def get_visible(viewer: Person | AgentRegistry, run_id: UUID | str) -> Run:
    found = visible_to(viewer).select_related("agent").filter(pk=run_id).first()
    if found is None:
        raise NotFound("There is no such run, or it belongs to another team.")
    return found
