"""The record: append-only entries in one hash chain per run, and pictures kept apart by digest."""

from typing import Any
from uuid import UUID

from django.db import models


class Chain(models.Model):
    """Head and count of one chain: a run's id, or `system`. Locked while an entry is added."""

    name = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField(default=0)
    head = models.CharField(max_length=64)
    head_seal = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.name} ({self.count})"


class BrowserAudit(models.Model):
    """One entry. The database refuses UPDATE, DELETE and TRUNCATE by trigger."""

    chain = models.CharField(max_length=64)
    sequence = models.PositiveIntegerField()
    at = models.DateTimeField()
    verb = models.CharField(max_length=60, help_text="dotted, such as proposal.approve")
    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=64, blank=True)
    actor_name = models.CharField(max_length=150, blank=True)
    run_id = models.UUIDField(null=True)
    action_id = models.UUIDField(null=True)
    proposal_id = models.UUIDField(null=True)
    agent_id = models.UUIDField(null=True)
    payload = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["chain", "sequence"], name="audit_one_entry_per_place"),
        ]
        indexes = [
            models.Index(fields=["run_id", "id"], name="audit_by_run"),
            models.Index(fields=["action_id"], name="audit_by_action"),
            models.Index(fields=["agent_id", "id"], name="audit_by_agent"),
            models.Index(fields=["at"], name="audit_by_time"),
            models.Index(fields=["verb", "id"], name="audit_by_verb"),
        ]

    def __str__(self) -> str:
        return f"{self.chain}#{self.sequence} {self.verb}"

    def sealed_content(self) -> dict[str, Any]:
        """What the hash covers: every column that says something."""
        return {
            "at": self.at.isoformat(timespec="microseconds"),
            "verb": self.verb,
            "actor": [self.actor_kind, self.actor_id, self.actor_name],
            "run_id": _text(self.run_id),
            "action_id": _text(self.action_id),
            "proposal_id": _text(self.proposal_id),
            "agent_id": _text(self.agent_id),
            "payload": self.payload,
        }


def _text(value: UUID | None) -> str | None:
    return str(value) if value else None


class Picture(models.Model):
    """A screenshot, named by its digest, so that it can be erased and the chain still verifies."""

    digest = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()
    media_type = models.CharField(max_length=40)
    width = models.PositiveIntegerField(help_text="CSS px")
    height = models.PositiveIntegerField(help_text="CSS px")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.digest[:12]
