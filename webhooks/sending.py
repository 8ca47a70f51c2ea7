"""One signed POST to an endpoint: to a checked address, within a time, following nothing."""

import asyncio
import ssl
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from functools import cache

import httpx
from django.conf import settings
from standardwebhooks import Webhook

from core.addresses import AddressRefused, UnknownHost, addresses_of
from core.text import storable
from webhooks.domain import KEPT_ANSWER

SETTING = "WEBHOOKS_ALLOW_PRIVATE"
CONNECT_S = 4.0
Said = tuple[int, str]


@dataclass(frozen=True)
class Answer:
    """What came of one try: an HTTP status with the beginning of its body, or why there is none."""

    status: int | None = None
    body: str = ""
    error: str = ""
    took_ms: int = 0


class NotSent(Exception):
    """No answer came; the message says why in words for the deliveries page."""


def signed(*, message_id: str, at: datetime, body: str, secret: str) -> dict[str, str]:
    """The headers of Standard Webhooks; the id stays, the time is that of this try."""
    return {
        "content-type": "application/json",
        "user-agent": "Pointsman-Webhooks/1",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(message_id, at, body),
    }


def post(url: str, *, body: str, headers: Mapping[str, str]) -> Answer:
    """Ends after WEBHOOKS_TIMEOUT_S. Never raises for what the other side does or fails to do.

    The exchange has a thread and an event loop of its own: a look-up of the host's name cannot be
    interrupted, and httpx's own time limits start anew with every byte that drips in.
    """
    began = time.monotonic()
    said: Future[Said] = Future()
    threading.Thread(
        target=_exchange_alone, args=(said, url, body, headers), name="webhook", daemon=True
    ).start()
    try:
        status, text = said.result(timeout=settings.WEBHOOKS_TIMEOUT_S)
        return Answer(status=status, body=text, took_ms=_since(began))
    except TimeoutError:
        words = f"It did not answer within {settings.WEBHOOKS_TIMEOUT_S:g} s."
        return Answer(error=words, took_ms=_since(began))
    except NotSent as error:
        return Answer(error=str(error), took_ms=_since(began))


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)


def _exchange_alone(said: Future[Said], url: str, body: str, headers: Mapping[str, str]) -> None:
    try:
        said.set_result(asyncio.run(_within(url, body, headers)))
    except Exception as error:  # a thread's edge: whoever waits raises it
        said.set_exception(error)


async def _within(url: str, body: str, headers: Mapping[str, str]) -> Said:
    async with asyncio.timeout(settings.WEBHOOKS_TIMEOUT_S):
        try:
            return await _exchange(httpx.URL(url), body, headers)
        except (UnknownHost, AddressRefused) as error:
            raise NotSent(f"Nothing was sent: {error}.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NotSent(f"The exchange failed: {type(error).__name__}.") from error


async def _exchange(url: httpx.URL, body: str, headers: Mapping[str, str]) -> Said:
    """A host may have several addresses; only a failed connection leads to the next one."""
    port = url.port or (443 if url.scheme == "https" else 80)
    allowed = settings.WEBHOOKS_ALLOW_PRIVATE
    addresses = await addresses_of(url.host, port, allow_private=allowed, setting=SETTING)
    timeout = httpx.Timeout(None, connect=CONNECT_S)
    reason = ""
    async with httpx.AsyncClient(verify=_tls(), trust_env=False, timeout=timeout) as client:
        for address in addresses:
            try:
                return await _read(client, _request(client, url, address, body, headers))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                reason = str(error)[:200] or type(error).__name__
    raise NotSent(f"It could not be connected to: {reason}.")


def _request(
    client: httpx.AsyncClient, url: httpx.URL, address: str, body: str, headers: Mapping[str, str]
) -> httpx.Request:
    """Goes to the checked address itself, under the host's name: it is not looked up again."""
    return client.build_request(
        "POST",
        url.copy_with(host=address),
        content=body.encode(),
        headers={**headers, "host": url.netloc.decode(), "accept-encoding": "identity"},
        extensions={"sni_hostname": url.raw_host.decode()},
    )


async def _read(client: httpx.AsyncClient, request: httpx.Request) -> Said:
    """No more of the answer is read than is kept."""
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        content = b""
        async for chunk in response.aiter_raw():
            content += chunk
            if len(content) >= KEPT_ANSWER * 4:  # no character takes more bytes
                break
        return response.status_code, storable(content.decode(errors="replace"))[:KEPT_ANSWER]
    finally:
        await response.aclose()


@cache
def _tls() -> ssl.SSLContext:
    """Made once: reading the certificates takes long."""
    return httpx.create_ssl_context()
