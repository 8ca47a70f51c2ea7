"""Teams: made, renamed, and who is in them."""

from collections.abc import Iterable

from django.db import transaction

from agents.models import AgentRegistry, Person, Team
from audit.services import record
from core import live
from core.actors import Actor
from core.errors import Conflict, Invalid
from core.words import phrase

DEFAULT_TEAM = "default"


def teams_named(names: list[str] | None) -> list[Team]:
    """Made where they are missing; the default one where none is named."""
    return [Team.objects.get_or_create(name=name)[0] for name in names or [DEFAULT_TEAM]]


@transaction.atomic
def create_team(name: str, *, actor: Actor) -> Team:
    """Raises Conflict if the name is taken."""
    team = Team.objects.create(name=_free_name(name))
    record("team.create", actor=actor, payload={"name": team.name})
    return team


@transaction.atomic
def rename_team(team: Team, name: str, *, actor: Actor) -> Team:
    """Raises Conflict for a taken name, Invalid for the default team, which commands rely on."""
    if team.name == name:
        return team
    if team.name == DEFAULT_TEAM:
        raise Invalid(phrase("The default team keeps its name: new agents and people join it."))
    former, team.name = team.name, _free_name(name)
    team.save(update_fields=["name"])
    record("team.rename", actor=actor, payload={"from": former, "to": team.name})
    return team


def _free_name(name: str) -> str:
    if Team.objects.filter(name=name).exists():
        raise Conflict(phrase("A team named {name} exists already.", name=repr(name)))
    return name


@transaction.atomic
def set_members(
    team: Team, *, people: Iterable[Person], agents: Iterable[AgentRegistry], actor: Actor
) -> None:
    """Exactly these people and agents. Raises Invalid where an agent would be left without a team:
    nobody could decide for it."""
    Team.objects.select_for_update().get(pk=team.pk)
    wanted_people, wanted_agents = set(people), set(agents)
    former_people, former_agents = set(team.people.all()), set(team.agents.all())
    if wanted_people == former_people and wanted_agents == former_agents:
        return
    _refuse_orphans(former_agents - wanted_agents)
    team.people.set(wanted_people)
    team.agents.set(wanted_agents)
    payload = {
        "team": team.name,
        "people_joined": _names(wanted_people - former_people),
        "people_left": _names(former_people - wanted_people),
        "agents_joined": _names(wanted_agents - former_agents),
        "agents_left": _names(former_agents - wanted_agents),
    }
    record("team.set_members", actor=actor, payload=payload)
    moved = wanted_people ^ former_people
    if wanted_agents != former_agents:  # their cards come and go for everybody here
        moved = wanted_people | former_people
    transaction.on_commit(lambda: live.look_again([one.pk for one in moved]))


def _refuse_orphans(leaving: Iterable[AgentRegistry]) -> None:
    orphans = [agent.name for agent in leaving if agent.teams.count() < 2]
    if orphans:
        names = ", ".join(sorted(orphans))
        raise Invalid(phrase("{names} would be in no team: nobody could decide.", names=names))


def _names(rows: Iterable[Person | AgentRegistry]) -> list[str]:
    return sorted(str(row) for row in rows)
