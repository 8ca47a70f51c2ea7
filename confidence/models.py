"""What admins changed of the flags' defaults."""

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
