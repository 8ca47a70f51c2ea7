"""Which agent would get this prompt? Asked on the command line, it is counted nowhere."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rest_framework.exceptions import ValidationError

from core.http import listed
from routing import classifier, requests
from routing.domain.deciding import Decision, decide
from routing.domain.rules import Target
from routing.domain.turn import State


class Command(BaseCommand):
    help = "Tell which agent gets a prompt, local or escalate, and every reason for it."
    requires_system_checks: list[str] = []  # neither a database nor a stack is needed

    def add_arguments(self, parser: ArgumentParser) -> None:
        targets = [target.value for target in Target]
        parser.add_argument("prompt")
        parser.add_argument(
            "--history",
            type=Path,
            metavar="FILE",
            help='JSON, oldest first: [{"role": "user|agent|tool_result", "content": "..."}]',
        )
        parser.add_argument("--state", choices=[state.value for state in State if state])
        parser.add_argument("--pin", choices=targets)
        parser.add_argument("--override", choices=targets)
        parser.add_argument("--sticky", action="store_true")
        parser.add_argument("--json", action="store_true", help="print it as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        told = ("prompt", "state", "pin", "override", "sticky")
        body = {name: options[name] for name in told}
        if options["history"]:
            body["history"] = _history_in(options["history"])
        try:
            asked = requests.read(body)
        except ValidationError as error:
            lines = [f"{line['field']}: {line['message']}" for line in listed(error.detail)]
            raise CommandError("\n".join(lines)) from error
        decision = decide(asked.turn, asked.rules, classify=classifier.ask)
        self.stdout.write(_as_json(decision) if options["json"] else _as_text(decision))


def _history_in(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not JSON: {error}") from error


def _as_json(decision: Decision) -> str:
    return json.dumps(decision.as_dict(), ensure_ascii=False)


def _as_text(decision: Decision) -> str:
    rules = [decision.rule.value, *([decision.inner_rule.value] if decision.inner_rule else [])]
    lines = [f"{reason.step.value:15} {reason.said}" for reason in decision.reasons]
    return "\n".join([f"{decision.target.value} ({' > '.join(rules)})", *lines])
