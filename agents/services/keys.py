"""Keys of agents: made, rotated with an overlap, revoked."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction

from agents.models import AgentRegistry, ApiKey
from agents.services.names import hash_of
from audit.services import record
from core import clock
from core.actors import SYSTEM, Actor
from core.errors import Conflict, Invalid
from core.words import phrase

KEY_PREFIX = "pm_"
LONGEST_OVERLAP = timedelta(days=30)


@transaction.atomic
def create_key(
    agent: AgentRegistry, *, expires_at: datetime | None = None, actor: Actor = SYSTEM
) -> str:
    """A new key, returned this once; only its hash is kept. Raises Invalid for a past date."""
    key = _new_key(agent, expires_at)
    payload = {"prefix": key[:10], "expires_at": clock.rfc3339(expires_at)}
    record("agent.key_create", actor=actor, agent_id=agent.id, payload=payload)
    return key


@transaction.atomic
def rotate_key(
    key: ApiKey, *, overlap: timedelta, expires_at: datetime | None = None, actor: Actor
) -> str:
    """A new key, returned this once; the old one works for `overlap` more, then it is refused.

    Raises Conflict if the old one is over already: then there is nothing to overlap."""
    if not timedelta() <= overlap <= LONGEST_OVERLAP:
        raise Invalid(
            phrase("The old key may go on for at most {days} days.", days=LONGEST_OVERLAP.days)
        )
    old = ApiKey.objects.select_for_update().get(pk=key.pk)
    if not old.is_live:
        raise Conflict(phrase("This key is over already: create a new one."))
    new = _new_key(old.agent, expires_at)
    ends_at = clock.now() + overlap
    old.expires_at = min(old.expires_at or ends_at, ends_at)
    old.save(update_fields=["expires_at"])
    payload = {"prefix": new[:10], "old": old.prefix, "old_until": clock.rfc3339(old.expires_at)}
    record("agent.key_rotate", actor=actor, agent_id=old.agent_id, payload=payload)
    return new


def _new_key(agent: AgentRegistry, expires_at: datetime | None) -> str:
    if expires_at is not None and expires_at <= clock.now():
        raise Invalid(phrase("A key has to expire in the future, or never."))
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    ApiKey.objects.create(
        agent=agent, prefix=key[:10], key_hash=hash_of(key), expires_at=expires_at
    )
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
