"""Who works here: agents with their keys, people with their roles, and the teams of both."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.models import Session
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy

from core import clock


class Team(models.Model):
    """Reviewers decide for the agents of their teams. One team, `default`, is always there."""

    name = models.CharField(max_length=80, unique=True)

    def __str__(self) -> str:
        return self.name


class Person(AbstractUser):
    """A human account."""

    class Role(models.TextChoices):
        REVIEWER = "reviewer", gettext_lazy("reviewer")
        ADMIN = "admin", gettext_lazy("admin")
        AUDITOR = "auditor", gettext_lazy("auditor")

    role = models.CharField(max_length=10, choices=Role, default=Role.REVIEWER)
    teams = models.ManyToManyField(Team, related_name="people", blank=True)
    preferences = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        help_text="by page: how this person likes it",
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("email"), condition=~models.Q(email=""), name="person_email_is_theirs_alone"
            ),
        ]

    @property
    def may_decide(self) -> bool:
        return self.is_active and self.role in {self.Role.REVIEWER, self.Role.ADMIN}

    @property
    def sees_every_team(self) -> bool:
        """Auditors read the whole record and decide nothing; others see the teams they are in."""
        return self.role == self.Role.AUDITOR


class AgentRegistry(models.Model):
    """An LLM agent that may send browser actions."""

    class Tier(models.TextChoices):
        STUDENT = "student", gettext_lazy("student")
        INTERN = "intern", gettext_lazy("intern")
        SUPERVISED = "supervised", gettext_lazy("supervised")
        AUTONOMOUS = "autonomous", gettext_lazy("autonomous")

    class ConfirmationMode(models.TextChoices):
        LATCH = "latch", gettext_lazy("latch")
        BLOCK = "block", gettext_lazy("block")
        ASK = "ask", gettext_lazy("ask")

    class Status(models.TextChoices):
        ACTIVE = "active", gettext_lazy("active")
        PAUSED = "paused", gettext_lazy("paused")
        STOPPED = "stopped", gettext_lazy("stopped")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80, unique=True)
    tier = models.CharField(max_length=12, choices=Tier, default=Tier.STUDENT)
    match_confidence_gating_enabled = models.BooleanField(
        null=True,
        blank=True,
        help_text="null follows the roll-out of its tier, true always gates, false never gates",
    )
    confirmation_mode = models.CharField(
        max_length=5,
        choices=ConfirmationMode,
        blank=True,
        default="",
        db_default="",
        help_text="what becomes of an irreversible act nobody was asked about; empty: no wish",
    )
    status = models.CharField(max_length=8, choices=Status, default=Status.ACTIVE)
    teams = models.ManyToManyField(Team, related_name="agents")
    allowed_hosts = models.JSONField(
        default=list, blank=True, help_text="hosts its browsers may reach: host or host:port"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "agent"
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(tier__in=["student", "intern", "supervised", "autonomous"]),
                name="agent_tier_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["active", "paused", "stopped"]),
                name="agent_status_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(confirmation_mode__in=["", "latch", "block", "ask"]),
                name="agent_confirmation_mode_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    # Django and DRF ask an authenticated principal for these.
    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def is_active(self) -> bool:
        return self.status == self.Status.ACTIVE


class ApiKey(models.Model):
    """A key of an agent. Only its hash is kept; `prefix` lets people tell keys apart."""

    agent = models.ForeignKey(AgentRegistry, on_delete=models.CASCADE, related_name="keys")
    prefix = models.CharField(max_length=16)
    key_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True, help_text="null: never; refused from then on")
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.agent}"

    @property
    def has_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= clock.now()

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and not self.has_expired


class SignInLink(models.Model):
    """A one-time door for the demo's reviewer: hashed, short-lived, consumed by POST."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    token_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.person}"


class PasswordLink(models.Model):
    """Sets somebody's password once: hashed, short-lived, consumed by POST."""

    class Kind(models.TextChoices):
        INVITATION = "invitation", gettext_lazy("invitation")
        RESET = "reset", gettext_lazy("reset")

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="password_links")
    kind = models.CharField(max_length=10, choices=Kind)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.kind} of {self.person}"


class PersonSession(models.Model):
    """Whose a session is, and from where: goes when the session goes."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="sessions")
    began_at = models.DateTimeField()
    last_used_at = models.DateTimeField()
    address = models.GenericIPAddressField(null=True)
    user_agent = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-last_used_at"]

    def __str__(self) -> str:
        return f"session of {self.person}"


class KeyedRequest(models.Model):
    """What a call with an Idempotency-Key was answered: sent again, it does nothing more."""

    caller = models.CharField(max_length=60, help_text="agent or person, and which")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="of what was asked")
    answer = models.JSONField(default=dict)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["caller", "key"], name="keyed_request_once"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.caller}"
