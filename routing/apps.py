from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured

from routing.domain.rules import BadRules


class RoutingConfig(AppConfig):
    name = "routing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from routing import conformance, rules

        conformance.register_all()
        try:
            rules.check_file()
        except BadRules as error:
            raise ImproperlyConfigured(f"ROUTER_RULES: {error}") from error
