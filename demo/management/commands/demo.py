"""`manage.py demo`: the whole product in the foreground, with a shop and two agents in it."""

import os
import sys
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections
from django.urls import reverse

from browser.providers import stop_all
from core import env
from core.processes import Child, Stack
from demo import cast

HOST = "127.0.0.1"
UVICORN = [sys.executable, "-m", "uvicorn", "--no-access-log", "--no-server-header"]
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
        shop_port = env.integer("SHOP_PORT", default=8001)
        folder = settings.DATA_DIR / "shop"
        token = env.secret_file("SHOP_BACKEND_TOKEN", folder / "backend-token")
        # Every child reads them: the shop its token, Pointsman where tasks are verified.
        os.environ |= {"SHOP_BACKEND_URL": shop_url(shop_port), "SHOP_BACKEND_TOKEN": token}
        stack = Stack(
            settings.DATA_DIR,
            port=settings.PORT,
            cleanup=stop_all,
            extra=[shop_child(shop_port, folder=folder)],
        )

        def begin() -> None:
            keys = cast.prepare_agents(shop_host=f"{HOST}:{shop_port}")
            cast.watch_over_shop(port=shop_port)
            cast.ask_people()
            link = stack.url + reverse("sign_in_once", args=[cast.prepare_reviewer()])
            self.stdout.write(WORDS.format(link=link, shop=shop_url(shop_port)))
            _leave_database()
            for name, key in keys.items():
                stack.start(agent_child(name, key=key, api=stack.url, shop=shop_url(shop_port)))

        stack.run_until_signal(on_ready=begin)


def _leave_database() -> None:
    """The supervisor needs it no more, and a pool's threads would only get in its way."""
    for connection in connections.all():
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's wrapper has it


def shop_url(port: int) -> str:
    return f"http://{HOST}:{port}"


def shop_child(port: int, *, folder: Path) -> Child:
    """With a database of its own in the folder."""
    own = {"SHOP_DATA_DIR": str(folder)}
    where = ["demo.shop.asgi:application", "--host", HOST, "--port", str(port)]
    command = [*UVICORN, *where, "--lifespan", "off", "--timeout-graceful-shutdown", "2"]
    return Child("shop", command, own, ready_url=f"{shop_url(port)}/")


def agent_child(name: str, *, key: str, api: str, shop: str) -> Child:
    """The key goes by the environment: everybody on the machine can read an argument list."""
    command = [sys.executable, "-m", "demo.agents", name, "--no-name"]
    return Child(name, [*command, "--api", f"{api}/api/v1", "--shop", shop], {"POINTSMAN_KEY": key})
