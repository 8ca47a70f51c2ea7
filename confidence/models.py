"""What admins changed of the flags' defaults, and the meter of the tiebreaker."""

from django.conf import settings
from django.db import models


class FlagOverride(models.Model):
    """The latest value of one flag; every change is also an audit entry."""

    name = models.CharField(max_length=60, primary_key=True)
    value = models.JSONField()
    version = models.PositiveIntegerField(default=1)
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    set_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name}={self.value!r} (version {self.version})"


class TiebreakCall(models.Model):
    """One question to the tiebreaker: how it ended, how long it took and what it cost."""

    class Outcome(models.TextChoices):
        PICKED = "picked"
        UNDECIDED = "undecided"
        UNAVAILABLE = "unavailable"
        OPEN = "open"
        TIMEOUT = "timeout"
        BAD_ANSWER = "bad_answer"
        ERROR = "error"
        CACHED = "cached"

    run_id = models.UUIDField(null=True)
    action_id = models.UUIDField(null=True)
    agent_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(db_index=True)
    model = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    latency_ms = models.FloatField()
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=8, default=0)
    cache_hit = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.outcome} by {self.model or 'no model'} in {self.latency_ms:.0f} ms"


class Precedent(models.Model):
    """What a reviewer picked once for a selector on a kind of page: it is picked again."""

    agent = models.ForeignKey(
        "agents.AgentRegistry",
        null=True,
        on_delete=models.CASCADE,
        related_name="precedents",
        help_text="null: for every agent on that site",
    )
    taught_by = models.ForeignKey(
        "agents.AgentRegistry",
        null=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="whose call it was: one for a site serves the agents of that one's teams",
    )
    target = models.TextField(help_text="the selector, exactly as the agents send it")
    page_pattern = models.CharField(
        max_length=500, help_text="host, path and query, * for what is another number each time"
    )
    fingerprint = models.CharField(max_length=64)
    candidate = models.JSONField(help_text="the element as it was when it was taught")
    rescues_ambiguous = models.BooleanField(default=False, help_text="set by an admin only")
    proposal_id = models.UUIDField(help_text="where it was taught")
    made_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    suspended_at = models.DateTimeField(null=True, help_text="a pick of it was reported as wrong")
    uses = models.PositiveIntegerField(default=0, help_text="reviews it saved")
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["target", "expires_at"], name="precedent_by_target")]

    def __str__(self) -> str:
        return f"{self.target} on {self.page_pattern}"


class PrecedentUse(models.Model):
    """One action for which a precedent picked, whatever became of it."""

    precedent = models.ForeignKey(Precedent, on_delete=models.CASCADE, related_name="actions")
    action_id = models.UUIDField()
    at = models.DateTimeField()
    saved_review = models.BooleanField(
        default=False, db_default=False, help_text="a person would have been asked without it"
    )
    was_wrong = models.BooleanField(default=False, help_text="reported as wrong target")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["action_id", "precedent"], name="precedent_use_once_an_action"
            )
        ]

    def __str__(self) -> str:
        return f"{self.precedent_id} for {self.action_id}"
