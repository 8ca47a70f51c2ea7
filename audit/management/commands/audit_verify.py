"""Say whether the record is whole: every chain, or one run's."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit import queries


class Command(BaseCommand):
    help = "Verify the audit chains. Exits 1 and names the entry when anything was altered."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--run", help="only this run's chain (its id)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["run"]:
            results = [(options["run"], queries.verify_chain(options["run"]))]
        else:
            results = list(queries.verify_all())
        broken = [found for _, found in results if found]
        for found in broken:
            self.stdout.write(f"BROKEN {found.chain} entry {found.sequence}: {found.problem}")
        if broken:
            raise CommandError(f"{len(broken)} of {len(results)} chains do not verify.")
        self.stdout.write(f"{len(results)} chains verify.")
