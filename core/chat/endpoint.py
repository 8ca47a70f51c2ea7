"""A chat endpoint of the settings, and one POST to it that keeps its time whatever it does."""

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

import httpx
from django.conf import settings

from core import addresses
from core.chat.errors import BadAnswer, Forbidden, NotConfigured, TooSlow, Unreachable
from core.errors import Invalid

MAX_BODY_BYTES = 64 * 1024
Answer = TypeVar("Answer")
Read = Callable[[httpx.AsyncClient, httpx.Request], Awaitable[Answer]]


@dataclass(frozen=True)
class Endpoint:
    """`url` is the base that /chat/completions is below, `name` how its settings begin."""

    name: str
    url: str
    model: str
    key: str = field(default="", repr=False)
    allow_private: bool = False

    @classmethod
    def configured(cls, name: str) -> "Endpoint":
        """Of NAME_BASE_URL, _MODEL, _API_KEY and _ALLOW_PRIVATE. Raises NotConfigured, naming
        what to set."""
        if not is_configured(name):
            raise NotConfigured(f"no {name}_BASE_URL and {name}_MODEL are set")
        return cls(
            name=name,
            url=_setting(name, "BASE_URL").rstrip("/"),
            model=_setting(name, "MODEL"),
            key=_setting(name, "API_KEY"),
            allow_private=_setting(name, "ALLOW_PRIVATE"),
        )


def is_configured(name: str) -> bool:
    return bool(_setting(name, "BASE_URL") and _setting(name, "MODEL"))


def check_settings(name: str) -> None:
    """At start: refuse a bad setting by its name. Raises Invalid."""
    if url := _setting(name, "BASE_URL"):
        _check_url(f"{name}_BASE_URL", url)
    if not _setting(name, "API_KEY").isascii():
        raise Invalid(f"{name}_API_KEY may hold ASCII characters only.")


def _check_url(name: str, given: str) -> None:
    """The value itself is not repeated: it may hold a password."""
    try:
        url = httpx.URL(given)
    except httpx.InvalidURL as error:
        raise Invalid(f"{name} is no address: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise Invalid(f"{name} must begin with http:// or https:// and a host.")
    if url.userinfo or url.query or url.fragment:
        raise Invalid(f"{name} takes no user, query or fragment: use _API_KEY.")


def _setting(name: str, part: str) -> Any:
    return getattr(settings, f"{name}_{part}")


def post(endpoint: Endpoint, body: Mapping[str, Any], *, budget_s: float) -> bytes:
    """The answer's body. Raises NoAnswer: TooSlow after `budget_s` at the latest.

    The exchange has a thread and an event loop of its own: a look-up of the host's name cannot be
    interrupted, and httpx's own time limits start anew with every byte that drips in.
    """
    answer: Future[bytes] = Future()
    threading.Thread(
        target=_exchange, args=(answer, endpoint, body, budget_s), name=endpoint.name, daemon=True
    ).start()
    try:
        return answer.result(timeout=budget_s)
    except TimeoutError:
        raise TooSlow(f"it did not answer within {round(budget_s, 1):g} s") from None


def _exchange(
    answer: Future[bytes], endpoint: Endpoint, body: Mapping[str, Any], budget_s: float
) -> None:
    try:
        answer.set_result(asyncio.run(exchange(endpoint, body, budget_s=budget_s, read=_read)))
    except Exception as error:  # a thread's edge: whoever waits raises it
        answer.set_exception(error)


async def exchange(
    endpoint: Endpoint, body: Mapping[str, Any], *, budget_s: float, read: Read[Answer]
) -> Answer:
    """Post `body` and have `read` take the answer. Raises NoAnswer, and TimeoutError when it is
    over after `budget_s`; a look-up of the host's name may take longer than that."""
    async with asyncio.timeout(budget_s):
        url = httpx.URL(f"{endpoint.url}/chat/completions")
        port = url.port or (443 if url.scheme == "https" else 80)
        allowed = await _addresses_of(endpoint, url.host, port)
        connect = httpx.Timeout(None, connect=budget_s / len(allowed))
        async with httpx.AsyncClient(verify=_tls(), trust_env=False, timeout=connect) as client:
            requests = [_request(client, url, address, endpoint, body) for address in allowed]
            return await _first_reached(client, requests, read)


async def _addresses_of(endpoint: Endpoint, host: str, port: int) -> list[str]:
    setting = f"{endpoint.name}_ALLOW_PRIVATE"
    try:
        return await addresses.addresses_of(
            host, port, allow_private=endpoint.allow_private, setting=setting
        )
    except addresses.UnknownHost as error:
        raise Unreachable(str(error)) from error
    except addresses.AddressRefused as error:
        raise Forbidden(str(error)) from error


async def _first_reached(
    client: httpx.AsyncClient, requests: list[httpx.Request], read: Read[Answer]
) -> Answer:
    """One host may have several addresses; only a failed connection leads to the next one."""
    for request in requests:
        try:
            return await read(client, request)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            continue
        except httpx.HTTPError as error:
            raise Unreachable(f"the exchange failed: {type(error).__name__}") from error
    raise Unreachable("it could not be connected to")


def _request(
    client: httpx.AsyncClient,
    url: httpx.URL,
    address: str,
    endpoint: Endpoint,
    body: Mapping[str, Any],
) -> httpx.Request:
    """Goes to the checked address itself, under the host's name: it is not looked up again."""
    headers = {"Host": url.netloc.decode(), "Accept-Encoding": "identity"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    return client.build_request(
        "POST",
        url.copy_with(host=address),
        json=body,
        headers=headers,
        extensions={"sni_hostname": url.raw_host.decode()},
    )


async def _read(client: httpx.AsyncClient, request: httpx.Request) -> bytes:
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        if response.status_code != httpx.codes.OK:
            raise Unreachable(f"it answered {response.status_code}")
        content = b""
        async for chunk in response.aiter_raw():
            content += chunk
            if len(content) > MAX_BODY_BYTES:
                raise BadAnswer("its answer is too long")
        return content
    finally:
        await response.aclose()


@cache
def _tls() -> ssl.SSLContext:
    """Made once: reading the certificates takes as long as a quick answer."""
    return httpx.create_ssl_context()
