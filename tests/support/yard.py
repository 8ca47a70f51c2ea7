"""A web site that keeps its own books: what a page reports there cannot be told otherwise.

Pages may be slow, the site answers as two different sites (127.0.0.1 and localhost), and
`GET /hit/NAME` counts and forms that are sent are kept, so a test knows what really happened
without asking the product.
"""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Yard</title>
<style>body{margin:0;font:16px sans-serif} button{width:200px;height:60px}</style>
<script>
// Told to the site before the handler returns, so no count can be lost.
const hit = (name, hold = 0) => {
  const call = new XMLHttpRequest();
  call.open("GET", `/hit/${name}?hold=${hold}`, false);
  call.send();
};
const counts = (element, name) => element.addEventListener("click", () => hit(name));
</script><body>
"""


class Yard:
    """`hits` counts by name, `posted` holds the values of each form that was sent. `held` is set
    while somebody waits in a `hold`."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.pages: dict[str, tuple[str, float]] = {}
        self.hits: Counter[str] = Counter()
        self.seen: list[str] = []
        self.posted: list[dict[str, list[str]]] = []
        self.held = threading.Event()

    @classmethod
    @contextlib.contextmanager
    def started(cls) -> Iterator["Yard"]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        yard = cls(server)
        server.yard = yard  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield yard
        finally:
            server.shutdown()
            server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_port)

    @property
    def hosts(self) -> list[str]:
        """Two different sites for the browser, each in a process of its own."""
        return [f"127.0.0.1:{self.port}", f"localhost:{self.port}"]

    def page(self, body: str, path: str = "/", *, delay_s: float = 0, raw: bool = False) -> str:
        """Serve `body` after `delay_s`; the address is that of 127.0.0.1."""
        self.pages[path] = (body if raw else HEAD + body, delay_s)
        return f"http://127.0.0.1:{self.port}{path}"

    def elsewhere(self, path: str) -> str:
        """The same page as another site."""
        return f"http://localhost:{self.port}{path}"

    def clear(self) -> None:
        self.pages.clear()
        self.hits.clear()
        self.seen.clear()
        self.posted.clear()
        self.held.clear()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        yard: Yard = self.server.yard  # type: ignore[attr-defined]
        address = urlsplit(self.path)
        yard.seen.append(self.path)
        if address.path.startswith("/hit/"):
            yard.hits[address.path.removeprefix("/hit/")] += 1
            hold = float(parse_qs(address.query).get("hold", ["0"])[0])
            if hold:
                yard.held.set()
                time.sleep(hold)
            return self._answer(200, "counted")
        body, delay_s = yard.pages.get(address.path, ("", 0.0))
        time.sleep(delay_s)
        return self._answer(200 if body else 404, body or "nothing here")

    def do_POST(self) -> None:
        yard: Yard = self.server.yard  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        yard.posted.append(_values_in(self.headers["Content-Type"], body))
        self._answer(200, f"{HEAD}<h1>Thank you</h1>")

    def _answer(self, status: int, body: str) -> None:
        with contextlib.suppress(OSError):  # the browser may have gone away meanwhile
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode("utf-8", "surrogatepass"))

    def log_message(self, *args: object) -> None:
        pass


def _values_in(content_type: str, body: bytes) -> dict[str, list[str]]:
    """What a form sent, by the names of its fields; of a file its name and what is in it."""
    if not content_type.startswith("multipart/"):
        return parse_qs(body.decode(), keep_blank_values=True)
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    values: dict[str, list[str]] = {}
    for part in message_from_bytes(head + body, policy=policy.HTTP).iter_parts():
        text = part.get_payload(decode=True).decode()
        file = part.get_filename()
        name = part.get_param("name", header="content-disposition")
        values.setdefault(str(name), []).append(text if file is None else f"{file}: {text}")
    return values
