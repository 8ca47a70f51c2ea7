from django.apps import AppConfig


class BrowserConfig(AppConfig):
    name = "browser"
    default_auto_field = "django.db.models.BigAutoField"
