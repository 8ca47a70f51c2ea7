"""With the locator switched off every tool runs by Playwright's plain API: unscored, but audited,
sandboxed, and proposed by those who may only propose."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.decider import Decider
from tests.support.stack import Agent, Stack
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
PAGE = """<style>#card, #end {width: 120px; height: 40px; background: #ccc}</style>
<button class="go" id="first">Go</button><button class="go" id="second">Go</button>
<div id="card" draggable="true">Card</div><div id="end">Done</div>
<input id="text"><input id="secret" type="password"><input id="keys">
<select id="list"><option>A<option>B</select><input type="checkbox" id="box">
<input type="file" id="file"><script>
counts(first, "click-first"); counts(second, "click-second");
second.addEventListener("mouseenter", () => hit("hover"));
end.addEventListener("dragover", (event) => event.preventDefault());
end.addEventListener("drop", (event) => { event.preventDefault(); hit("drop"); });
keys.addEventListener("keydown", (event) => hit(`key-${event.key}`));
for (const one of [text, secret, list, box, file]) one.addEventListener("change", () =>
  hit(`${one.id}-${one === box ? one.checked : one.files?.[0].name ?? one.value}`));
</script>"""
FORM = {
    "fields": [
        {"target": "#text", "value": "form"},
        {"target": "#list", "value": "B", "type": "combobox"},
        {"target": "#box", "value": True, "type": "checkbox"},
    ],
    "submit": "#first",
}
# Each tool, its params, and what the page counts.
CALLS: list[tuple[str, dict[str, Any], dict[str, int]]] = [
    ("browser_click", {"target": ".go"}, {"click-first": 1}),
    ("browser_mouse_click_xy", {"x": 300, "y": 30}, {"click-second": 1, "hover": 1}),
    ("browser_hover", {"target": "#second"}, {"hover": 1}),
    ("browser_drag", {"startTarget": "#card", "endTarget": "#end"}, {"drop": 1}),
    ("browser_type", {"target": "#text", "text": "typed", "submit": True}, {"text-typed": 1}),
    ("browser_select_option", {"target": "#list", "values": ["B"]}, {"list-B": 1}),
    ("browser_file_upload", {"target": "#file", "paths": ["a.txt"]}, {"file-a.txt": 1}),
    (
        "browser_fill_form",
        FORM,
        {"text-form": 1, "list-B": 1, "box-true": 1, "click-first": 1},
    ),
]


@pytest.fixture(scope="module", autouse=True)
def _layer_is_off(stack: Stack) -> Iterator[None]:
    with stack.flag("BROWSER_LOCATOR_API_ENABLED", False):
        yield


@pytest.fixture
def agent(bot: Agent, yard: Yard) -> Iterator[Agent]:
    """On the page, with a file of its own."""
    yard.clear()
    bot.open_run(yard.page(PAGE))
    bot.put_file("a.txt", b"alpha")
    yield bot
    bot.finish_all()


def done(agent: Agent, tool: str, **params: Any) -> dict[str, Any]:
    answer = agent.send(tool, **params).json()
    assert answer["status"] == "succeeded", answer
    return answer


@pytest.mark.parametrize(("tool", "params", "counted"), CALLS, ids=[call[0] for call in CALLS])
def test_a_tool_acts_by_the_plain_way_and_is_on_record(
    tool: str,
    params: dict[str, Any],
    counted: dict[str, int],
    stack: Stack,
    agent: Agent,
    yard: Yard,
) -> None:
    answer = done(agent, tool, **params)
    assert dict(yard.hits) == counted
    assert "match_confidence" not in answer
    assert "match_confidence" not in json.loads(answer["tool_result"]["content"])
    assert answer["gate_reasons"] == ["layer_disabled"]
    outcome = stack.sql("SELECT outcome FROM runs_action WHERE id = %s", answer["action_id"])
    assert outcome[0][0]["kind"] == "unverified"
    verbs = stack.sql(
        "SELECT verb FROM audit_browseraudit WHERE action_id = %s ORDER BY sequence",
        answer["action_id"],
    )
    assert [verb for (verb,) in verbs] == ["action.create", "action.act", "action.finish"]


def test_a_key_goes_to_what_has_the_focus(agent: Agent, yard: Yard) -> None:
    done(agent, "browser_click", target="#keys")
    done(agent, "browser_press_key", key="Enter")
    assert yard.hits["key-Enter"] == 1


def test_what_is_typed_into_a_password_field_stays_masked(stack: Stack, agent: Agent) -> None:
    answer = done(agent, "browser_type", target="#secret", text="zebra-lamp-4471")
    assert "zebra-lamp" not in json.dumps(answer)
    rows = stack.sql("SELECT count(*) FROM runs_action row WHERE row::text LIKE '%%zebra-lamp%%'")
    assert rows == [(0,)]


def test_tools_without_a_target_work_as_ever(agent: Agent, yard: Yard) -> None:
    url = yard.page("<h1>Two</h1>", "/two")
    done(agent, "browser_handle_dialog", accept=True)
    done(agent, "browser_tabs", action="new", url=url)
    assert agent.texts("h1") == ["Two"]
    done(agent, "browser_tabs", action="close")
    done(agent, "browser_navigate", url=url)
    done(agent, "browser_navigate_back")
    answer = done(agent, "browser_extract_text", target=".go")
    assert answer["result"]["count"] == 2
    assert "match_confidence" not in answer


def test_a_target_that_is_not_there_is_an_error_as_ever(agent: Agent, yard: Yard) -> None:
    answer = agent.send("browser_click", target="#nowhere").json()
    assert (answer["status"], answer["error"]["code"]) == ("failed", "timeout")
    assert dict(yard.hits) == {}


def test_the_sandbox_holds_without_the_layer(agent: Agent, yard: Yard) -> None:
    for tool, params in (
        ("browser_navigate", {"url": "https://elsewhere.example/"}),
        ("browser_tabs", {"action": "new", "url": "file:///etc/passwd"}),
        ("browser_file_upload", {"target": "#file", "paths": ["../a.txt"]}),
        ("browser_file_upload", {"target": "#file", "paths": ["/etc/passwd"]}),
        (
            "browser_fill_form",
            {"fields": [{"target": "#file", "type": "file", "value": "/etc/passwd"}]},
        ),
    ):
        answer = agent.send(tool, **params).json()
        assert (answer["status"], answer["error"]["code"]) == ("blocked", "sandbox_blocked"), params
    assert dict(yard.hits) == {}


def test_a_student_still_proposes(stack: Stack, yard: Yard, decider: Decider) -> None:
    yard.clear()
    with stack.agent(tier="student", hosts=yard.hosts) as student:
        first = student.open_run(yard.page(PAGE))["waiting_for"]
        assert decider.decide(first["proposal_id"]).status_code == 200
        assert student.poll(first["action_id"])["status"] == "succeeded"
        asked = student.send("browser_click", target="#second").json()
        assert (asked["status"], asked["gate_reasons"]) == ("requires_approval", ["tier"])
        assert dict(yard.hits) == {}
        approved = decider.decide(asked["proposal_id"])
        assert approved.status_code == 200, approved.text
        answer = student.poll(asked["action_id"])
        assert answer["status"] == "succeeded", answer
        assert yard.hits["click-second"] == 1


def test_no_key_leads_around_the_door(agent: Agent, yard: Yard) -> None:
    for name in ("match_confidence_override", "force"):
        assert agent.send("browser_click", target="#first", **{name: True}).status_code == 422
    assert dict(yard.hits) == {}
