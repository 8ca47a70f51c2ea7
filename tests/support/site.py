"""A real local web site for a run's browser to work on."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TWO_BUTTONS = """<!doctype html><html lang="en"><title>Checkout</title><body>
<h1>Checkout</h1>
<form aria-label="Summary"><button type="button" data-count="first">Submit</button></form>
<form aria-label="Order"><h2>Your order</h2>
<button type="button" data-count="second">Submit</button></form>
<output id="first">0</output><output id="second">0</output>
<script>
for (const button of document.querySelectorAll("[data-count]"))
  button.addEventListener("click", () => {
    const shown = document.getElementById(button.dataset.count);
    shown.textContent = Number(shown.textContent) + 1;
  });
</script></body></html>"""


class Site:
    """Serves the pages it is given; `host` is what an agent must be allowed to reach."""

    def __init__(self, server: ThreadingHTTPServer, pages: dict[str, str]) -> None:
        self._server = server
        self._pages = pages

    @classmethod
    @contextlib.contextmanager
    def started(cls) -> Iterator["Site"]:
        pages: dict[str, str] = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = pages.get(self.path.partition("?")[0])
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write((body or "nothing here").encode())

            def log_message(self, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield cls(server, pages)
        finally:
            server.shutdown()
            server.server_close()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def page(self, html: str, path: str = "/") -> str:
        """Serve `html` at `path` and return its address."""
        self._pages[path] = html
        return f"http://{self.host}{path}"

    def folder(self, files: dict[str, str]) -> str:
        """Serve several files and return the site's address."""
        self._pages.update(files)
        return f"http://{self.host}"
