"""Fetch a run as a person, or not at all."""

from uuid import UUID

from django.db.models import QuerySet

from agents.access import agents_overseen_by, agents_visible_to
from agents.models import AgentRegistry, Person
from core.errors import Forbidden, NotFound
from runs.models import Run


def visible_to(viewer: Person | AgentRegistry) -> QuerySet[Run]:
    """A person's teams' runs; an agent's own."""
    if isinstance(viewer, AgentRegistry):
        return Run.objects.filter(agent=viewer)
    return Run.objects.filter(agent__in=agents_visible_to(viewer))


def killable_by(caller: Person | AgentRegistry, run_id: UUID | str) -> Run:
    """An agent's own, a reviewer's teams', and any for an admin: stopping is not seeing.

    Raises NotFound, and Forbidden for a role that only reads.
    """
    if isinstance(caller, AgentRegistry):
        return get_visible(caller, run_id)
    runs = Run.objects.filter(agent__in=agents_overseen_by(caller)).select_related("agent")
    found = runs.filter(pk=run_id).first()
    if found is None:
        raise NotFound("There is no such run, or it belongs to another team.")
    if not caller.may_decide:
        raise Forbidden("Your role may read runs but not stop them.")
    return found


def get_visible(viewer: Person | AgentRegistry, run_id: UUID | str) -> Run:
    found = visible_to(viewer).select_related("agent").filter(pk=run_id).first()
    if found is None:
        raise NotFound("There is no such run, or it belongs to another team.")
    return found
