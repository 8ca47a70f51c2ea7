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
