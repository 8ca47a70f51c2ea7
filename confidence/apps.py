from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured

from core.errors import Invalid


class ConfidenceConfig(AppConfig):
    name = "confidence"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from confidence import conformance, flags

        conformance.register_all()
        try:
            flags.check_environment()
        except Invalid as error:
            raise ImproperlyConfigured(error.message) from error
