"""Register an agent and print its key, once."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents import services
from agents.models import AgentRegistry
from core.errors import DomainError

GATING = {"follow": None, "always": True, "never": False}


class Command(BaseCommand):
    help = "Register an agent and print {agent_id, key}. The key is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--tier", required=True, choices=AgentRegistry.Tier.values)
        parser.add_argument("--team", action="append", help="may be given more than once")
        parser.add_argument("--allow-host", action="extend", nargs="+", metavar="HOST", default=[])
        parser.add_argument("--gating", choices=GATING, default="follow")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            agent = services.create_agent(
                options["name"],
                tier=options["tier"],
                teams=options["team"],
                allowed_hosts=options["allow_host"],
                gating=GATING[options["gating"]],
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        key = services.create_key(agent)
        if options["json"]:
            self.stdout.write(json.dumps({"agent_id": str(agent.id), "key": key}))
        else:
            self.stdout.write(f"Agent {agent.name} ({agent.tier})\n  id  {agent.id}\n  key {key}")
            self.stdout.write("Keep the key now: it is not shown again.")
