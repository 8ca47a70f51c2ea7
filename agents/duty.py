"""Who is on duty: whose desk is open, by team. Redis forgets a desk that is not renewed: those of a
process that died stop counting by themselves."""

import logging
import time
from collections.abc import Collection

import redis

from agents.models import Person, Team
from core.shared import shared_redis

log = logging.getLogger(__name__)
KEY = "pointsman:duty:{}"
HOLDS_S = 40.0
RENEW_S = 15.0


def duties_of(person_id: int) -> set[int]:
    """The teams that this person decides for; nobody is on duty who may only read."""
    person = Person.objects.filter(pk=person_id).first()
    if person is None or not person.may_decide:
        return set()
    return set(person.teams.values_list("id", flat=True))


def stay(desk: str, person_id: int, team_ids: Collection[int]) -> None:
    """An open desk counts for its person in these teams, until `HOLDS_S` from now."""
    until = time.time() + HOLDS_S
    try:
        with shared_redis().pipeline(transaction=False) as asked:
            for team_id in team_ids:
                asked.zadd(KEY.format(team_id), {f"{person_id} {desk}": until})
                asked.expire(KEY.format(team_id), int(HOLDS_S) + 1)
            asked.execute()
    except redis.RedisError as error:
        log.warning("an open desk was not noted: %s", error)


def leave(desk: str, person_id: int, team_ids: Collection[int]) -> None:
    try:
        with shared_redis().pipeline(transaction=False) as asked:
            for team_id in team_ids:
                asked.zrem(KEY.format(team_id), f"{person_id} {desk}")
            asked.execute()
    except redis.RedisError as error:
        log.warning("a closed desk counts until its time is up: %s", error)


def people_on_duty(team_ids: Collection[int]) -> dict[int, set[int]] | None:
    """The ids of the people with an open desk, by team; None when nobody can tell."""
    now = time.time()
    try:
        with shared_redis().pipeline(transaction=False) as asked:
            for team_id in team_ids:
                asked.zrangebyscore(KEY.format(team_id), now, "+inf")
            found = asked.execute()
    except redis.RedisError as error:
        log.warning("nobody can tell who is on duty: %s", error)
        return None
    return {
        team_id: {int(member.split(" ")[0]) for member in members}
        for team_id, members in zip(team_ids, found, strict=True)
    }


def is_attended(team_ids: Collection[int]) -> bool | None:
    """Whether anybody of these teams has a desk open; None when nobody can tell."""
    people = people_on_duty(team_ids)
    return None if people is None else any(people.values())


def unattended_teams(*, seen_by: Person) -> list[str]:
    """Teams with agents and nobody on duty, by name. Whoever looks is on duty for their own."""
    teams = Team.objects.filter(agents__isnull=False).exclude(people=seen_by).distinct()
    names = dict(teams.order_by("name").values_list("id", "name"))
    people = people_on_duty(names)
    return [name for team_id, name in names.items() if people is not None and not people[team_id]]
