"""A run is an episode of one agent in one browser; an action is one tool call of it."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import pgettext_lazy

from agents.models import AgentRegistry

ACTION_STATUSES = (
    "queued",
    "running",
    "requires_approval",
    "succeeded",
    "failed",
    "rejected",
    "blocked",
    "outcome_unknown",
)


class Run(models.Model):
    """Only `runs/services` writes it."""

    class Status(models.TextChoices):
        STARTING = "starting", pgettext_lazy("run", "starting")
        OPEN = "open", pgettext_lazy("run", "open")
        FINISHED = "finished", pgettext_lazy("run", "finished")
        FAILED = "failed", pgettext_lazy("run", "failed")
        KILLED = "killed", pgettext_lazy("run", "killed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey(AgentRegistry, on_delete=models.PROTECT, related_name="runs")
    status = models.CharField(max_length=8, choices=Status, default=Status.STARTING)
    label = models.CharField(max_length=200, blank=True)
    start_url = models.TextField(blank=True)
    current_url = models.TextField(blank=True)
    title = models.CharField(max_length=300, blank=True)
    step_id = models.PositiveIntegerField(default=0)
    turn = models.CharField(max_length=100, blank=True, help_text="the turn of the latest action")
    browser = models.JSONField(default=dict, help_text="how a worker attaches to its Chromium")
    refs = models.JSONField(default=dict, help_text="the frames of the latest snapshot")
    chooser = models.JSONField(default=dict, help_text="the file field whose chooser opened")
    error = models.JSONField(null=True, help_text="code and message")
    task = models.JSONField(
        default=dict, db_default={}, help_text="criteria, constraints, switches; {} for none"
    )
    is_open_play = models.BooleanField(
        default=False, db_default=False, help_text="nothing it does is latched"
    )
    confirmation_mode = models.CharField(
        max_length=5,
        blank=True,
        db_default="",
        help_text="latch, block or ask; it may only be stricter",
    )
    confirmation = models.JSONField(
        default=dict, db_default={}, help_text="the latch: token, asked, violation"
    )
    verification = models.JSONField(null=True, help_text="what the verifiers said at its end")
    idempotency_key = models.CharField(max_length=200, null=True, editable=False)
    request_digest = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    active_at = models.DateTimeField(help_text="when it last did something; idle time counts on")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "idempotency_key"], name="run_one_per_idempotency_key"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["starting", "open", "finished", "failed", "killed"]),
                name="run_status_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["status", "active_at"], name="run_by_activity"),
            models.Index(fields=["agent", "created_at", "id"], name="run_by_agent"),
            models.Index(fields=["created_at", "id"], name="run_by_time"),
        ]

    def __str__(self) -> str:
        return self.label or str(self.id)

    @property
    def is_over(self) -> bool:
        return self.status not in {self.Status.STARTING, self.Status.OPEN}


class Action(models.Model):
    """One tool call. The row comes before the message, so a lost message is sent again."""

    class Status(models.TextChoices):
        QUEUED = "queued", pgettext_lazy("step", "queued")
        RUNNING = "running", pgettext_lazy("step", "running")
        REQUIRES_APPROVAL = "requires_approval", pgettext_lazy("step", "waiting for a person")
        SUCCEEDED = "succeeded", pgettext_lazy("step", "succeeded")
        FAILED = "failed", pgettext_lazy("step", "failed")
        REJECTED = "rejected", pgettext_lazy("step", "rejected")
        BLOCKED = "blocked", pgettext_lazy("step", "blocked")
        OUTCOME_UNKNOWN = "outcome_unknown", pgettext_lazy("step", "outcome unknown")

    FINAL: ClassVar = (
        Status.SUCCEEDED,
        Status.FAILED,
        Status.REJECTED,
        Status.BLOCKED,
        Status.OUTCOME_UNKNOWN,
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="actions")
    step_id = models.PositiveIntegerField()
    turn = models.CharField(max_length=100, blank=True)
    tool = models.CharField(max_length=40)
    params = models.JSONField(default=dict, help_text="secrets masked")
    sealed_params = models.TextField(
        blank=True, help_text="typed text, encrypted; emptied at the end"
    )
    fingerprint = models.CharField(max_length=64, help_text="same tool and params: same digest")
    dry_run = models.BooleanField(default=False)
    status = models.CharField(max_length=18, choices=Status, default=Status.QUEUED)
    expect = models.JSONField(default=dict, help_text="post-conditions: url, text, selector")
    match_confidence = models.JSONField(null=True, help_text="of its least sure target")
    fields = models.JSONField(default=list, help_text="one confidence for each of several targets")
    gate_reasons = models.JSONField(default=list)
    screen_id = models.TextField(blank=True, db_default="", help_text="where it was judged")
    element_id = models.TextField(
        blank=True, db_default="", help_text="the irreversible element it was to press"
    )
    confirmation = models.JSONField(null=True, help_text="token and violation after this step")
    would_gate = models.BooleanField(default=False)
    page_host = models.CharField(
        max_length=260, blank=True, db_default="", help_text="of the page it was judged on"
    )
    acted_index = models.IntegerField(null=True, help_text="the candidate that was acted on")
    outcome = models.JSONField(null=True, help_text="VerifiedOutcome: for people, never the model")
    result = models.JSONField(null=True)
    error = models.JSONField(null=True, help_text="code, message, retryable")
    proposal_id = models.UUIDField(null=True, help_text="the latest proposal made for it")
    picture = models.CharField(max_length=64, blank=True, help_text="digest, taken afterwards")
    timings = models.JSONField(default=dict, help_text="resolve_ms, tiebreak_ms, act_ms, added_ms")
    idempotency_key = models.CharField(max_length=200, null=True, editable=False)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, help_text="when its message was last sent")
    acting_at = models.DateTimeField(null=True, help_text="set before the page is touched")
    started_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "idempotency_key"], name="action_one_per_idempotency_key"
            ),
            models.UniqueConstraint(
                fields=["run"],
                condition=Q(status="running"),
                name="action_one_running_per_run",
            ),
            models.CheckConstraint(
                condition=Q(status__in=ACTION_STATUSES),
                name="action_status_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["run", "created_at"], name="action_by_run"),
            models.Index(fields=["status", "created_at"], name="action_by_status"),
            models.Index(fields=["picture"], condition=~Q(picture=""), name="action_by_picture"),
            models.Index(
                fields=["created_at"],
                condition=Q(match_confidence__isnull=False, dry_run=False),
                name="action_judged_by_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} #{self.step_id} ({self.status})"

    @property
    def is_final(self) -> bool:
        return self.status in self.FINAL

    @property
    def answer_status(self) -> str:
        """What the API says: a queued action is `running` to the agent."""
        return "running" if self.status == self.Status.QUEUED else str(self.status)


class WrongTargetReport(models.Model):
    """A person says, after the fact, that an action hit another element than was meant."""

    action = models.OneToOneField(Action, on_delete=models.PROTECT, related_name="report")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reports"
    )
    level = models.CharField(max_length=10, blank=True, help_text="of the action's confidence")
    target = models.TextField(blank=True, help_text="the selector it was found by")
    host = models.CharField(max_length=260, blank=True)
    precedent_id = models.BigIntegerField(null=True, help_text="that picked for it")
    note = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["created_at"], name="report_by_time")]

    def __str__(self) -> str:
        return f"wrong target: {self.action}"
