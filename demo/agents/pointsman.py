"""Pointsman's REST API as the demo agents use it: plain calls that wait out every hiccup."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

Say = Callable[[str], None]

LONG_POLL_S = 60
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 15.0
GOODBYE_S = 3.0


class Refused(Exception):
    """Pointsman understood the call and said no; asking again would not help."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail or code)
        self.code = code


class KeyRefused(Exception):
    """The API key is unknown or revoked."""


class RoundOver(Exception):
    """This round cannot go on; the message says why."""


@dataclass(frozen=True)
class Answer:
    """What became of one action."""

    status: str
    confidence: dict[str, Any]
    result: Any
    error_code: str
    message: str
    acted_index: int
    would_gate: bool

    @property
    def succeeded(self) -> bool:
        return self.status == "succeeded"

    @property
    def candidate_count(self) -> int:
        return int(self.confidence.get("match_count", 0))

    @property
    def sureness(self) -> str:
        """For a log line, as in `partial 0.55`."""
        return f"{self.confidence.get('level', '?')} {self.confidence.get('score', 0):.2f}"


class Pointsman:
    """One agent's connection. It remembers its open run, to finish it on the way out."""

    def __init__(self, base_url: str, *, key: str, say: Say) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=httpx.Timeout(10, read=LONG_POLL_S + 15),
            # The agents talk to this machine only; a proxy of the surroundings has no say in it.
            trust_env=False,
        )
        self._say = say
        self.open_run_id = ""

    def open_run(self, start_url: str, *, label: str, **wishes: Any) -> dict[str, Any]:
        """`wishes` are what else `POST /runs` may be told, such as a task."""
        run = self._call("POST", "/runs", {"start_url": start_url, "label": label, **wishes})
        while run["status"] == "starting":
            time.sleep(FIRST_PAUSE_S)
            run = self._call("GET", f"/runs/{run['id']}")
        if run["status"] == "failed":
            raise RoundOver(f"the start page did not load: {_error_of(run)[1]}")
        self.open_run_id = run["id"]
        return run

    def finish_run(self) -> None:
        run_id, self.open_run_id = self.open_run_id, ""
        if run_id:
            self._call("POST", f"/runs/{run_id}/finish")

    def end_and_verify(self) -> dict[str, Any]:
        """What the verifiers of the run's task say of it in the end."""
        run_id = self.open_run_id
        self.finish_run()
        return self._call("GET", f"/runs/{run_id}/verification")

    def say_goodbye(self) -> None:
        """Finish the open run in one short try: the process is about to end."""
        if not self.open_run_id:
            return
        try:
            path = f"/runs/{self.open_run_id}/finish"
            self._http.post(path, json={}, timeout=GOODBYE_S).raise_for_status()
            self._say("finished its run and stopped")
        except httpx.HTTPError:
            self._say("stopped; Pointsman did not answer, so its run ends when it has been idle")

    def act(
        self, tool: str, params: dict[str, str | bool], *, on_wait: Callable[[Answer], None]
    ) -> Answer:
        """Use one tool and wait until that is final, a person's decision included."""
        return self.send({"tool": tool, "params": params}, on_wait=on_wait)

    def send(self, call: dict[str, Any], *, on_wait: Callable[[Answer], None]) -> Answer:
        """The same with the whole body of a call."""
        said = self._call("POST", f"/runs/{self.open_run_id}/actions", call)
        was_waiting = False
        while said["status"] in {"running", "requires_approval"}:
            if said["status"] == "requires_approval" and not was_waiting:
                was_waiting = True
                on_wait(_answer(said))
            said = self._call("GET", f"/actions/{said['action_id']}?wait_s={LONG_POLL_S}")
        return _answer(said)

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Call until Pointsman answers. A retry carries the same key, so nothing is done twice."""
        headers = {"Idempotency-Key": uuid.uuid4().hex} if method == "POST" else {}
        pause_s, trouble = FIRST_PAUSE_S, ""
        while True:
            try:
                response = self._http.request(
                    method, path, json=body if method == "GET" else body or {}, headers=headers
                )
            except httpx.TransportError:
                trouble = self._wait("Pointsman does not answer yet", trouble, pause_s)
            else:
                wait = _reason_to_wait(response)
                if not wait:
                    if trouble:
                        self._say("Pointsman answers again")
                    return _checked(response)
                pause_s = max(pause_s, _retry_after_s(response))
                trouble = self._wait(wait, trouble, pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    def _wait(self, trouble: str, said_before: str, pause_s: float) -> str:
        """Say each trouble once, however long it lasts."""
        if trouble != said_before:
            self._say(f"{trouble}; trying again")
        time.sleep(pause_s)
        return trouble


def _reason_to_wait(response: httpx.Response) -> str:
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        return "Pointsman is full for the moment"
    if response.is_server_error:
        return f"Pointsman answered {response.status_code}"
    return ""


def _retry_after_s(response: httpx.Response) -> float:
    given = response.headers.get("Retry-After", "")
    return min(float(given), LONGEST_PAUSE_S * 4) if given.isdecimal() else 0.0


def _checked(response: httpx.Response) -> dict[str, Any]:
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise KeyRefused
    said = response.json() if response.content else {}
    if response.is_error:
        raise Refused(said.get("code", str(response.status_code)), said.get("detail", ""))
    return said


def _answer(said: dict[str, Any]) -> Answer:
    code, message = _error_of(said)
    return Answer(
        status=said["status"],
        confidence=said.get("match_confidence") or {},
        result=said.get("result"),
        error_code=code,
        message=message,
        acted_index=_acted_index(said),
        would_gate=bool(said.get("would_gate")),
    )


def _acted_index(said: dict[str, Any]) -> int:
    """The candidate that was acted on, as far as the answer tells; -1 if it does not."""
    chosen = (said.get("match_confidence") or {}).get("chosen_index", -1)
    acted = said.get("acted_index")
    return int(chosen if acted is None else acted)


def _error_of(said: dict[str, Any]) -> tuple[str, str]:
    error = said.get("error") or {}
    return error.get("code", ""), error.get("message", "")
