"""Agents and people as an admin makes them: by the commands, beside the running product."""

import json

import httpx
import pytest

from tests.support.decider import Decider
from tests.support.stack import Stack

pytestmark = pytest.mark.stack


def test_the_commands_make_an_agent_and_a_reviewer_who_can_work_at_once(stack: Stack) -> None:
    words = ["--tier", "intern", "--gating", "never", "--allow-host", "Shop.example:8080", "--json"]
    made = json.loads(stack.manage("agent_create", "made-by-command", *words))
    told = httpx.get(
        f"{stack.api_url}/whoami", headers={"Authorization": f"Bearer {made['key']}"}, timeout=20
    ).json()
    assert (told["agent_id"], told["name"]) == (made["agent_id"], "made-by-command")
    assert (told["tier"], told["match_confidence_gating_enabled"]) == ("intern", False)
    assert told["allowed_hosts"] == ["shop.example:8080"]

    words = ["--role", "reviewer", "--team", "by-command", "--json"]
    person = json.loads(stack.manage("reviewer_create", "person-by-command", *words))
    decider = Decider(stack, person["username"], person["password"])
    assert decider.get("/proposals").json() == {"results": [], "next_cursor": None}
    decider.http.close()

    verbs = stack.sql("SELECT verb FROM audit_browseraudit WHERE chain = 'system'")
    assert {"agent.create", "agent.key_create", "person.create"} <= {verb for (verb,) in verbs}
    with pytest.raises(AssertionError, match="exists already"):
        stack.manage("agent_create", "made-by-command", "--tier", "intern")
