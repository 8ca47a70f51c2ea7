"""What a person may see: their teams' agents. Whoever oversees agents sees every one."""

from uuid import UUID

from django.db.models import QuerySet

from agents.models import AgentRegistry, Person
from core.errors import NotFound


def agents_visible_to(person: Person) -> QuerySet[AgentRegistry]:
    """Agents of the person's teams; all of them for an auditor."""
    if person.sees_every_team:
        return AgentRegistry.objects.all()
    return AgentRegistry.objects.filter(teams__in=person.teams.all()).distinct()


def agents_overseen_by(person: Person) -> QuerySet[AgentRegistry]:
    """Every agent for an admin, who sets their tiers and keys, and for an auditor; else the teams'.

    Seeing an agent's page is not seeing its work: runs and proposals stay with the teams."""
    if person.role == Person.Role.ADMIN:
        return AgentRegistry.objects.all()
    return agents_visible_to(person)


def get_overseen(person: Person, agent_id: UUID | str) -> AgentRegistry:
    found = agents_overseen_by(person).filter(pk=agent_id).first()
    if found is None:
        raise NotFound("There is no such agent, or it belongs to another team.")
    return found
