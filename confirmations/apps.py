from django.apps import AppConfig


class ConfirmationsConfig(AppConfig):
    name = "confirmations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from confirmations import conformance

        conformance.register_all()
