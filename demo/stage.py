"""Where the demo and its tasks play: the whole product with the shop beside it."""

import os
import sys
from pathlib import Path

from django.conf import settings
from django.db import connections

from browser.providers import stop_all
from core import env
from core.processes import Child, Stack

HOST = "127.0.0.1"
UVICORN = [sys.executable, "-m", "uvicorn", "--no-access-log", "--no-server-header"]


def shop_port() -> int:
    return env.integer("SHOP_PORT", default=8001)


def shop_url() -> str:
    return f"http://{HOST}:{shop_port()}"


def set_up() -> Stack:
    """A stack that is yet to be run."""
    folder = settings.DATA_DIR / "shop"
    token = env.secret_file("SHOP_BACKEND_TOKEN", folder / "backend-token")
    # Every child reads them: the shop its token, Pointsman where tasks are verified.
    os.environ |= {"SHOP_BACKEND_URL": shop_url(), "SHOP_BACKEND_TOKEN": token}
    return Stack(
        settings.DATA_DIR, port=settings.PORT, cleanup=stop_all, extra=[_shop_child(folder)]
    )


def _shop_child(folder: Path) -> Child:
    """With a database of its own in the folder."""
    own = {"SHOP_DATA_DIR": str(folder)}
    where = ["demo.shop.asgi:application", "--host", HOST, "--port", str(shop_port())]
    command = [*UVICORN, *where, "--lifespan", "off", "--timeout-graceful-shutdown", "2"]
    return Child("shop", command, own, ready_url=f"{shop_url()}/")


def leave_database() -> None:
    """The supervisor needs it no more, and a pool's threads would only get in its way."""
    for connection in connections.all():
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's wrapper has it
