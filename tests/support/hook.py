"""A real local receiver of webhooks that answers as a test tells it, and keeps what it was sent."""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook


@dataclass(frozen=True)
class Reply:
    """`wait_s` comes before the first byte, `drip_s` after each byte of the body."""

    status: int = 200
    body: bytes = b"thank you"
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    drip_s: float = 0.0


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def type(self) -> str:
        return json.loads(self.body)["type"]

    def verified(self, secret: str) -> dict[str, Any]:
        """The message, as a receiver's own library reads it. Raises if it was not signed so."""
        return Webhook(secret).verify(self.body, self.headers)


class Hook:
    """Gives the scripted replies one after another, and the last one ever after."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/hook"
        self.received: list[Received] = []
        self._script = [Reply()]
        self._lock = threading.Lock()

    def will(self, *replies: Reply) -> None:
        self._script = list(replies)

    @property
    def latest(self) -> Received:
        return self.received[-1]

    def next(self, received: Received) -> Reply:
        with self._lock:
            self.received.append(received)
            return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    @classmethod
    @contextlib.contextmanager
    def started(cls) -> Iterator["Hook"]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self._answer("POST")

            def do_GET(self) -> None:
                """Where a followed redirect would come out."""
                self._answer("GET")

            def _answer(self, method: str) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = hook.next(Received(method, self.path, headers, body))
                time.sleep(reply.wait_s)
                with contextlib.suppress(OSError):  # the sender may have gone away
                    self._give(reply)

            def _give(self, reply: Reply) -> None:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                if not reply.drip_s:
                    self.wfile.write(reply.body)
                    return
                for byte in reply.body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(reply.drip_s)

            def log_message(self, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        hook = cls(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield hook
        finally:
            server.shutdown()
            server.server_close()
