from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured

from core.errors import Invalid


class ConfidenceConfig(AppConfig):
    name = "confidence"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from confidence import conformance, flags, tiebreaker
        from confidence.domain.gate import TOOL_KINDS
        from core import health, metrics

        conformance.register_all()
        metrics.know_tools(TOOL_KINDS)
        health.show("gating", lambda: flags.current().mode)
        health.show("tiebreaker_breaker", tiebreaker.breaker_state)
        try:
            flags.check_environment()
            tiebreaker.check_settings()
        except Invalid as error:
            raise ImproperlyConfigured(error.message) from error
