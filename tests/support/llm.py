"""A real local chat endpoint that answers as a test tells it, and keeps what it was asked."""

import contextlib
import json
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

GIVE_UP_S = 15


@dataclass(frozen=True)
class Answer:
    """One HTTP answer. `wait_s` comes before the first byte; `drip_s` after each byte, of the
    head too where `drips_head` is set."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    drip_s: float = 0.0
    drips_head: bool = False


def says(content: Any, **how: Any) -> Answer:
    """A chat completion whose message is `content`, as text or as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    completion = {
        "choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020},
    }
    return Answer(json.dumps(completion).encode(), **how)


def picks(index: Any, rationale: Any = "It is the one in the order.", **how: Any) -> Answer:
    return says({"chosen_index": index, "rationale": rationale}, **how)


def self_signed(folder: Path, host: str) -> Path:
    """A certificate for `host` that vouches for itself, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path = folder / "certificate.pem"
    path.write_bytes(key.private_bytes(pem, *plain) + certificate.public_bytes(pem))
    return path


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def data(self) -> dict[str, Any]:
        """The JSON block of the user's message."""
        block = self.body["messages"][1]["content"]
        return json.loads(block.removeprefix("<data>\n").removesuffix("\n</data>"))


class Llm:
    """Gives the scripted answers one after another, and the last one ever after."""

    def __init__(self, port: int, *, scheme: str = "http") -> None:
        self.url = f"{scheme}://127.0.0.1:{port}/v1"
        self.asked: list[Asked] = []
        self._script: list[Answer] = []
        self._lock = threading.Lock()

    def will(self, *answers: Answer) -> None:
        self._script = list(answers)

    def next(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            return self._script.pop(0) if len(self._script) > 1 else self._script[0]

    @classmethod
    @contextlib.contextmanager
    def started(cls, *, certificate: Path | None = None) -> Iterator["Llm"]:
        """Speaks TLS where a certificate is given."""

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                asked = Asked(self.path, dict(self.headers), json.loads(self.rfile.read(length)))
                with contextlib.suppress(OSError):  # the asker may have gone away
                    self._give(llm.next(asked))

            def do_GET(self) -> None:
                """Where a followed redirect would come out."""
                llm.asked.append(Asked(self.path, dict(self.headers), {}))
                self._give(picks(0))

            def _give(self, answer: Answer) -> None:
                time.sleep(answer.wait_s)
                headers = {"Content-Length": str(len(answer.body)), **answer.headers}
                lines = [f"HTTP/1.1 {answer.status} Scripted", "Connection: close"]
                lines += [f"{name}: {value}" for name, value in headers.items()]
                head = "\r\n".join([*lines, "", ""]).encode()
                self._send(head, answer.drip_s if answer.drips_head else 0)
                self._send(answer.body, answer.drip_s)

            def _send(self, content: bytes, drip_s: float) -> None:
                if not drip_s:
                    self.wfile.write(content)
                    return
                until = time.monotonic() + GIVE_UP_S
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    time.sleep(drip_s)
                    if time.monotonic() > until:
                        return

            def log_message(self, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        llm = cls(server.server_port, scheme="https" if certificate else "http")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield llm
        finally:
            server.shutdown()
            server.server_close()
