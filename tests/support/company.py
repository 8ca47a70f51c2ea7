"""A company's sign-in: an OpenID Connect issuer on this machine, as far as one is asked here."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

CLIENT_ID, CLIENT_SECRET, CODE = "pointsman", "the-client-secret", "one-code"


@dataclass
class Company:
    """Vouches for whoever `claims` says; keeps what it was asked."""

    url: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator["Company"]:
        company = cls()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _door_of(company))
        company.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield company
        server.shutdown()
        server.server_close()

    def settings(self) -> dict[str, Any]:
        """As the environment would say it."""
        app = {
            "provider_id": "company",
            "name": "Acme",
            "client_id": CLIENT_ID,
            "secret": CLIENT_SECRET,
            "settings": {"server_url": self.url},
        }
        return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}

    def sends_back(self, leave: str) -> str:
        """Where a person is sent after they signed in at the address `leave`."""
        self.asked = {key: value[0] for key, value in parse_qs(urlsplit(leave).query).items()}
        assert leave.startswith(f"{self.url}/authorize")
        back = urlsplit(self.asked["redirect_uri"]).path
        return f"{back}?{urlencode({'code': CODE, 'state': self.asked['state']})}"

    def answer(self, path: str, said: dict[str, list[str]]) -> dict[str, Any]:
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }
        if path == "/token":
            assert said["code"] == [CODE]
            assert said["client_secret"] == [CLIENT_SECRET]
            assert said["code_verifier"]
            return {"access_token": "at", "token_type": "Bearer", "id_token": self._id_token()}
        assert path == "/userinfo"
        return self.claims

    def _id_token(self) -> str:
        about = {"iss": self.url, "aud": CLIENT_ID, "exp": 4_000_000_000, "iat": 1}
        return jwt.encode(self.claims | about, "k" * 32, algorithm="HS256", headers={"kid": "1"})


def _door_of(company: Company) -> type[BaseHTTPRequestHandler]:
    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(company.answer(urlsplit(self.path).path, {}))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._say(company.answer(self.path, parse_qs(body)))

        def _say(self, answer: dict[str, Any]) -> None:
            content = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            pass

    return Door
