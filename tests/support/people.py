"""Agents, people and flags as rows of a running product: what the commands would write, without
starting a process for each."""

import hashlib
import json
import secrets
import uuid
from collections.abc import Callable
from functools import cache
from typing import Any

from django.contrib.auth.hashers import Argon2PasswordHasher

Sql = Callable[..., list[tuple[Any, ...]]]
PASSWORD = "a-long-enough-password"
GATING = {"follow": None, "always": True, "never": False}

TEAM = """
INSERT INTO agents_team (name) VALUES (%s)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id"""
AGENT = """
INSERT INTO agents_agentregistry
    (id, name, tier, match_confidence_gating_enabled, status, allowed_hosts, created_at)
VALUES (%s, %s, %s, %s, 'active', %s::jsonb, now())"""
AGENTS_TEAM = "INSERT INTO agents_agentregistry_teams (agentregistry_id, team_id) VALUES (%s, %s)"
KEY = """
INSERT INTO agents_apikey (agent_id, prefix, key_hash, created_at) VALUES (%s, %s, %s, now())"""
PERSON = """
INSERT INTO agents_person
    (username, role, password, is_staff, is_superuser, is_active, date_joined, first_name,
     last_name, email)
VALUES (%s, %s, %s, %s, %s, true, now(), '', '', '') RETURNING id"""
FLAG = """
INSERT INTO confidence_flagoverride (name, value, version, set_at) VALUES (%s, %s::jsonb, 1, now())
ON CONFLICT (name) DO UPDATE SET value = excluded.value, set_at = now()"""
PERSONS_TEAM = "INSERT INTO agents_person_teams (person_id, team_id) VALUES (%s, %s)"


def add_agent(
    sql: Sql, name: str, *, tier: str, hosts: list[str], gating: str, team: str
) -> tuple[str, str]:
    """Returns its id and its key."""
    agent_id, key = str(uuid.uuid4()), f"pm_{secrets.token_urlsafe(32)}"
    sql(AGENT, agent_id, name, tier, GATING[gating], json.dumps([host.lower() for host in hosts]))
    sql(AGENTS_TEAM, agent_id, _team(sql, team))
    sql(KEY, agent_id, key[:10], hashlib.sha256(key.encode()).hexdigest())
    return agent_id, key


def add_person(sql: Sql, name: str, *, role: str, team: str) -> str:
    """Returns the password."""
    is_admin = role == "admin"
    person_id = sql(PERSON, name, role, _hash_of(PASSWORD), is_admin, is_admin)[0][0]
    sql(PERSONS_TEAM, person_id, _team(sql, team))
    return PASSWORD


def _team(sql: Sql, name: str) -> int:
    return int(sql(TEAM, name)[0][0])


@cache
def _hash_of(password: str) -> str:
    """As slow as it has to be, so once for all."""
    hasher = Argon2PasswordHasher()
    return str(hasher.encode(password, hasher.salt()))
