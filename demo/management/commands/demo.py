"""`manage.py demo`: the whole product in the foreground, with a shop and two agents in it."""

import sys

from django.core.management.base import BaseCommand
from django.urls import reverse

from core.processes import Child
from demo import cast, stage

WORDS = """\
Sign in (once, within ten minutes, on this machine): {link}
Two agents shop at {shop}/ and what they are unsure of waits in the queue for you.
Look at the numbered boxes, press the number of the right one, then a to approve or r to reject.
checkout-bot places its order only with your yes; both start over after a while.
"""


class Command(BaseCommand):
    help = "Run everything with a demo shop (SHOP_PORT) and two demo agents. Ctrl-C ends it."
    requires_system_checks: list[str] = []  # they would ask a database that does not run yet

    def handle(self, *args: object, **options: object) -> None:
        stack, shop = stage.set_up(), stage.shop_url()

        def begin() -> None:
            keys = cast.prepare_agents(shop)
            cast.watch_over(shop)
            cast.ask_people()
            link = stack.url + reverse("sign_in_once", args=[cast.prepare_reviewer()])
            self.stdout.write(WORDS.format(link=link, shop=shop))
            stage.leave_database()
            for name, key in keys.items():
                stack.start(agent_child(name, key=key, api=stack.url, shop=shop))

        stack.run_until_signal(on_ready=begin)


def agent_child(name: str, *, key: str, api: str, shop: str) -> Child:
    """The key goes by the environment: everybody on the machine can read an argument list."""
    command = [sys.executable, "-m", "demo.agents", name, "--no-name"]
    return Child(name, [*command, "--api", f"{api}/api/v1", "--shop", shop], {"POINTSMAN_KEY": key})
