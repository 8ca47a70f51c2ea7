"""Who may change what admins change. Reading is `agents/access.py: agents_overseen_by`."""

from uuid import UUID

from agents.access import get_overseen
from agents.models import AgentRegistry, Person
from core.errors import Forbidden


def admin(caller: object) -> Person:
    """The caller, who is an admin. Raises Forbidden for anybody else, and for every agent's key."""
    if not isinstance(caller, Person) or caller.role != Person.Role.ADMIN:
        raise Forbidden("Only an admin may do this, signed in to the pages.")
    return caller


def changeable_by(person: Person, agent_id: UUID | str) -> AgentRegistry:
    """Raises NotFound for another team's agent, then Forbidden for a role that only reads."""
    agent = get_overseen(person, agent_id)
    admin(person)
    return agent
