"""A reviewer without a browser: signs in and decides over the REST API with a session."""

import contextlib
import re
import uuid
from collections.abc import Iterator
from typing import Any

import httpx

from tests.support import people
from tests.support.stack import Stack


class Decider:
    """Signed in; every call carries the CSRF token as the pages do."""

    def __init__(self, stack: Stack, name: str, password: str) -> None:
        self.name = name
        self._api = stack.api_url
        self.http = httpx.Client(base_url=stack.url, timeout=60, follow_redirects=True)
        form = self.http.get("/sign-in").text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
        assert token, form
        self.http.post(
            "/sign-in",
            data={"username": name, "password": password, "csrfmiddlewaretoken": token[1]},
            headers={"Referer": f"{stack.url}/sign-in"},
        )
        assert self.http.cookies.get("sessionid"), "the sign-in failed"

    @classmethod
    @contextlib.contextmanager
    def made(
        cls, stack: Stack, *, role: str = "reviewer", team: str = "default"
    ) -> Iterator["Decider"]:
        name = f"decider-{uuid.uuid4().hex[:8]}"
        password = people.add_person(stack.sql, name, role=role, team=team)
        decider = cls(stack, name, password)
        try:
            yield decider
        finally:
            decider.http.close()

    def twin(self) -> "Decider":
        """The same session on a connection of its own, for a thread of its own."""
        copy = object.__new__(Decider)
        copy.name, copy._api = self.name, self._api
        copy.http = httpx.Client(
            base_url=self.http.base_url, timeout=60, cookies=dict(self.http.cookies)
        )
        return copy

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        token = self.http.cookies.get("csrftoken") or ""
        return self.http.post(
            f"{self._api}{path}", json=body, headers={"X-CSRFToken": token, **headers}
        )

    def get(self, path: str) -> httpx.Response:
        return self.http.get(f"{self._api}{path}")

    def decide(self, proposal_id: str, verb: str = "approve", **body: Any) -> httpx.Response:
        return self.post(f"/proposals/{proposal_id}/{verb}", {"version": 1, **body})
