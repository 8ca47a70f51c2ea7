"""`manage.py run`: the whole product in the foreground."""

from django.conf import settings
from django.core.management.base import BaseCommand

from browser.providers import stop_all
from core.processes import Stack


class Command(BaseCommand):
    help = "Run everything in the foreground: engines, web, worker, beat. Ctrl-C ends it."
    requires_system_checks: list[str] = []  # they would ask a database that does not run yet

    def handle(self, *args: object, **options: object) -> None:
        Stack(settings.DATA_DIR, port=settings.PORT, cleanup=stop_all).run_until_signal()
