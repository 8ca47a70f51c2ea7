"""Conversations on runs. A run is known here by its id alone: it lives in a room above."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from routing.domain.rules import Target

TARGETS = [target.value for target in Target]


class Conversation(models.Model):
    """What is known between two turns. Only `routing/services` writes it; whoever changes it or
    adds a turn holds its row."""

    run_id = models.UUIDField(primary_key=True, editable=False)
    pin = models.CharField(max_length=8, blank=True, help_text="local or escalate, until unpinned")
    is_sticky = models.BooleanField(default=False, help_text="an escalation went well")
    latest_number = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pin__in=["", *TARGETS]), name="conversation_pin_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"conversation on {self.run_id}"


class Turn(models.Model):
    """What one of them said. A person's turn keeps the number after it free for its answer, so
    there can never be a second one, and the numbers are the order of the conversation."""

    class Who(models.TextChoices):
        USER = "user", "user"
        AGENT = "agent", "agent"
        TOOL_RESULT = "tool_result", "tool result"

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        ANSWERING = "answering", "answering"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "failed"
        REFUSED = "refused", "refused"

    MAY_BE_SENT_AGAIN: ClassVar = (Status.FAILED, Status.REFUSED)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, related_name="turns")
    number = models.PositiveIntegerField()
    who = models.CharField(max_length=11, choices=Who)
    author = models.CharField(max_length=150, help_text="a person, an agent or a model, by name")
    text = models.TextField()
    key = models.CharField(max_length=40, null=True, help_text="of the form it was written in")
    override = models.CharField(max_length=8, blank=True, help_text="chosen for this turn only")
    target = models.CharField(max_length=8, blank=True, help_text="where it went or came from")
    decision = models.JSONField(null=True, help_text="the router's, with every reason")
    reply = models.JSONField(null=True, help_text="what it did to the run's waiting question")
    status = models.CharField(max_length=9, choices=Status)
    written = models.TextField(blank=True, help_text="of an answer that is not whole")
    error = models.JSONField(null=True, help_text="code and message")
    claim = models.UUIDField(null=True, help_text="the worker that answers; it alone may write")
    lease_until = models.DateTimeField(null=True)
    times_lost = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, help_text="when its message was last sent")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "number"], name="turn_one_per_number"),
            models.UniqueConstraint(fields=["conversation", "key"], name="turn_one_per_key"),
            models.UniqueConstraint(
                fields=["conversation"],
                condition=Q(status="answering"),
                name="turn_one_answering_per_conversation",
            ),
            models.CheckConstraint(
                condition=Q(who="user") | Q(who__in=["agent", "tool_result"], status="answered"),
                name="turn_only_people_are_answered",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "answering", "answered", "failed", "refused"]),
                name="turn_status_is_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["status", "created_at"],
                condition=Q(status__in=["waiting", "answering"]),
                name="turn_unanswered",
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.number} of {self.conversation_id}"

    @property
    def is_final(self) -> bool:
        return self.status not in {self.Status.WAITING, self.Status.ANSWERING}

    @property
    def may_be_sent_again(self) -> bool:
        return self.status in self.MAY_BE_SENT_AGAIN

    @property
    def answer_number(self) -> int:
        return self.number + 1


class RulesVersion(models.Model):
    """Rules as an admin wrote them, and every text there ever was. The latest holds; an empty text
    gives way to the file of ROUTER_RULES and the product's own. `routing/services` writes it."""

    number = models.PositiveIntegerField(unique=True)
    text = models.TextField(blank=True, help_text="YAML: the rules that it changes")
    at = models.DateTimeField()
    by = models.CharField(max_length=150)

    class Meta:
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"version {self.number} of the router's rules"
