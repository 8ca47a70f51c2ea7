"""What a person may see: their teams' agents."""

from django.db.models import QuerySet

from agents.models import AgentRegistry, Person


def agents_visible_to(person: Person) -> QuerySet[AgentRegistry]:
    """Agents of the person's teams; all of them for an auditor."""
    if person.sees_every_team:
        return AgentRegistry.objects.all()
    return AgentRegistry.objects.filter(teams__in=person.teams.all()).distinct()
