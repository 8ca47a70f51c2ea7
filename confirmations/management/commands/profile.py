"""`manage.py profile FILE...`: can these profiles be read? `--save` puts them in force."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from confirmations import services
from core.errors import DomainError


class Command(BaseCommand):
    help = (
        "Check profile files (YAML); the first problem of each is named by line and key. With "
        "--save each is stored and put in force."
    )
    requires_system_checks: list[str] = []  # checking needs neither a database nor a stack

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument("--save", action="store_true", help="store them and put them in force")

    def handle(self, *args: Any, files: list[Path], save: bool, **options: Any) -> None:
        take = self._save if save else self._check
        problems = [problem for path in files if (problem := self._problem_of(path, take))]
        if problems:
            raise CommandError("\n".join(problems))

    def _problem_of(self, path: Path, take: Any) -> str:
        try:
            take(path, path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            return f"{path}: it cannot be read: {error}"
        except DomainError as error:
            return f"{path}: {error.message}"
        return ""

    def _check(self, path: Path, text: str) -> None:
        _, read = services.checked(text)
        self.stdout.write(
            f"{path}: {read.name}, {len(read.sites)} sites, {len(read.screens)} screens, "
            f"{len(read.elements)} elements, {len(read.irreversible)} irreversible"
        )

    def _save(self, path: Path, text: str) -> None:
        profile = services.put_in_force(text)
        self.stdout.write(f"{path}: {profile.name} is in force, version {profile.version}")
