"""Writers of agents, keys, people and sign-in links."""

import hashlib
import re
import secrets
from datetime import timedelta

from django.contrib.auth.hashers import make_password
from django.db import transaction

from agents.models import AgentRegistry, ApiKey, Person, SignInLink, Team
from audit.services import record
from core import clock
from core.actors import SYSTEM, Actor
from core.errors import Conflict, Invalid

DEFAULT_TEAM = "default"
KEY_PREFIX = "pm_"
LINK_LIFE = timedelta(minutes=10)
HOST = re.compile(r"(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?|\[[0-9a-f:]+\](:\d{1,5})?")


def actor_of(person: Person) -> Actor:
    """A person as the record names them."""
    return Actor(kind="person", id=str(person.pk), name=person.username)


def hash_of(secret: str) -> str:
    """SHA-256; enough for secrets of 256 random bits, and one index look-up per call."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def create_agent(
    name: str,
    *,
    tier: str,
    teams: list[str] | None = None,
    allowed_hosts: list[str] | None = None,
    gating: bool | None = None,
    actor: Actor = SYSTEM,
) -> AgentRegistry:
    """Register an agent. Raises Conflict if the name is taken, Invalid for a bad tier or host."""
    _known_tier(tier)
    if AgentRegistry.objects.filter(name=name).exists():
        raise Conflict(f"An agent named {name!r} exists already.")
    agent = AgentRegistry.objects.create(
        name=name,
        tier=tier,
        allowed_hosts=[checked_host(host) for host in allowed_hosts or []],
        match_confidence_gating_enabled=gating,
    )
    agent.teams.set(_teams(teams))
    record(
        "agent.create",
        actor=actor,
        agent_id=agent.id,
        payload={"name": name, "tier": tier, "gating": gating, "hosts": agent.allowed_hosts},
    )
    return agent


@transaction.atomic
def allow_hosts(agent: AgentRegistry, hosts: list[str], *, actor: Actor = SYSTEM) -> AgentRegistry:
    """Add hosts to those its browsers may reach. Raises Invalid for a bad one."""
    new = [host for host in map(checked_host, hosts) if host not in agent.allowed_hosts]
    if new:
        agent.allowed_hosts = [*agent.allowed_hosts, *new]
        agent.save(update_fields=["allowed_hosts"])
        record("agent.allow_hosts", actor=actor, agent_id=agent.id, payload={"hosts": new})
    return agent


@transaction.atomic
def set_tier(agent: AgentRegistry, tier: str, *, actor: Actor) -> AgentRegistry:
    """Move an agent to another tier, from its next action on. Raises Invalid for an unknown one."""
    return _set(agent, "tier", _known_tier(tier), verb="agent.set_tier", actor=actor)


@transaction.atomic
def set_gating(agent: AgentRegistry, gating: bool | None, *, actor: Actor) -> AgentRegistry:
    """None follows the roll-out of its tier, True always gates, False never."""
    name = "match_confidence_gating_enabled"
    return _set(agent, name, gating, verb="agent.set_gating", actor=actor)


@transaction.atomic
def set_hosts(agent: AgentRegistry, hosts: list[str], *, actor: Actor) -> AgentRegistry:
    """The hosts its browsers may reach, and no others. Raises Invalid for a bad one.

    Runs that are open keep what they started with."""
    wanted = list(dict.fromkeys(map(checked_host, hosts)))
    return _set(agent, "allowed_hosts", wanted, verb="agent.set_hosts", actor=actor)


@transaction.atomic
def pause(agent: AgentRegistry, *, actor: Actor) -> AgentRegistry:
    """Refuse its new runs and actions until somebody resumes it."""
    return _set(agent, "status", AgentRegistry.Status.PAUSED, verb="agent.pause", actor=actor)


@transaction.atomic
def resume(agent: AgentRegistry, *, actor: Actor) -> AgentRegistry:
    """Take its calls again, also after it was stopped."""
    return _set(agent, "status", AgentRegistry.Status.ACTIVE, verb="agent.resume", actor=actor)


def _set(
    agent: AgentRegistry, field: str, value: object, *, verb: str, actor: Actor
) -> AgentRegistry:
    """One field, under the row's lock; what is so already is neither written nor recorded."""
    held = AgentRegistry.objects.select_for_update().get(pk=agent.pk)
    before = getattr(held, field)
    if before != value:
        setattr(held, field, value)
        held.save(update_fields=[field])
        payload = {"from": before, "to": value}
        record(verb, actor=actor, agent_id=agent.pk, payload=payload)
    return held


def _known_tier(tier: str) -> str:
    if tier not in AgentRegistry.Tier.values:
        raise Invalid(f"Unknown tier {tier!r}: use one of {', '.join(AgentRegistry.Tier.values)}.")
    return tier


def checked_host(host: str) -> str:
    """`host`, `*.suffix` or `host:port` in lower case. Raises Invalid."""
    clean = host.strip().lower()
    if not HOST.fullmatch(clean):
        raise Invalid(f"{host!r} is not a host: write host, *.suffix or host:port.")
    return clean


@transaction.atomic
def create_key(agent: AgentRegistry, *, actor: Actor = SYSTEM) -> str:
    """A new key, returned this once; only its hash is kept."""
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    ApiKey.objects.create(agent=agent, prefix=key[:10], key_hash=hash_of(key))
    record("agent.key_create", actor=actor, agent_id=agent.id, payload={"prefix": key[:10]})
    return key


@transaction.atomic
def revoke_key(key: ApiKey, *, actor: Actor) -> None:
    """Refuse this key from now on. Harmless where it is revoked already."""
    if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=clock.now()):
        payload = {"prefix": key.prefix, "count": 1}
        record("agent.key_revoke", actor=actor, agent_id=key.agent_id, payload=payload)


@transaction.atomic
def revoke_keys(agent: AgentRegistry, *, actor: Actor = SYSTEM) -> int:
    """Revoke every live key of an agent and say how many there were."""
    count = ApiKey.objects.filter(agent=agent, revoked_at=None).update(revoked_at=clock.now())
    if count:
        record("agent.key_revoke", actor=actor, agent_id=agent.id, payload={"count": count})
    return count


@transaction.atomic
def create_person(
    username: str,
    *,
    role: str = Person.Role.REVIEWER,
    teams: list[str] | None = None,
    actor: Actor = SYSTEM,
) -> tuple[Person, str]:
    """A person and their first password, returned this once."""
    if role not in Person.Role.values:
        raise Invalid(f"Unknown role {role!r}: use one of {', '.join(Person.Role.values)}.")
    if Person.objects.filter(username=username).exists():
        raise Conflict(f"A person named {username!r} exists already.")
    password = secrets.token_urlsafe(12)
    is_admin = role == Person.Role.ADMIN
    person = Person.objects.create(
        username=username,
        role=role,
        password=make_password(password),
        is_staff=is_admin,
        is_superuser=is_admin,
    )
    person.teams.set(_teams(teams))
    record("person.create", actor=actor, payload={"username": username, "role": role})
    return person, password


def _teams(names: list[str] | None) -> list[Team]:
    return [Team.objects.get_or_create(name=name)[0] for name in names or [DEFAULT_TEAM]]


@transaction.atomic
def create_sign_in_link(person: Person) -> str:
    """A token that signs this person in once within ten minutes."""
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        person=person, token_hash=hash_of(token), expires_at=clock.now() + LINK_LIFE
    )
    return token


def consume_sign_in_link(token: str) -> Person | None:
    """The person behind a live link, which is used up by this call; None for any other."""
    live = SignInLink.objects.filter(
        token_hash=hash_of(token), used_at=None, expires_at__gt=clock.now(), person__is_active=True
    )
    if not live.update(used_at=clock.now()):
        return None
    return SignInLink.objects.select_related("person").get(token_hash=hash_of(token)).person
