"""`manage.py doctor`: what is missing on this machine."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict

from django.core.management.base import BaseCommand

from core.doctor import examine

MARKS = {"ok": "ok     ", "warn": "warning", "missing": "MISSING"}


class Command(BaseCommand):
    help = "Say what this machine has and lacks. Ends with 1 if something needed is missing."
    requires_system_checks: list[str] = []  # they would ask a database that may not run

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: object, **options: object) -> None:
        findings = []
        for finding in examine():
            findings.append(finding)
            if not options["json"]:
                self.stdout.write(f"{MARKS[finding.state]}  {finding.name:<10}  {finding.text}")
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        if any(finding.state == "missing" for finding in findings):
            sys.exit(1)
