"""Agents: registered, moved between tiers, gated, paused, and which hosts their browsers reach."""

import re
from functools import partial

from django.db import transaction

from agents.models import AgentRegistry
from agents.services.teams import teams_named
from audit.services import record
from core import live
from core.actors import SYSTEM, Actor
from core.errors import Conflict, Invalid
from core.words import phrase

HOST = re.compile(r"(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?|\[[0-9a-f:]+\](:\d{1,5})?")


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
        raise Conflict(phrase("An agent named {name} exists already.", name=repr(name)))
    agent = AgentRegistry.objects.create(
        name=name,
        tier=tier,
        allowed_hosts=[checked_host(host) for host in allowed_hosts or []],
        match_confidence_gating_enabled=gating,
    )
    agent.teams.set(teams_named(teams))
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
def set_confirmation_mode(agent: AgentRegistry, mode: str, *, actor: Actor) -> AgentRegistry:
    """ "" leaves it to the others who may want one. Raises Invalid for an unknown one."""
    if mode and mode not in AgentRegistry.ConfirmationMode.values:
        raise Invalid(phrase("It must be latch, block or ask."))
    return _set(agent, "confirmation_mode", mode, verb="agent.set_confirmation_mode", actor=actor)


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
        _hint_on_commit(held)
    return held


def _hint_on_commit(agent: AgentRegistry) -> None:
    """Open cards say how their agent stands."""
    teams = list(agent.teams.values_list("id", flat=True))
    transaction.on_commit(partial(live.hint, teams, {"kind": "agent", "id": str(agent.pk)}))


def _known_tier(tier: str) -> str:
    if tier not in AgentRegistry.Tier.values:
        raise Invalid(f"Unknown tier {tier!r}: use one of {', '.join(AgentRegistry.Tier.values)}.")
    return tier


def checked_host(host: str) -> str:
    """`host`, `*.suffix` or `host:port` in lower case. Raises Invalid."""
    clean = host.strip().lower()
    if not HOST.fullmatch(clean):
        said = phrase("{host} is not a host: write host, *.suffix or host:port.", host=repr(host))
        raise Invalid(said)
    return clean
