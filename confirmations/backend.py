"""The demo shop's backend: a fresh world for a run, and what is in it. Only admins' settings say
where it is."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
from django.conf import settings

from core.errors import Invalid, Unavailable

TIMEOUT_S = 5.0


def is_of(url: str) -> bool:
    """Whether an address is of the shop whose backend can be asked."""
    return bool(settings.SHOP_BACKEND_URL) and _origin(url) == _origin(settings.SHOP_BACKEND_URL)


def prepare(world: str, setup: Mapping[str, Any], *, start_url: str) -> str:
    """Empty a world and set it up anew; the address that leads a browser into it and on to
    `start_url`. Raises Invalid for a bad set-up, Unavailable."""
    answer = _ask("POST", "/__worlds", json={"world": world, "setup": dict(setup)})
    parts = urlsplit(start_url)
    there = parts.path or "/"
    following = urlencode({"next": f"{there}?{parts.query}" if parts.query else there})
    return f"{parts.scheme}://{parts.netloc}{answer['entry']}?{following}"


def state_of(world: str) -> dict[str, Any]:
    """What was in it at first and what is now. Raises Unavailable."""
    return _ask("GET", f"/__worlds/{world}")


def _ask(method: str, path: str, **body: Any) -> dict[str, Any]:
    if not (settings.SHOP_BACKEND_URL and settings.SHOP_BACKEND_TOKEN):
        raise Unavailable(
            "No shop can be asked: SHOP_BACKEND_URL and SHOP_BACKEND_TOKEN are not set."
        )
    try:
        answer = httpx.request(
            method,
            f"{settings.SHOP_BACKEND_URL.rstrip('/')}{path}",
            headers={"Authorization": f"Bearer {settings.SHOP_BACKEND_TOKEN}"},
            timeout=TIMEOUT_S,
            trust_env=False,
            **body,
        )
    except httpx.HTTPError as error:
        raise Unavailable(f"The shop's backend does not answer: {error}") from error
    if answer.status_code == 422:
        raise Invalid(f"The shop refuses the task's set-up: {answer.text[:500]}")
    if answer.is_error:
        raise Unavailable(f"The shop's backend answers {answer.status_code} to {method} {path}.")
    said: dict[str, Any] = answer.json()
    return said


def _origin(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.netloc.lower()
    except ValueError:
        return "", ""
