"""An answer as it is written: its pieces, one by one, within a budget of seconds."""

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

import httpx

from core.chat.endpoint import Endpoint, exchange
from core.chat.errors import BadAnswer, Refused, TooSlow, Unreachable
from core.chat.reply import completion_from, json_of

MAX_BYTES = 4 * 1024 * 1024  # an event for each few letters is long
SILENCE = ""
DATA = b"data:"
DONE = b"[DONE]"
ITS_OWN_FAULT = range(400, 500)


class _End:
    """The answer is whole."""


Told = str | Exception | _End


@dataclass
class _Line:
    """From the thread that reads to whoever asked; `is_cut` when nobody listens any more."""

    told: SimpleQueue[Told] = field(default_factory=SimpleQueue)
    is_cut: threading.Event = field(default_factory=threading.Event)


def pieces(
    endpoint: Endpoint, body: Mapping[str, Any], *, budget_s: float, tick_s: float
) -> Iterator[str]:
    """What the model writes, as it comes; SILENCE after each `tick_s` without a piece.

    Raises NoAnswer, also after some pieces: TooSlow after `budget_s` at the latest.
    """
    line, deadline = _Line(), time.monotonic() + budget_s
    said = {**body, "stream": True}
    threading.Thread(
        target=_exchange, args=(line, endpoint, said, budget_s), name=endpoint.name, daemon=True
    ).start()
    try:
        while not isinstance(told := _next(line, deadline, tick_s), _End):
            yield told
        return
    except TimeoutError:
        raise TooSlow(f"it was not done within {round(budget_s, 1):g} s") from None
    finally:
        line.is_cut.set()


def _next(line: _Line, deadline: float, tick_s: float) -> str | _End:
    """Raises what the thread met, and TimeoutError."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    try:
        told = line.told.get(timeout=min(tick_s, left))
    except Empty:
        return SILENCE
    if isinstance(told, Exception):
        raise told
    return told


def _exchange(line: _Line, endpoint: Endpoint, body: Mapping[str, Any], budget_s: float) -> None:
    async def read(client: httpx.AsyncClient, request: httpx.Request) -> None:
        await _read(client, request, line)

    try:
        asyncio.run(exchange(endpoint, body, budget_s=budget_s, read=read))
        line.told.put(_End())
    except Exception as error:  # a thread's edge: whoever waits raises it
        line.told.put(error)


async def _read(client: httpx.AsyncClient, request: httpx.Request, line: _Line) -> None:
    response = await client.send(request, stream=True, follow_redirects=False)
    try:
        _check_status(response.status_code)
        if "text/event-stream" in response.headers.get("content-type", ""):
            await _read_events(response, line)
        else:
            line.told.put(completion_from(await _whole(response)).text)
    finally:
        await response.aclose()


def _check_status(status: int) -> None:
    if status in ITS_OWN_FAULT:
        raise Refused(f"it answered {status}")
    if status != httpx.codes.OK:
        raise Unreachable(f"it answered {status}")


async def _whole(response: httpx.Response) -> bytes:
    """Of an endpoint that does not stream."""
    content = b""
    async for chunk in response.aiter_raw():
        content += chunk
        _check_length(len(content))
    return content


async def _read_events(response: httpx.Response, line: _Line) -> None:
    """Server-sent events, each a line of JSON. An end that was not announced is a broken answer."""
    rest, length, is_whole = b"", 0, False
    async for chunk in response.aiter_raw():
        length += len(chunk)
        _check_length(length)
        *lines, rest = (rest + chunk).split(b"\n")
        for one in lines:
            if one.startswith(DATA):
                is_whole = _tell(one.removeprefix(DATA).strip(), line) or is_whole
        if line.is_cut.is_set():
            return
    if not is_whole:
        raise Unreachable("its answer broke off")


def _check_length(length: int) -> None:
    if length > MAX_BYTES:
        raise BadAnswer("its answer is too long")


def _tell(data: bytes, line: _Line) -> bool:
    """Pass a piece on; True when it says that it is the last."""
    if data == DONE:
        return True
    piece = _piece_of(json_of(data))
    if piece.text:
        line.told.put(piece.text)
    if piece.is_refusal:
        raise Refused("it does not want to answer this")
    return piece.is_last


@dataclass(frozen=True)
class _Piece:
    text: str = ""
    is_last: bool = False
    is_refusal: bool = False


def _piece_of(event: Any) -> _Piece:
    """Raises NoAnswer for an event that reports an error."""
    if not isinstance(event, dict):
        raise BadAnswer("it sent no chat completion")
    if event.get("error"):
        raise Unreachable("it reported an error")
    choice = next(iter(event.get("choices") or []), None)
    if not isinstance(choice, dict):
        return _Piece()  # the count of tokens comes without one
    delta = choice.get("delta")
    said = delta if isinstance(delta, dict) else {}
    why_over = choice.get("finish_reason")
    return _Piece(
        text=_text_of(said.get("content")) or _text_of(said.get("refusal")),
        is_last=bool(why_over),
        is_refusal=why_over == "content_filter" or bool(said.get("refusal") and why_over),
    )


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""
