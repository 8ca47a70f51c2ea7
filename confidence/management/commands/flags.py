"""Show the flags, or set one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from confidence import flags
from core.errors import DomainError


class Command(BaseCommand):
    help = "Show every flag with its value, or set one: flags NAME VALUE. It takes effect at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?")
        parser.add_argument("value", nargs="?")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["value"] is not None:
                flags.set_flag(options["name"], options["value"])
            self._show(options["name"])
        except DomainError as error:
            raise CommandError(error.message) from error

    def _show(self, only: str | None) -> None:
        if only and only not in flags.DEFINITIONS:
            raise CommandError(f"There is no flag {only!r}.")
        for name, value in flags.values().items():
            if only in (None, name):
                shown = ",".join(value) if isinstance(value, list) else str(value)
                self.stdout.write(f"{name}={shown.lower() if isinstance(value, bool) else shown}")
