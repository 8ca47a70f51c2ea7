"""`manage.py tasks`: scripted agents play their tasks in the shop; do they come out right?"""

import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from threading import Thread
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.processes.children import answers
from demo import cast, stage
from demo.agents.pointsman import KeyRefused, Pointsman
from demo.tasks.playing import Played, play
from demo.tasks.reading import Task, all_tasks
from demo.tasks.telling import line_of, table


class Command(BaseCommand):
    help = (
        "Play the demo shop's tasks by scripted agents, good and bad, over REST, and hold what "
        "the verifiers say against what must come out. Exits 1 on any surprise. Uses the product "
        "and the shop that run here, or starts both for as long as it takes. For those of "
        "another machine put an agent's key into POINTSMAN_KEY."
    )
    requires_system_checks: list[str] = []  # they would ask a database that may not run yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        api = f"http://{stage.HOST}:{settings.PORT}/api/v1"
        parser.add_argument("ids", nargs="*", metavar="ID", help="tasks; all unless some are named")
        parser.add_argument("--api", default=api, metavar="URL", help=f"default {api}")
        parser.add_argument("--shop", metavar="URL", help=f"default {stage.shop_url()}")

    def handle(self, *args: Any, ids: list[str], api: str, shop: str | None, **opt: Any) -> None:
        tasks = chosen(ids)
        shop = (shop or stage.shop_url()).rstrip("/")
        if answers(f"{api}/whoami"):
            plays = self._play(tasks, api=api, shop=shop, key=key_for(shop))
        else:
            plays = self._play_on_own_stage(tasks)
        self.stdout.write(f"\n{table(plays)}")
        surprises = sum(not one.is_as_expected for one in plays)
        self.stdout.write(f"{len(plays)} scripts, {surprises} surprises")
        if surprises or len(plays) < sum(len(task.scripts) for task in tasks):
            sys.exit(1)

    def _play_on_own_stage(self, tasks: Sequence[Task]) -> list[Played]:
        stack, shop, plays = stage.set_up(), stage.shop_url(), list[Played]()

        def run(key: str) -> None:
            try:
                plays.extend(self._play(tasks, api=f"{stack.url}/api/v1", shop=shop, key=key))
            finally:
                os.kill(os.getpid(), signal.SIGTERM)  # what the stack runs until

        def begin() -> None:
            key = key_for(shop)
            stage.leave_database()
            Thread(target=run, args=[key], daemon=True).start()

        stack.run_until_signal(on_ready=begin)
        return plays

    def _play(self, tasks: Sequence[Task], *, api: str, shop: str, key: str) -> list[Played]:
        pointsman = Pointsman(api, key=key, say=self.stderr.write)
        casting = [(task, script) for task in tasks for script in task.scripts]
        plays = []
        for number, (task, script) in enumerate(casting, start=1):
            try:
                plays.append(play(task, script, pointsman=pointsman, shop=shop))
            except KeyRefused:
                raise CommandError(f"{api} does not know this key.") from None
            self.stdout.write(f"[{number}/{len(casting)}] {line_of(plays[-1])}")
            self.stdout.flush()
        return plays


def chosen(ids: Sequence[str]) -> list[Task]:
    tasks = {task.id: task for task in all_tasks()}
    if unknown := sorted(set(ids) - set(tasks)):
        raise CommandError(f"No such task: {', '.join(unknown)}. There are {', '.join(tasks)}.")
    return [tasks[one] for one in ids or tasks]


def key_for(shop: str) -> str:
    """The key that was given, or that of an agent made here, where the shop is watched over."""
    if key := os.environ.get("POINTSMAN_KEY"):
        return key
    cast.watch_over(shop)
    return cast.prepare_player(shop)
