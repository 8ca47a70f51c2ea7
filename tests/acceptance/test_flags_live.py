"""The kill switch and every other flag reach every process within a second; no agent has one."""

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from prometheus_client.mmap_dict import MmapedDict

from tests.support.decider import Decider
from tests.support.stack import ROOT, Agent, Stack, wait_until
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
FORCE = "MATCH_CONFIDENCE_FORCE_PROPOSAL"
TIERS = "MATCH_CONFIDENCE_GATED_TIERS"
WORKERS = 3
WITHIN_S = 1.0
TWINS = """<button class="go" id="first">Go</button><button class="go" id="second">Go</button>
<script>counts(first, "first"); counts(second, "second")</script>"""
CLICK = {"tool": "browser_click", "params": {"target": ".go"}}


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack.started(
        MATCH_CONFIDENCE_FORCE_PROPOSAL="true", WORKER_CONCURRENCY=str(WORKERS)
    ) as running:
        yield running


@pytest.fixture
def agent(bot: Agent, yard: Yard) -> Agent:
    """An autonomous one that follows its tier's roll-out, before two equal buttons."""
    return before_twins(bot, yard)


def before_twins(agent: Agent, yard: Yard) -> Agent:
    yard.clear()
    url = yard.page(TWINS)
    if not agent.run_id:
        agent.open_run(url)
        return agent
    back = {"tool": "browser_navigate", "params": {"url": url}, "supersede": True}
    assert agent.post(back).json()["status"] == "succeeded"
    return agent


def click(agent: Agent) -> dict[str, Any]:
    answer: dict[str, Any] = agent.post(CLICK).json()
    return answer


def assert_waits(answer: dict[str, Any], yard: Yard) -> None:
    assert answer["status"] == "requires_approval", answer
    assert dict(yard.hits) == {}


def assert_goes_on(answer: dict[str, Any], yard: Yard, reason: str) -> None:
    assert (answer["status"], answer["gate_reasons"]) == ("succeeded", [reason]), answer
    assert dict(yard.hits) == {"first": 1}


# --- how fast -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Judged:
    """One call, as the process that judged it counted it."""

    pid: int
    decision: str
    at: float


def decisions_of(stack: Stack) -> Counter[tuple[int, str]]:
    """What each process has decided so far: each counts in a file of its own."""
    found: Counter[tuple[int, str]] = Counter()
    for file in (stack.data_dir / "metrics").glob("counter_*.db"):
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(file)):
            name, _, labels, _ = json.loads(key)
            if name == "pointsman_actions":
                pid = int(file.stem.removeprefix("counter_"))
                found[pid, labels["decision"]] += int(value)
    return found


@contextlib.contextmanager
def watched(stack: Stack) -> Iterator[list[Judged]]:
    """Every decision from here on, some 10 ms after it was made at most."""
    seen: list[Judged] = []
    over = threading.Event()

    def watch() -> None:
        before = decisions_of(stack)
        while not over.wait(0.01):
            now, after = time.time(), decisions_of(stack)
            seen.extend(Judged(*key, now) for key in after - before)
            before = after

    with running(watch, over):
        yield seen


@contextlib.contextmanager
def running(work: Any, over: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def calling(stack: Stack, yard: Yard) -> Iterator[None]:
    """As many agents as there are worker processes, none of which is ever silent."""
    over = threading.Event()

    def call(agent: Agent) -> None:
        while not over.is_set():
            assert agent.post({**CLICK, "dry_run": True}).status_code == 200

    with contextlib.ExitStack() as undo:
        for _ in range(WORKERS + 1):
            agent = undo.enter_context(stack.agent(tier="autonomous", hosts=yard.hosts))
            agent.open_run(yard.page(TWINS))
            undo.enter_context(running(lambda agent=agent: call(agent), over))
        yield


def set_by_command(stack: Stack, value: str) -> float:
    """Returns when it was about to be committed: what is measured from there is never too little."""
    stack.manage("flags", FORCE, value)
    found = stack.sql("SELECT set_at FROM confidence_flagoverride WHERE name = %s", FORCE)
    return float(found[0][0].timestamp())


def set_by_row(stack: Stack, value: str) -> float:
    """The same change, without the seconds that a command needs to start."""
    since = time.time()
    change = "UPDATE confidence_flagoverride SET value = %s::jsonb WHERE name = %s"
    stack.sql(change, value, FORCE)
    return since


@dataclass(frozen=True)
class Reaction:
    """Of one process to one change, in s after it: its first call that heeded it, and its last that
    did not."""

    pid: int
    first: float
    last: float


def reactions_to(seen: list[Judged], value: str, since: float) -> list[Reaction]:
    """Of every worker process; each has time enough to show an old reading."""
    new, old = ("propose", "proceed") if value == "true" else ("proceed", "propose")
    wait_until(lambda: len(times_after(seen, new, since)) == WORKERS, 30)
    time.sleep(max(since + WITHIN_S + 0.5 - time.time(), 0))
    late = times_after(seen, old, since)
    return [
        Reaction(pid, min(times), max(late.get(pid, [0.0])))
        for pid, times in times_after(seen, new, since).items()
    ]


def times_after(seen: list[Judged], decision: str, since: float) -> dict[int, list[float]]:
    """When each process decided so after the change, in s from it."""
    found: dict[int, list[float]] = {}
    for one in list(seen):
        if one.decision == decision and one.at > since:
            found.setdefault(one.pid, []).append(one.at - since)
    return found


def test_the_kill_switch_reaches_every_worker_process_within_a_second(
    stack: Stack, yard: Yard
) -> None:
    measured: list[Reaction] = []
    with calling(stack, yard), watched(stack) as seen:
        wait_until(lambda: len({one.pid for one in seen}) == WORKERS, 30)
        for how in (set_by_command, set_by_row, set_by_row):
            for value in ("false", "true"):
                measured += reactions_to(seen, value, how(stack, value))
    for pid in sorted({one.pid for one in measured}):
        own = [one for one in measured if one.pid == pid]
        first, last = min(one.first for one in own), max(one.last for one in own)
        print(
            f"\nworker {pid}, {len(own)} changes: first call that heeds it after {first:.3f} s "
            f"at best, last call that does not after {last:.3f} s at worst"
        )
        assert len(own) == 6
        assert first < WITHIN_S
        assert last < WITHIN_S
    assert dict(yard.hits) == {}, "a dry run pressed something"


@pytest.mark.parametrize(("value", "mode"), [("false", "SHADOW"), ("true", "GATING")])
def test_the_kill_switch_reaches_the_web_process_within_a_second(
    stack: Stack, value: str, mode: str
) -> None:
    asked: list[tuple[float, str]] = []
    over = threading.Event()

    def ask() -> None:
        while not over.wait(0.02):
            began = time.time()
            asked.append((began, httpx.get(f"{stack.url}/readyz", timeout=20).json()["gating"]))

    with running(ask, over):
        wait_until(lambda: len(asked) > 2, 20)
        since = set_by_command(stack, value)
        wait_until(lambda: asked[-1][1] == mode, 20)
        time.sleep(WITHIN_S)
    last = max((began - since for began, told in asked if told != mode), default=0)
    print(f"\n{FORCE}={value}, web: the last call that does not heed it began after {last:.3f} s")
    assert asked[-1][1] == mode
    assert last < WITHIN_S


@pytest.fixture(autouse=True)
def no_overrides(stack: Stack) -> Iterator[None]:
    yield
    stack.sql("DELETE FROM confidence_flagoverride")
    time.sleep(0.6)


# --- what each flag does ------------------------------------------------------------------------
def test_shadow_mode_presses_what_gating_sends_to_a_person(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    with stack.flag(FORCE, False):
        answer = click(agent)
    assert_goes_on(answer, yard, "shadow")
    assert answer["would_gate"] is True
    assert_waits(click(before_twins(agent, yard)), yard)


def test_a_tier_that_is_not_rolled_out_goes_on(stack: Stack, agent: Agent, yard: Yard) -> None:
    with stack.flag(TIERS, ["student", "supervised"]):
        assert_goes_on(click(agent), yard, "tier_not_rolled_out")
    assert_waits(click(before_twins(agent, yard)), yard)


def test_an_agent_that_is_always_gated_is_so_ahead_of_its_tier_but_not_in_shadow_mode(
    stack: Stack, yard: Yard
) -> None:
    with stack.agent(tier="autonomous", hosts=yard.hosts, gating="always") as agent:
        with stack.flag(TIERS, []):
            assert_waits(click(before_twins(agent, yard)), yard)
        with stack.flag(FORCE, False):
            assert_goes_on(click(before_twins(agent, yard)), yard, "shadow")


def test_an_agent_that_is_never_gated_goes_on(stack: Stack, yard: Yard) -> None:
    with stack.agent(tier="autonomous", hosts=yard.hosts, gating="never") as agent:
        assert_goes_on(click(before_twins(agent, yard)), yard, "agent_opt_out")


def test_thresholds_move_the_levels(stack: Stack, agent: Agent, yard: Yard) -> None:
    """Two equal buttons by text score 0.55."""
    assert level_with(stack, agent, "MATCH_CONFIDENCE_PARTIAL_THRESHOLD", 0.56) == "ambiguous"
    assert level_with(stack, agent, "MATCH_CONFIDENCE_PARTIAL_THRESHOLD", 0.55) == "partial"
    assert level_with(stack, agent, "MATCH_CONFIDENCE_HIGH_THRESHOLD", 0.55) == "high"
    with stack.flag("MATCH_CONFIDENCE_HIGH_THRESHOLD", 0.55):
        assert_goes_on(click(agent), yard, "high")


def level_with(stack: Stack, agent: Agent, flag: str, value: float) -> str:
    with stack.flag(flag, value):
        answer = agent.post({**CLICK, "dry_run": True}).json()
    return str(answer["match_confidence"]["level"])


@pytest.mark.parametrize("flag", ["SELECTOR_CONFIDENCE_ENABLED", "BROWSER_LOCATOR_API_ENABLED"])
def test_with_the_layer_off_a_call_goes_past_it(
    stack: Stack, agent: Agent, yard: Yard, flag: str
) -> None:
    with stack.flag(flag, False):
        answer = click(agent)
    assert_goes_on(answer, yard, "layer_disabled")
    assert "match_confidence" not in answer
    assert_waits(click(before_twins(agent, yard)), yard)


def test_with_the_layer_off_a_tier_that_proposes_still_does_and_can_be_approved(
    stack: Stack, yard: Yard, decider: Decider
) -> None:
    with (
        stack.flag("SELECTOR_CONFIDENCE_ENABLED", False),
        stack.agent(tier="intern", hosts=yard.hosts) as agent,
    ):
        asked = click(before_twins(agent, yard))
        assert_waits(asked, yard)
        assert asked["gate_reasons"] == ["tier"]
        decided = decider.decide(asked["proposal_id"], chosen_index=1)
        assert decided.status_code == 200, decided.text
        assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert dict(yard.hits) == {"second": 1}


# --- who changed it ---------------------------------------------------------------------------
def test_a_change_is_versioned_and_on_record_with_who_made_it(stack: Stack) -> None:
    set_by_command(stack, "false")
    with Decider.made(stack, role="admin") as admin:
        token = admin.http.cookies.get("csrftoken") or ""
        headers = {"X-CSRFToken": token, "Referer": stack.url}
        sent = admin.http.post(f"/settings/flags/{FORCE}", data={"value": "true"}, headers=headers)
    assert sent.status_code == 200, sent.text[:500]
    row = "SELECT value, version, set_by_id IS NULL FROM confidence_flagoverride WHERE name = %s"
    assert stack.sql(row, FORCE) == [(True, 2, False)]
    entries = stack.sql(
        "SELECT actor_kind, actor_name, payload FROM audit_browseraudit "
        "WHERE verb = 'flags.set' ORDER BY id DESC LIMIT 2"
    )
    assert [entry[0] for entry in entries] == ["person", "system"]
    assert entries[0][1] == admin.name
    assert entries[0][2] == {"flag": FORCE, "from": False, "to": True}


def test_locked_flags_are_refused(stack: Stack) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "flags", FORCE, "false"],
        cwd=ROOT,
        env={**stack.environment, "POINTSMAN_LOCK_FLAGS": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "POINTSMAN_LOCK_FLAGS" in done.stderr
    assert stack.sql("SELECT * FROM confidence_flagoverride") == []


# --- an agent and its own gate ------------------------------------------------------------------
WISHES: dict[str, Any] = {
    "match_confidence_override": True,
    "match_confidence_gating_enabled": False,
    "match_confidence": {"level": "high", "score": 1.0},
    "gating": "never",
    "override": True,
    "force": True,
    "tier": "autonomous",
    "level": "high",
    "chosen_index": 0,
    "candidate": 0,
    "approved": True,
    "proposal_id": "00000000-0000-0000-0000-000000000000",
    "reviewer": "admin",
    "skip_gate": True,
    "shadow": True,
    FORCE: False,
    "flags": {FORCE: False},
    "policy": {"gating": False},
    "__proto__": {"override": True},
}


@pytest.mark.parametrize("where", ["body", "params", "expect"])
def test_no_argument_turns_the_gate_off(agent: Agent, yard: Yard, where: str) -> None:
    for name, value in WISHES.items():
        wish = {name: value}
        bodies = {
            "body": {**CLICK, **wish},
            "params": {**CLICK, "params": {**CLICK["params"], **wish}},
            "expect": {**CLICK, "expect": wish},
        }
        answer = agent.post(bodies[where])
        assert answer.status_code == 422, (name, answer.text)
        assert name in answer.text
    assert dict(yard.hits) == {}


def test_no_argument_inside_a_form_turns_the_gate_off(agent: Agent, yard: Yard) -> None:
    for name, value in WISHES.items():
        one = {"target": ".go", "value": "x", name: value}
        answer = agent.send("browser_fill_form", fields=[one])
        assert answer.status_code == 422, (name, answer.text)
    assert dict(yard.hits) == {}


def test_no_header_and_no_query_turns_the_gate_off(agent: Agent, yard: Yard) -> None:
    headers = {f"X-{name.replace('_', '-').strip('-')}": "true" for name in WISHES}
    query = dict.fromkeys(WISHES, "false")
    url = f"/runs/{agent.run_id}/actions"
    answer = agent.http.post(url, json=CLICK, headers=headers, params=query)
    assert answer.status_code == 202
    assert_waits(answer.json(), yard)


def test_no_other_call_lets_an_agent_change_its_gate(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    row = "SELECT tier, match_confidence_gating_enabled FROM agents_agentregistry WHERE id = %s"
    before = stack.sql(row, agent.id)
    change = {"tier": "autonomous", "match_confidence_gating_enabled": False}
    for method, path in (
        ("PATCH", f"{stack.api_url}/agents/{agent.id}"),
        ("PUT", f"{stack.api_url}/agents/{agent.id}"),
        ("POST", f"{stack.api_url}/agents"),
        ("PATCH", f"{stack.api_url}/whoami"),
        ("PATCH", f"{stack.api_url}/runs/{agent.run_id}"),
        ("POST", f"{stack.url}/settings/flags/{FORCE}"),
        ("POST", f"{stack.url}/agents/{agent.id}/gating"),
    ):
        answer = agent.http.request(method, path, json=change)
        assert answer.status_code in {302, 401, 403, 404, 405}, (path, answer.text[:200])
    assert stack.sql(row, agent.id) == before
    assert stack.sql("SELECT * FROM confidence_flagoverride") == []
    assert_waits(click(agent), yard)


@pytest.mark.parametrize("verb", ["approve", "modify", "reject"])
def test_an_agent_cannot_decide_its_own_proposal(agent: Agent, yard: Yard, verb: str) -> None:
    asked = click(agent)
    body = {"version": 1, "chosen_index": 0, "modifications": {"chosen_index": 0}, "reason": "me"}
    answer = agent.http.post(f"/proposals/{asked['proposal_id']}/{verb}", json=body)
    assert answer.status_code in {403, 404}, answer.text
    assert agent.poll(asked["action_id"], 0)["status"] == "requires_approval"
    assert dict(yard.hits) == {}


def test_a_dry_run_presses_nothing_and_opens_no_way(agent: Agent, yard: Yard) -> None:
    dry = agent.post({**CLICK, "dry_run": True}).json()
    assert (dry["status"], dry["result"]["decision"]) == ("succeeded", "propose")
    assert "proposal_id" not in dry
    assert_waits(click(agent), yard)
    assert agent.post({**CLICK, "dry_run": True}).json()["status"] == "succeeded"
    assert agent.post({**CLICK, "supersede": True, "turn": "2"}).json()["status"] != "succeeded"
    assert dict(yard.hits) == {}


@pytest.mark.parametrize("dry_run", ["false", "no", 0, "0", None, "maybe", [], {}])
def test_no_way_to_write_dry_run_gets_past_the_gate(
    agent: Agent, yard: Yard, dry_run: object
) -> None:
    answer = agent.post({**CLICK, "dry_run": dry_run})
    assert answer.status_code in {202, 422}, answer.text
    assert dict(yard.hits) == {}


def test_a_key_used_for_a_dry_run_cannot_be_used_for_the_act(agent: Agent, yard: Yard) -> None:
    url, key = f"/runs/{agent.run_id}/actions", {"Idempotency-Key": f"dry-{time.time()}"}
    assert agent.http.post(url, json={**CLICK, "dry_run": True}, headers=key).status_code == 200
    assert agent.http.post(url, json=CLICK, headers=key).status_code == 422
    assert dict(yard.hits) == {}
