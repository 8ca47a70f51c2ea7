"""Everything a client can get wrong: a problem with a stable code, never a 500, never a page."""

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.decider import Decider
from tests.support.stack import Agent, Stack
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
NOBODY = "00000000-0000-4000-8000-000000000000"
TWINS = '<button class="go" id="first">Go</button><button class="go">Go</button>'


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with Yard.started() as running:
        running.page(TWINS)
        yield running


@pytest.fixture(scope="module")
def bot(stack: Stack, yard: Yard) -> Iterator[Agent]:
    """One agent with one open run on a page with two equal buttons."""
    with stack.agent(tier="autonomous", hosts=yard.hosts) as made:
        made.open_run(yard.page(TWINS))
        yield made


@pytest.fixture(scope="module")
def stranger(stack: Stack, yard: Yard) -> Iterator[Agent]:
    with stack.agent(tier="autonomous", hosts=yard.hosts) as made:
        yield made


@pytest.fixture(scope="module")
def decider(stack: Stack) -> Iterator[Decider]:
    with Decider.made(stack) as made:
        yield made


def refused(answer: httpx.Response, status: int | set[int], code: str = "") -> dict[str, Any]:
    """It is a problem document of this status, and says whether to try again."""
    allowed = status if isinstance(status, set) else {status}
    assert answer.status_code in allowed, (answer.status_code, answer.text[:400])
    assert answer.headers["content-type"].startswith("application/problem+json"), answer.headers
    body = answer.json()
    assert body["status"] == answer.status_code
    assert isinstance(body["retryable"], bool)
    assert body["code"] not in {"", "error", "internal"}
    if code:
        assert body["code"] == code, body
    assert len(answer.content) < 10_000
    return body


def code_of(answer: dict[str, Any]) -> str:
    """Of an action, or of a problem."""
    return answer["error"]["code"] if answer.get("error") else answer.get("code", "succeeded")


def actions(bot: Agent) -> str:
    return f"/runs/{bot.run_id}/actions"


CALLS: dict[str, Any] = {
    "no body": None,
    "a list": [],
    "a number": 7,
    "a text": "click",
    "nothing": {},
    "an unknown tool": {"tool": "browser_fly", "params": {}},
    "a tool of another type": {"tool": ["browser_click"], "params": {"target": "#first"}},
    "a very long tool": {"tool": "x" * 100_000, "params": {}},
    "no target": {"tool": "browser_click", "params": {}},
    "an empty target": {"tool": "browser_click", "params": {"target": ""}},
    "a null target": {"tool": "browser_click", "params": {"target": None}},
    "a target of another type": {"tool": "browser_click", "params": {"target": {"a": 1}}},
    "two targets": {"tool": "browser_click", "params": {"target": "#a", "ref": "e1"}},
    "an unknown key": {"tool": "browser_click", "params": {"target": "#first", "force": True}},
    "an unknown key in the body": {"tool": "browser_snapshot", "params": {}, "x": 1},
    "params that are a list": {"tool": "browser_click", "params": [1]},
    "params that are a text": {"tool": "browser_click", "params": "#first"},
    "params that are null": {"tool": "browser_click", "params": None},
    "a wrong button": {"tool": "browser_click", "params": {"target": "#first", "button": "up"}},
    "a negative wait": {"tool": "browser_snapshot", "params": {}, "wait_s": -1},
    "a long wait": {"tool": "browser_snapshot", "params": {}, "wait_s": 61},
    "a huge wait": {"tool": "browser_snapshot", "params": {}, "wait_s": 10**400},
    "a wait that is no number": {"tool": "browser_snapshot", "params": {}, "wait_s": "nan"},
    "an infinite wait": {"tool": "browser_snapshot", "params": {}, "wait_s": "inf"},
    "a wait of another type": {"tool": "browser_snapshot", "params": {}, "wait_s": []},
    "a dry run of another type": {"tool": "browser_snapshot", "params": {}, "dry_run": "maybe"},
    "a long turn": {"tool": "browser_snapshot", "params": {}, "turn": "t" * 101},
    "a turn with NUL": {"tool": "browser_snapshot", "params": {}, "turn": "a\0b"},
    "a tool with NUL": {"tool": "browser_click\0", "params": {"target": "#first"}},
    "a target with NUL": {"tool": "browser_click", "params": {"target": "#first\0"}},
    "a key with NUL": {"tool": "browser_click", "params": {"target": "#first", "a\0": 1}},
    "a lone surrogate": {"tool": "browser_click", "params": {"target": "text=\ud800"}},
    "a lone surrogate as tool": {"tool": "\udfff", "params": {}},
    "a lone surrogate as key": {"tool": "browser_click", "params": {"\ud800": 1}},
    "a lone surrogate as key of the body": {"tool": "browser_snapshot", "\ud800": 1},
    "a lone surrogate in a turn": {"tool": "browser_snapshot", "params": {}, "turn": "\ud800"},
    "a target of 1 MB": {"tool": "browser_click", "params": {"target": "a" * 1_000_000}},
    "200 unknown keys": {"tool": "browser_click", "params": {f"k{n}": n for n in range(200)}},
    "an unknown key of 1 MB": {"tool": "browser_click", "params": {"k" * 1_000_000: 1}},
    "no url": {"tool": "browser_navigate", "params": {}},
    "a url of 100 kB": {"tool": "browser_navigate", "params": {"url": "http://a/" + "x" * 100_000}},
    "a text of 1 MB": {"tool": "browser_type", "params": {"target": "#first", "text": "t" * 10**6}},
    "half a character in a form": {
        "tool": "browser_fill_form",
        "params": {"fields": [{"target": "#first", "value": "\ud800"}]},
    },
    "a number in a list of a form": {
        "tool": "browser_fill_form",
        "params": {"fields": [{"target": "#first", "value": [1]}]},
    },
    "an expectation that is no selector": {
        "tool": "browser_snapshot",
        "params": {},
        "expect": {"selector": "div >>"},
    },
    "a text with NUL": {"tool": "browser_type", "params": {"target": "#first", "text": "\0"}},
}


@pytest.mark.parametrize("kind", CALLS)
def test_a_bad_call_is_a_problem(kind: str, bot: Agent) -> None:
    content = b"" if CALLS[kind] is None else json.dumps(CALLS[kind]).encode()
    answer = bot.http.post(
        actions(bot), content=content, headers={"Content-Type": "application/json"}, timeout=20
    )
    refused(answer, {400, 422})


RAW: dict[str, tuple[bytes, str, set[int]]] = {
    "no JSON": (b"{", "application/json", {400}),
    "not UTF-8": (b'{"tool": "\xff\xfe"}', "application/json", {400}),
    "UTF-16": ('{"tool": "browser_snapshot"}'.encode("utf-16"), "application/json", {400}),
    "NaN": (b'{"tool": "browser_snapshot", "wait_s": NaN}', "application/json", {400, 422}),
    "1e999": (b'{"tool": "browser_snapshot", "wait_s": 1e999}', "application/json", {422}),
    "a number of 5,000 digits": (
        b'{"tool": "browser_snapshot", "wait_s": ' + b"9" * 5_000 + b"}",
        "application/json",
        {400, 422},
    ),
    "nested 100,000 deep": (b"[" * 100_000 + b"]" * 100_000, "application/json", {400, 422}),
    "params nested 900 deep": (
        b'{"tool": "browser_snapshot", "params": {"a": ' + b"[" * 900 + b"]" * 900 + b"}}",
        "application/json",
        {400, 422},
    ),
    "a form": (b"tool=browser_snapshot", "application/x-www-form-urlencoded", {415}),
    "text": (b'{"tool": "browser_snapshot"}', "text/plain", {415}),
    "no type": (b'{"tool": "browser_snapshot"}', "", {400, 415, 422}),
    "an unknown charset": (b"[]", "application/json; charset=klingon", {400, 415, 422}),
    "multipart without an end": (b"--x", "multipart/form-data; boundary=x", {415}),
    "5 MB": (b'{"tool": "' + b"x" * 5_000_000 + b'"}', "application/json", {413, 422}),
}


@pytest.mark.parametrize("kind", RAW)
def test_a_bad_body_is_a_problem(kind: str, bot: Agent) -> None:
    content, media_type, statuses = RAW[kind]
    headers = {"Content-Type": media_type} if media_type else {}
    refused(bot.http.post(actions(bot), content=content, headers=headers), statuses)


SELECTORS = [
    "  ",
    "div >>",
    ">> div",
    "text=",
    "css=",
    "xpath=",
    "id=",
    "role=",
    "button >> text=",
    "text= >> button",
    "nth=x",
    'text="unclosed',
    "text='unclosed",
    "button >> nth=",
    "button >> nth=1.5",
    "button[",
    "button:nope(1)",
    "button:has-text(",
    "//button[",
    "xpath=//*[@id=]",
    "role=button[name=",
    "role=nothing-like-this[",
    "nosuch=thing",
    "internal:nosuch=1",
    "#",
    ".",
    "a{}",
    "button,,button",
    "((((",
    "role=" + "x[" * 500,
    ":is(" * 300 + ")" * 300,
    "f999e",
    "e",
]


@pytest.mark.parametrize("target", SELECTORS)
def test_a_malformed_selector_is_told_at_once(target: str, bot: Agent) -> None:
    """Also those that Playwright itself takes for something else."""
    began = time.monotonic()
    answer = bot.post(
        {"tool": "browser_click", "params": {"target": target}, "dry_run": True, "wait_s": 20}
    )
    if answer.status_code == 422:
        refused(answer, 422)
        return
    assert answer.status_code == 200, answer.text
    error = answer.json()["error"]
    assert error, answer.json()["match_confidence"]["rationale"]
    # A bare word is a tag name that this page happens not to have.
    wanted = {"no_match"} if target in {"e", "f999e"} else {"invalid_selector"}
    assert error["code"] in wanted, error
    assert len(error["message"]) < 600
    assert "stash" not in error["message"], "our own engine is nobody's business"
    assert target in {"e", "f999e"} or time.monotonic() - began < 4


@pytest.mark.parametrize("target", ["e999999", "f7e12", "e99999999999999999999999", "e0"])
def test_a_ref_from_no_snapshot_is_stale(target: str, bot: Agent) -> None:
    bot.send("browser_snapshot")
    answer = bot.send("browser_click", target=target).json()
    assert answer["error"]["code"] == "stale", answer


def test_our_own_engines_are_not_an_agents_to_use(bot: Agent) -> None:
    for target in ("button >> stash1=stash:x", "button >> stash1=pick:x:0", "stash2=stash:1"):
        answer = bot.post(
            {"tool": "browser_click", "params": {"target": target}, "dry_run": True}
        ).json()
        assert code_of(answer) == "invalid_selector", answer


URLS = [
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "fi\tle:///etc/passwd",
    "chrome://version",
    "view-source:http://127.0.0.1/",
    "javascript:alert(1)",
    "data:text/html,hi",
    "about:srcdoc",
    "devtools://devtools/bundled/inspector.html",
    "http://",
    "http:///x",
    "http://[::1",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:x/",
    "http://example.com/",
    "http://127.0.0.1.example.com/",
    "http://2130706433/",
    "ftp://127.0.0.1/",
    "//127.0.0.1/",
    "http://\u202e/",
    "http://xn--/",
]


@pytest.mark.parametrize("url", URLS)
def test_an_address_that_may_not_be_opened_is_blocked(url: str, bot: Agent) -> None:
    answer = bot.send("browser_navigate", url=url)
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "blocked", answer.json()
    assert answer.json()["error"]["code"] == "sandbox_blocked"


def test_a_run_on_such_an_address_has_failed(stranger: Agent) -> None:
    for url in ("file:///etc/passwd", "http://example.com/", "http://[", "no address"):
        opened = stranger.http.post("/runs", json={"start_url": url})
        assert opened.status_code == 201, opened.text
        assert opened.json()["status"] == "failed", opened.text
        assert opened.json()["error"]["code"] == "sandbox_blocked"


# --- who asks ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer pm_wrong",
        "Bearer pm_" + "x" * 5_000,
        "Basic cG06cG0=",
        "bearer nothing",
        "Bearer pm_\u00e9",
        "Token pm_x",
    ],
)
def test_a_wrong_key_is_401(header: str, stack: Stack, bot: Agent) -> None:
    headers: dict[bytes, bytes] = {}
    if header:
        headers[b"Authorization"] = header.encode("latin-1")
    for method, path in (("GET", "/whoami"), ("POST", "/runs"), ("POST", actions(bot))):
        answer = httpx.request(method, f"{stack.api_url}{path}", headers=headers)
        refused(answer, 401, "unauthenticated")


def test_a_revoked_key_is_401_at_once(stack: Stack, yard: Yard) -> None:
    with stack.agent(tier="autonomous", hosts=yard.hosts) as gone:
        assert gone.http.get("/whoami").status_code == 200
        stack.sql("UPDATE agents_apikey SET revoked_at = now() WHERE agent_id = %s", gone.id)
        refused(gone.http.get("/whoami"), 401, "unauthenticated")
        refused(gone.http.post("/runs", json={}), 401, "unauthenticated")


def test_what_is_another_agents_is_not_there(
    stack: Stack, bot: Agent, stranger: Agent, decider: Decider
) -> None:
    asked = bot.send("browser_click", target=".go").json()
    try:
        picture = stack.sql(
            "SELECT picture FROM proposals_proposal WHERE id = %s", asked["proposal_id"]
        )[0][0]
        for path in (
            f"/runs/{bot.run_id}",
            f"/actions/{asked['action_id']}",
            f"/proposals/{asked['proposal_id']}",
            f"/pictures/{picture}",
        ):
            assert bot.http.get(path).status_code in {200, 202}, path
            refused(stranger.http.get(path), 404, "not_found")
        refused(stranger.http.post(f"/runs/{bot.run_id}/finish"), 404, "not_found")
        body = {"tool": "browser_snapshot", "params": {}}
        refused(stranger.http.post(actions(bot), json=body), 404, "not_found")
        assert stranger.http.get("/proposals").json()["results"] == []
        with Decider.made(stack, team="elsewhere") as outsider:
            refused(outsider.get(f"/proposals/{asked['proposal_id']}"), 404, "not_found")
            refused(outsider.decide(asked["proposal_id"], chosen_index=0), 404, "not_found")
        with Decider.made(stack, role="auditor") as auditor:
            refused(auditor.decide(asked["proposal_id"], chosen_index=0), 403, "forbidden")
    finally:
        decider.decide(asked["proposal_id"], "reject", reason="only a test")


def test_a_person_opens_no_run_and_a_session_without_its_token_decides_nothing(
    decider: Decider,
) -> None:
    refused(decider.post("/runs", {}), 403, "forbidden")
    url = f"{decider._api}/proposals/{NOBODY}/approve"
    refused(decider.http.post(url, json={"version": 1}), 403, "forbidden")


# --- addresses and methods -------------------------------------------------------------------
@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "/runs/",
        "/runs/not-a-uuid",
        "/runs/not-a-uuid/actions",
        "/runs/%00/actions",
        "/actions/1",
        "/pictures/a/b",
        "/",
        "",
        "/../v1/nope",
        "/runs%2f..%2f",
    ],
)
def test_an_unknown_address_is_a_problem_whatever_the_method(path: str, bot: Agent) -> None:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        body: dict[str, Any] | None = {} if method != "GET" else None
        refused(bot.http.request(method, path, json=body), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/runs"),
        ("DELETE", "/runs"),
        ("PUT", "/runs/{run}"),
        ("GET", "/runs/{run}/actions"),
        ("GET", "/runs/{run}/finish"),
        ("POST", "/whoami"),
        ("DELETE", "/proposals"),
    ],
)
def test_a_wrong_method_is_405(method: str, path: str, bot: Agent) -> None:
    refused(bot.http.request(method, path.format(run=bot.run_id)), 405, "method_not_allowed")


def test_an_answer_that_nobody_can_give_is_406(bot: Agent) -> None:
    answer = bot.http.get("/whoami", headers={"Accept": "text/html"})
    if answer.status_code != 200:
        refused(answer, 406)


@pytest.mark.parametrize(
    "path",
    [
        "/proposals?status=%00",
        "/proposals?status=nonsense",
        "/proposals?agent=%00",
        "/proposals?agent=%ed%a0%80",
        "/proposals?level=%00",
        "/proposals?cursor=x",
        "/proposals?cursor=%00",
        "/proposals?cursor=2026-13-77T00:00:00Z",
        "/proposals?cursor=9999-12-31T23:59:59-23:59",
        "/proposals?cursor=0001-01-01T00:00:00%2B23:59",
        "/pictures/%00",
        "/pictures/x",
        "/pictures/%ed%a0%80",
        f"/actions/{NOBODY}",
        f"/runs/{NOBODY}",
        f"/proposals/{NOBODY}",
    ],
)
def test_a_query_or_name_that_means_nothing_is_no_500(path: str, bot: Agent) -> None:
    answer = bot.http.get(path)
    if answer.status_code != 200:
        refused(answer, {400, 404, 422})
    assert answer.headers["content-type"].startswith("application/")


@pytest.mark.parametrize("wait_s", ["nan", "-1", "inf", "61", "x", "1e400", "%00", "-nan"])
def test_a_wait_that_is_none_is_refused(wait_s: str, bot: Agent, decider: Decider) -> None:
    """`nan` is never over: a call that took it would spin for ever."""
    asked = bot.send("browser_click", target=".go").json()
    try:
        answer = bot.http.get(f"/actions/{asked['action_id']}?wait_s={wait_s}", timeout=10)
        refused(answer, 422)
    finally:
        decider.decide(asked["proposal_id"], "reject", reason="only a test")


# --- the same again -------------------------------------------------------------------------
def test_an_idempotency_key_with_another_body_is_refused(bot: Agent, yard: Yard) -> None:
    key = {"Idempotency-Key": uuid.uuid4().hex}
    body = {"tool": "browser_click", "params": {"target": "#nope"}, "dry_run": True, "wait_s": 0}
    first = bot.http.post(actions(bot), json=body, headers=key)
    again = bot.http.post(actions(bot), json=body, headers=key)
    assert again.json()["action_id"] == first.json()["action_id"]
    refused(bot.http.post(actions(bot), json={**body, "dry_run": False}, headers=key), 422)
    refused(
        bot.http.post(actions(bot), json=body, headers={"Idempotency-Key": "k" * 201}), {400, 422}
    )
    bot.poll(first.json()["action_id"])
    opened = {"start_url": yard.page(TWINS)}
    run = bot.http.post("/runs", json=opened, headers=key).json()
    same = bot.http.post("/runs", json=opened, headers=key).json()
    assert run["id"] == same["id"]
    refused(bot.http.post("/runs", json={"label": "x"}, headers=key), 422)
    bot.http.post(f"/runs/{run['id']}/finish")


def test_a_finished_run_takes_nothing(bot: Agent, yard: Yard) -> None:
    run = bot.http.post("/runs", json={"start_url": yard.page(TWINS)}).json()["id"]
    for _ in range(2):
        assert bot.http.post(f"/runs/{run}/finish").json()["status"] == "finished"
    body = {"tool": "browser_snapshot", "params": {}}
    refused(bot.http.post(f"/runs/{run}/actions", json=body), 409, "run_ended")


# --- decisions ------------------------------------------------------------------------------
DECISIONS: list[tuple[str, Any]] = [
    ("approve", {}),
    ("approve", None),
    ("approve", []),
    ("approve", {"version": 1}),
    ("approve", {"version": 0, "chosen_index": 0}),
    ("approve", {"version": "x", "chosen_index": 0}),
    ("approve", {"version": None, "chosen_index": 0}),
    ("approve", {"version": 1, "chosen_index": -1}),
    ("approve", {"version": 1, "chosen_index": 2}),
    ("approve", {"version": 1, "chosen_index": 10**30}),
    ("approve", {"version": 1, "chosen_index": 0.5}),
    ("approve", {"version": 1, "chosen_index": [0]}),
    ("approve", {"version": 1, "chosen_index": 0, "extra": 1}),
    ("approve", {"version": 1, "chosen_index": 0, "reason": "x" * 5_000}),
    ("approve", {"version": 1, "chosen_index": 0, "reason": "a\0b"}),
    ("approve", {"version": 1, "chosen_index": 0, "reason": "\ud800"}),
    ("approve", {"version": 1, "\ud800": 0}),
    ("modify", {"version": 1}),
    ("modify", {"version": 1, "modifications": {}}),
    ("modify", {"version": 1, "modifications": []}),
    ("modify", {"version": 1, "modifications": {"chosen_index": "0"}}),
    ("modify", {"version": 1, "modifications": {"chosen_index": True}}),
    ("modify", {"version": 1, "modifications": {"chosen_index": 10**30}}),
    ("modify", {"version": 1, "modifications": {"chosen_index": 0, "\ud800": 1}}),
    ("modify", {"version": 1, "modifications": {"a\0": 1}}),
    ("modify", {"version": 1, "modifications": {"k" * 100_000: 1}}),
    ("reject", {"version": 1}),
    ("reject", {"version": 1, "reason": "   "}),
    ("reject", {"version": 1, "reason": "a\0b"}),
    ("reject", {"version": 1, "reason": "\udc00"}),
]


def test_a_bad_decision_decides_nothing(bot: Agent, decider: Decider, stack: Stack) -> None:
    asked = bot.send("browser_click", target=".go").json()
    path, token = f"/proposals/{asked['proposal_id']}", decider.http.cookies.get("csrftoken") or ""
    wrong: list[str] = []
    for verb, body in DECISIONS:
        answer = decider.http.post(
            f"{decider._api}{path}/{verb}",
            content=b"" if body is None else json.dumps(body).encode(),
            headers={"X-CSRFToken": token, "Content-Type": "application/json"},
        )
        try:
            refused(answer, {400, 422})
        except AssertionError as error:
            wrong.append(f"{verb} {str(body)[:80]}: {str(error)[:160]}")
    stale = decider.decide(asked["proposal_id"], version=2, chosen_index=0)
    huge = decider.decide(asked["proposal_id"], version=10**30, chosen_index=0)
    assert decider.get(path).json()["status"] == "pending", wrong
    decider.decide(asked["proposal_id"], "reject", reason="only a test")
    assert wrong == []
    refused(stale, 409, "stale_version")
    refused(huge, {409, 422})
    stack.manage("audit_verify", "--run", bot.run_id)
