"""A web site that keeps its own books: what a page reports there cannot be told otherwise.

Pages may be slow, the site answers as two different sites (127.0.0.1 and localhost), and
`GET /hit/NAME` counts, so a test knows what really happened without asking the product.
"""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
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
    """`hits` counts by name. `held` is set while somebody waits in a `hold`."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.pages: dict[str, tuple[str, float]] = {}
        self.hits: Counter[str] = Counter()
        self.seen: list[str] = []
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

    def _answer(self, status: int, body: str) -> None:
        with contextlib.suppress(OSError):  # the browser may have gone away meanwhile
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode("utf-8", "surrogatepass"))

    def log_message(self, *args: object) -> None:
        pass
