from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured

from core.errors import Invalid
from routing.domain.rules import BadRules


class RoutingConfig(AppConfig):
    name = "routing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from core import health
        from routing import classifier, conformance, executors, rules

        conformance.register_all()
        health.show("router_classifier_breaker", classifier.breaker.told)
        try:
            classifier.check_settings()
            executors.check_settings()
            rules.check_file()
        except Invalid as error:
            raise ImproperlyConfigured(error.message) from error
        except BadRules as error:
            raise ImproperlyConfigured(f"ROUTER_RULES: {error}") from error
