"""The only writers of audit entries and pictures."""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from audit import domain, failures
from audit.models import BrowserAudit, Chain, Picture
from core import clock
from core.actors import Actor

SYSTEM_CHAIN = "system"


def record(
    verb: str,
    *,
    actor: Actor,
    run_id: UUID | None = None,
    action_id: UUID | None = None,
    proposal_id: UUID | None = None,
    agent_id: UUID | None = None,
    payload: Mapping[str, Any] | None = None,
) -> BrowserAudit:
    """Add one entry to the run's chain (or the system's), in the caller's transaction.

    The chain's row is locked until that transaction ends: keep it short, never around a browser.
    A failed write is counted before it is raised.
    """
    entry = BrowserAudit(
        chain=str(run_id) if run_id else SYSTEM_CHAIN,
        at=clock.now(),
        verb=verb,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        run_id=run_id,
        action_id=action_id,
        proposal_id=proposal_id,
        agent_id=agent_id,
        payload=domain.plain(dict(payload or {})),
    )
    try:
        with transaction.atomic(savepoint=False):
            _append(entry)
    except Exception:
        failures.note()
        raise
    return entry


def _append(entry: BrowserAudit) -> None:
    chain = _locked_chain(entry.chain)
    entry.sequence = chain.count + 1
    entry.previous_hash = chain.head
    entry.hash = domain.seal(
        settings.AUDIT_KEY,
        chain=entry.chain,
        sequence=entry.sequence,
        previous_hash=entry.previous_hash,
        content=entry.sealed_content(),
    )
    entry.save(force_insert=True)
    chain.count, chain.head = entry.sequence, entry.hash
    chain.head_seal = _head_seal(chain)
    chain.save(force_update=True)


def _locked_chain(name: str) -> Chain:
    known = Chain.objects.select_for_update().filter(name=name).first()
    return known or _new_chain(name)


def _new_chain(name: str) -> Chain:
    """Two writers may begin a chain at once: the second waits for the first one's row."""
    blank = Chain(name=name, count=0, head=domain.GENESIS, head_seal="")
    blank.head_seal = _head_seal(blank)
    Chain.objects.bulk_create([blank], ignore_conflicts=True)
    return Chain.objects.select_for_update().get(name=name)


def _head_seal(chain: Chain) -> str:
    return domain.seal_head(
        settings.AUDIT_KEY, chain=chain.name, count=chain.count, head=chain.head
    )


def keep_picture(content: bytes, *, media_type: str, width: int, height: int) -> str:
    """Store a picture once and return its digest (SHA-256, hex)."""
    digest = hashlib.sha256(content).hexdigest()
    picture = Picture(
        digest=digest,
        content=content,
        media_type=media_type,
        width=width,
        height=height,
        created_at=clock.now(),
    )
    Picture.objects.bulk_create([picture], ignore_conflicts=True)
    return digest
