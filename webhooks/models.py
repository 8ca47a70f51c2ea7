"""Where events are sent, each delivery of one, and who wants a mail. Secrets lie sealed."""

import json
import uuid
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import pgettext_lazy

from agents.models import Person


class Endpoint(models.Model):
    """An address of somebody's own that hears of events. Set by admins only."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    url = models.URLField(max_length=500)
    description = models.CharField(max_length=200, blank=True)
    events = models.JSONField(default=list, help_text="names of the events it hears of")
    enabled = models.BooleanField(default=True)
    disabled_why = models.CharField(max_length=200, blank=True)
    sealed_secret = models.TextField(help_text="signs its messages; sealed with SEAL_KEY")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return self.description or str(self.id)


class Delivery(models.Model):
    """One event for one endpoint. The row comes before the message and outlives it."""

    class Status(models.TextChoices):
        PENDING = "pending", pgettext_lazy("delivery", "waiting")
        DELIVERED = "delivered", pgettext_lazy("delivery", "delivered")
        FAILED = "failed", pgettext_lazy("delivery", "failed")

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=40, help_text="webhook-id: the same at every try")
    event = models.CharField(max_length=40)
    body = models.TextField(help_text="the very text that is signed and sent, at every try")
    status = models.CharField(max_length=9, choices=Status, default=Status.PENDING)
    tries = models.PositiveIntegerField(default=0, help_text="since it was last handed out anew")
    next_try_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, help_text="one sender has it so long")
    tried_at = models.DateTimeField(null=True)
    took_ms = models.PositiveIntegerField(null=True)
    answer_status = models.PositiveIntegerField(null=True, help_text="HTTP status of the latest")
    answer = models.TextField(blank=True, help_text="the beginning of its body")
    error = models.CharField(max_length=300, blank=True, help_text="why it was not delivered")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["pending", "delivered", "failed"]),
                name="delivery_status_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["endpoint", "next_try_at"],
                condition=Q(status="pending"),
                name="delivery_due",
            ),
            models.Index(fields=["status", "-id"], name="delivery_by_status"),
            models.Index(fields=["created_at"], name="delivery_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.event} ({self.status})"

    @property
    def is_pending(self) -> bool:
        return self.status == self.Status.PENDING

    @property
    def data(self) -> dict[str, Any]:
        return json.loads(self.body)["data"]


class Escalation(models.Model):
    """A proposal was called urgent: once, however many sweeps see it."""

    proposal_id = models.UUIDField(primary_key=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"escalation of {self.proposal_id}"


class Digest(models.Model):
    """A person's wish: a mail every so often while proposals of their teams wait too long."""

    person = models.OneToOneField(Person, on_delete=models.CASCADE, related_name="digest")
    address = models.EmailField()
    every_minutes = models.PositiveIntegerField(default=60)
    waiting_minutes = models.PositiveIntegerField(default=10)
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"digest of {self.person}"
