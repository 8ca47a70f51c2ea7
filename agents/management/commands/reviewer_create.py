"""Make an account for a person and print its first password, once."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents import services
from agents.models import Person
from core.errors import DomainError


class Command(BaseCommand):
    help = "Make an account and print {username, password}. The password is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--role", choices=Person.Role.values, default=Person.Role.REVIEWER)
        parser.add_argument("--team", action="append", help="may be given more than once")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            person, password = services.create_person(
                options["name"], role=options["role"], teams=options["team"]
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps({"username": person.username, "password": password}))
        else:
            self.stdout.write(f"{person.role} {person.username}\n  password {password}")
