"""What a person may see: their teams' agents. Admins see every agent, person and team; auditors
read everything."""

from uuid import UUID

from django.db.models import QuerySet

from agents.models import AgentRegistry, Person, PersonSession, Team
from core.errors import Forbidden, NotFound


def agents_visible_to(person: Person) -> QuerySet[AgentRegistry]:
    """Agents of the person's teams; all of them for an auditor."""
    if person.sees_every_team:
        return AgentRegistry.objects.all()
    return AgentRegistry.objects.filter(teams__in=person.teams.all()).distinct()


def agents_overseen_by(person: Person) -> QuerySet[AgentRegistry]:
    """Every agent for an admin, who sets their tiers and keys; else the teams'.

    Seeing an agent's page is not seeing its work: runs and proposals stay with the teams."""
    if person.role == Person.Role.ADMIN:
        return AgentRegistry.objects.all()
    return agents_visible_to(person)


def get_overseen(person: Person, agent_id: UUID | str) -> AgentRegistry:
    found = agents_overseen_by(person).filter(pk=agent_id).first()
    if found is None:
        raise NotFound("There is no such agent, or it belongs to another team.")
    return found


def pausable_by(person: Person, agent_id: UUID | str) -> AgentRegistry:
    """Its teams' reviewers pause an agent, and any admin. Raises NotFound, and Forbidden for a role
    that only reads."""
    agent = get_overseen(person, agent_id)
    if not person.may_decide:
        raise Forbidden("Your role may see agents but not pause them.")
    return agent


def resumable_by(person: Person, agent_id: UUID | str) -> AgentRegistry:
    """The same; but what an admin stopped, only an admin lets go on."""
    agent = pausable_by(person, agent_id)
    if agent.status == AgentRegistry.Status.STOPPED:
        admin(person)
    return agent


def admin(caller: object) -> Person:
    """The caller, who is an admin. Raises Forbidden for anybody else, and for every agent's key."""
    if not isinstance(caller, Person) or caller.role != Person.Role.ADMIN:
        raise Forbidden("Only an admin may do this, signed in to the pages.")
    return caller


def get_person(person_id: int) -> Person:
    found = Person.objects.filter(pk=person_id).first()
    if found is None:
        raise NotFound("There is no such person.")
    return found


def get_team(team_id: int) -> Team:
    found = Team.objects.filter(pk=team_id).first()
    if found is None:
        raise NotFound("There is no such team.")
    return found


def own_session(person: Person, session_id: int) -> PersonSession:
    """Somebody else's is not there."""
    found = PersonSession.objects.filter(person=person, pk=session_id).first()
    if found is None:
        raise NotFound("There is no such session.")
    return found
