"""What waits for a person, and what that person said."""

import uuid
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import pgettext_lazy

from agents.models import AgentRegistry, Person
from confidence.domain.confidence import candidate_from
from confidence.domain.risk import looks_irreversible
from proposals.domain import LONGEST_MESSAGE, OPEN, QUESTION, Starred, Status

# Rows that an older release moved have no `settled_at`.
SETTLED = Coalesce("settled_at", "decided_at", "created_at")


class Proposal(models.Model):
    """An action that waits for a person. Only `proposals/services` writes its status."""

    class Risk(models.TextChoices):
        ORDINARY = "ordinary", "ordinary"
        IRREVERSIBLE = "irreversible", "irreversible"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    status = models.CharField(
        max_length=16, choices=[(s.value, s.value) for s in Status], default=Status.PENDING
    )
    version = models.PositiveIntegerField(default=1)
    agent = models.ForeignKey(AgentRegistry, on_delete=models.PROTECT, related_name="proposals")
    # The run and the action live in a room above; they are known here by id alone.
    run_id = models.UUIDField()
    action_id = models.UUIDField()
    step_id = models.PositiveIntegerField()
    tool = models.CharField(max_length=40)
    params = models.JSONField(default=dict, help_text="as the agent sent them, secrets masked")
    intent = models.CharField(max_length=500, blank=True, help_text="the agent's words; unverified")
    reasons = models.JSONField(default=list)
    level = models.CharField(max_length=10, blank=True)
    score = models.FloatField(null=True, help_text="0..1")
    match_confidence = models.JSONField(null=True)
    chosen_index = models.IntegerField(default=-1, help_text="the starred candidate, -1 for none")
    approved_index = models.IntegerField(null=True, help_text="the candidate that was decided on")
    fields = models.JSONField(default=list, help_text="one confidence for each of several targets")
    shown_field = models.PositiveIntegerField(default=0, help_text="the least sure of them")
    approved_fields = models.JSONField(default=list, help_text="the candidate decided on, by field")
    anchors = models.JSONField(default=list, help_text="by target: where each candidate lives")
    sealed_changes = models.TextField(blank=True, help_text="what a reviewer typed, encrypted")
    page_url = models.TextField(blank=True)
    page_title = models.CharField(max_length=300, blank=True)
    page_digest = models.CharField(max_length=64, blank=True)
    screen_id = models.TextField(
        blank=True, db_default="", help_text="of a question: the screen it was asked on"
    )
    viewport = models.JSONField(default=dict, help_text="scroll_x, scroll_y, width, height: CSS px")
    picture = models.CharField(max_length=64, blank=True, help_text="digest of the screenshot")
    snippet = models.TextField(blank=True, help_text="HTML around the target, values masked")
    risk = models.CharField(max_length=12, choices=Risk, default=Risk.ORDINARY)
    outcome = models.JSONField(null=True, help_text="VerifiedOutcome of the execution")
    error = models.JSONField(null=True, help_text="code and message of a failed execution")
    replaces = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="replaced_by"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(
        null=True, help_text="when it was decided or ended, whichever came last"
    )
    run_ended_at = models.DateTimeField(
        null=True, help_text="its outcome is unknown, and the run is over: there is no retry"
    )
    sent_at = models.DateTimeField(null=True, help_text="when its execution was last handed out")
    lease_until = models.DateTimeField(null=True)
    viewer = models.ForeignKey(
        Person, null=True, on_delete=models.SET_NULL, related_name="+", help_text="has it open"
    )
    viewed_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["action_id"],
                condition=Q(status__in=sorted(OPEN)),
                name="proposal_one_open_per_action",
            ),
            models.UniqueConstraint(
                fields=["run_id"],
                condition=Q(status__in=sorted(OPEN - {Status.OUTCOME_UNKNOWN})),
                name="proposal_one_open_per_run",
            ),
            models.CheckConstraint(
                condition=Q(status__in=sorted(Status)), name="proposal_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="proposal_expires_later"
            ),
        ]
        indexes = [
            models.Index(fields=["status", "created_at"], name="proposal_queue"),
            models.Index(fields=["created_at"], name="proposal_by_time"),
            models.Index(fields=["agent", "created_at"], name="proposal_by_agent"),
            models.Index(fields=["run_id", "created_at"], name="proposal_by_run"),
            models.Index(fields=["picture"], name="proposal_by_picture"),
            models.Index(fields=["action_id"], name="proposal_by_action"),
            models.Index(SETTLED.desc(), name="proposal_by_settling"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} of {self.agent_id} ({self.status})"

    @property
    def candidates(self) -> list[dict[str, Any]]:
        return (self.match_confidence or {}).get("candidates", [])

    @property
    def targets(self) -> list[Starred]:
        """What is to be decided: one candidate of each target; none for a call without any."""
        if self.fields:
            return [
                Starred(one["name"], one["chosen_index"], len(one["candidates"]))
                for one in self.fields
            ]
        count = len(self.candidates)
        return [Starred("target", self.chosen_index, count)] if count else []

    @property
    def shown_target(self) -> str:
        """The selector of the target that is shown, as the agent sent it; "" when none named it."""
        if self.fields:
            return str(self.fields[self.shown_field].get("target") or "")
        return str(self.params.get("target") or "")

    @property
    def approved_picks(self) -> list[int]:
        """The candidate that was decided on, for each target."""
        if self.fields:
            return list(self.approved_fields)
        index = self.approved_index
        return [] if index is None or index < 0 else [index]

    @property
    def is_pending(self) -> bool:
        return self.status == Status.PENDING

    @property
    def is_question(self) -> bool:
        """The agent asks for a yes: there is nothing to do on the page."""
        return self.tool == QUESTION

    @property
    def is_irreversible(self) -> bool:
        return self.risk == self.Risk.IRREVERSIBLE

    def has_expired(self, now: datetime) -> bool:
        return self.is_pending and self.expires_at <= now


ANSWERED = {
    "approve": pgettext_lazy("somebody", "said yes"),
    "approve_first": pgettext_lazy("somebody", "said yes first"),
    "reject": pgettext_lazy("somebody", "said no"),
    "retry": pgettext_lazy("somebody", "said yes again"),
}


class Decision(models.Model):
    """Who said what about which version of a proposal, apart from what came of it."""

    class Verb(models.TextChoices):
        APPROVE = "approve", pgettext_lazy("somebody", "approved")
        FIRST = "approve_first", pgettext_lazy("somebody", "approved first")
        MODIFY = "modify", pgettext_lazy("somebody", "modified")
        REJECT = "reject", pgettext_lazy("somebody", "rejected")
        MARK_DONE = "mark_done", pgettext_lazy("somebody", "marked as done")
        RETRY = "retry", pgettext_lazy("somebody", "asked for a retry")
        MARK_NOT_DONE = "mark_not_done", pgettext_lazy("somebody", "marked as not done")

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="decisions")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="decisions")
    verb = models.CharField(max_length=13, choices=Verb)
    reason = models.CharField(max_length=1000, blank=True)
    seen_version = models.PositiveIntegerField()
    modifications = models.JSONField(default=dict)
    elapsed_ms = models.PositiveIntegerField(help_text="from the proposal's birth")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["proposal", "seen_version"], name="decision_one_per_version"
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="decision_by_time")]

    def __str__(self) -> str:
        return f"{self.person} {self.verb} {self.proposal_id}"

    @property
    def did(self) -> str:
        """What follows the person's name: `approved`, and of a question `said yes`."""
        words = ANSWERED.get(self.verb) if self.proposal.is_question else None
        return str(words or self.get_verb_display())


class Message(models.Model):
    """What a reviewer told the agent without deciding."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="messages")
    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="messages")
    text = models.CharField(max_length=LONGEST_MESSAGE)
    created_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True, help_text="when an answer first carried it")

    class Meta:
        ordering = ["created_at"]
        indexes = [models.Index(fields=["proposal", "created_at"], name="message_by_proposal")]

    def __str__(self) -> str:
        return f"{self.person} to {self.proposal_id}"


class PageQuestion(models.Model):
    """What a reviewer asks of the waiting page; a worker answers."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="+")
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    error = models.JSONField(null=True, help_text="code and message")
    created_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
        ordering = ["-created_at"]


class Preview(PageQuestion):
    """What another selector, or a point of the picture, means on the waiting page."""

    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="previews")
    selector = models.TextField(blank=True)
    point = models.JSONField(null=True, help_text="x, y: CSS px of the page, when no selector")
    match_confidence = models.JSONField(null=True)
    anchors = models.JSONField(default=list, help_text="where each candidate lives")
    is_listed = models.BooleanField(
        default=False, db_default=False, help_text="the site's profile calls it irreversible"
    )

    class Meta(PageQuestion.Meta):
        indexes = [models.Index(fields=["proposal", "created_at"], name="preview_by_proposal")]

    def __str__(self) -> str:
        return f"{self.selector or self.point} on {self.proposal_id} ({self.status})"

    @property
    def candidate(self) -> dict[str, Any] | None:
        """The one element it means; None when it is none or several."""
        held = self.match_confidence or {}
        candidates = held.get("candidates") or []
        return candidates[0] if len(candidates) == 1 and held.get("match_count") == 1 else None

    @property
    def is_irreversible(self) -> bool:
        return self.is_listed or looks_irreversible(candidate_from(self.candidate, index=0))


class FullPicture(PageQuestion):
    """The whole waiting page, not only what its window shows."""

    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="full_pictures")
    picture = models.CharField(max_length=64, blank=True, help_text="digest of the screenshot")
    viewport = models.JSONField(default=dict, help_text="the part of the page it shows: CSS px")
    page_height = models.FloatField(default=0, help_text="CSS px; more than it shows when cut")

    class Meta(PageQuestion.Meta):
        indexes = [
            models.Index(fields=["proposal", "created_at"], name="full_picture_by_proposal"),
            models.Index(fields=["picture"], name="full_picture_by_picture"),
        ]

    def __str__(self) -> str:
        return f"the page of {self.proposal_id} ({self.status})"
