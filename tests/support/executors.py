"""The two agents that answer, as real local chat endpoints that stream what a test tells them."""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.llm import Asked


@dataclass(frozen=True)
class Script:
    """One answer: its words come one by one, `drip_s` apart."""

    text: str = ""
    status: int = 200
    drip_s: float = 0.0
    is_whole: bool = True
    is_refusal: bool = False


class Model:
    """Gives the scripted answers one after another, and the last one ever after."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.asked: list[Asked] = []
        self._script = [Script("Nothing was scripted.")]
        self._lock = threading.Lock()

    def will(self, *texts: str, drip_s: float = 0.0) -> None:
        self._script = [Script(text, drip_s=drip_s) for text in texts]

    def breaks_off(self, text: str) -> None:
        self._script = [Script(text, is_whole=False)]

    def fails_with(self, status: int) -> None:
        self._script = [Script(status=status)]

    def declines(self, text: str) -> None:
        self._script = [Script(text, is_refusal=True)]

    def next(self, asked: Asked) -> Script:
        with self._lock:
            self.asked.append(asked)
            return self._script.pop(0) if len(self._script) > 1 else self._script[0]


@dataclass(frozen=True)
class Executors:
    primary: Model
    escalation: Model

    @classmethod
    @contextlib.contextmanager
    def started(cls) -> Iterator["Executors"]:
        with _serving() as primary, _serving() as escalation:
            yield cls(primary, escalation)

    def settings(self) -> dict[str, Any]:
        """As Django has them."""
        told: dict[str, Any] = {}
        for name, model in (("PRIMARY", self.primary), ("ESCALATION", self.escalation)):
            told |= {
                f"ROUTER_{name}_BASE_URL": model.url,
                f"ROUTER_{name}_MODEL": f"{name.lower()}-1",
                f"ROUTER_{name}_API_KEY": f"sk-{name.lower()}",
                f"ROUTER_{name}_ALLOW_PRIVATE": True,
            }
        return told

    def environment(self) -> dict[str, str]:
        return {
            name: str(value).lower() if value is True else value
            for name, value in self.settings().items()
        }


@contextlib.contextmanager
def _serving() -> Iterator[Model]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked = Asked(self.path, dict(self.headers), json.loads(self.rfile.read(length)))
            with contextlib.suppress(OSError):  # the asker may have gone away
                self._give(model.next(asked))

        def _give(self, script: Script) -> None:
            self.send_response(script.status)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.end_headers()
            if script.status != 200:
                return
            name = "refusal" if script.is_refusal else "content"
            for word in script.text.split(" "):
                piece = word if word == script.text.split(" ")[-1] else f"{word} "
                self._event({"delta": {name: piece}, "finish_reason": None})
                time.sleep(script.drip_s)
            if script.is_whole:
                why = "content_filter" if script.is_refusal else "stop"
                self._event({"delta": {}, "finish_reason": why})
                self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, choice: dict[str, Any]) -> None:
            self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model = Model(server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
