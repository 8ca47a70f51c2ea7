"""The profiles that admins wrote, and every text that one ever had."""

from django.conf import settings
from django.db import models

from proposals.models import PageQuestion


class Profile(models.Model):
    """`sites` and `mode` are as the text says, kept for lists; the text alone is what counts."""

    name = models.CharField(max_length=60, unique=True)
    text = models.TextField(help_text="YAML")
    sites = models.JSONField(default=list)
    mode = models.CharField(max_length=5, blank=True)
    is_active = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField()
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return f"{self.name} (version {self.version})"


class ProfileVersion(models.Model):
    """A profile as one change left it."""

    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    text = models.TextField()
    is_active = models.BooleanField()
    at = models.DateTimeField()
    by = models.CharField(max_length=150)

    class Meta:
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["profile", "version"], name="profile_version_once")
        ]

    def __str__(self) -> str:
        return f"version {self.version} of profile {self.profile_id}"


class ProfileTrial(PageQuestion):
    """What a profile's text, saved or not, means on the page of an open run."""

    run_id = models.UUIDField()
    text = models.TextField()
    answer = models.JSONField(null=True, help_text="url, screen_id, elements")

    def __str__(self) -> str:
        return f"a profile on {self.run_id} ({self.status})"
