"""Every tool on the running product: what it does, and that an unsure one waits for a person."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.decider import Decider
from tests.support.stack import Agent, Stack, wait_until
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
Answer = dict[str, Any]


@pytest.fixture
def agent(bot: Agent, yard: Yard) -> Iterator[Agent]:
    """The same agent for every test, each with a run of its own."""
    yard.clear()
    yield bot
    bot.finish_all()


@pytest.fixture(scope="module")
def student(stack: Stack, yard: Yard) -> Iterator[Agent]:
    with stack.agent(tier="student", hosts=yard.hosts) as made:
        yield made


@pytest.fixture
def outcome_of(stack: Stack) -> Callable[[Answer], Any]:
    """The kind of the VerifiedOutcome that the action's row holds."""

    def kind(answer: Answer) -> Any:
        rows = stack.sql("SELECT outcome FROM runs_action WHERE id = %s", answer["action_id"])
        return (rows[0][0] or {}).get("kind")

    return kind


def do(agent: Agent, tool: str, **params: Any) -> Answer:
    answer = agent.send(tool, **params)
    assert answer.status_code in {200, 202}, answer.text
    return answer.json()


def done(agent: Agent, tool: str, **params: Any) -> Answer:
    answer = do(agent, tool, **params)
    assert answer["status"] == "succeeded", answer["error"] or answer
    return answer


def code_of(answer: Answer) -> str:
    return (answer["error"] or {}).get("code", answer["status"])


def settled(yard: Yard) -> dict[str, int]:
    """What the page counted, once late input had its time."""
    time.sleep(0.3)
    return dict(yard.hits)


# --- hover ------------------------------------------------------------------------------
HOVERED = """<button class="go" id="first">Menu</button><button class="go" id="second">Menu</button>
<script>for (const one of document.querySelectorAll(".go"))
  one.addEventListener("mouseenter", () => hit(one.id));</script>"""


def test_hover_rests_the_pointer_and_presses_nothing(
    agent: Agent, yard: Yard, outcome_of: Any
) -> None:
    agent.open_run(
        yard.page(HOVERED + '<script>counts(first, "pressed"); counts(second, "pressed")</script>')
    )
    answer = done(agent, "browser_hover", target="#second", element="the second menu")
    assert settled(yard) == {"second": 1}
    assert answer["match_confidence"]["level"] == "high"
    assert outcome_of(answer) == "verified"


def test_hover_on_a_covered_element_is_refused(agent: Agent, yard: Yard) -> None:
    cover = '<div style="position:fixed;inset:0;background:#fff">Cookies</div>'
    agent.open_run(yard.page(HOVERED + cover))
    assert code_of(do(agent, "browser_hover", target="#first")) == "covered"
    assert settled(yard) == {}


# --- drag -------------------------------------------------------------------------------
BOXES = """<style>.box{width:120px;height:50px;background:#ccc;margin:8px}</style>"""
NATIVE_DRAG = f"""{BOXES}<div class="box go" id="first" draggable="true">Card</div>
<div class="box go" id="second" draggable="true">Card</div><div class="box" id="end">Done</div>
<script>for (const card of document.querySelectorAll(".go"))
  card.addEventListener("dragstart", (event) => event.dataTransfer.setData("text", card.id));
end.addEventListener("dragover", (event) => event.preventDefault());
end.addEventListener("drop", (event) => {{
  event.preventDefault(); hit(event.dataTransfer.getData("text")); }});</script>"""
POINTER_DRAG = f"""{BOXES}<div class="box" id="first" style="touch-action:none">Card</div>
<div class="box" id="end">Done</div><script>let held = false;
first.addEventListener("pointerdown", () => {{ held = true; hit("taken"); }});
addEventListener("pointerup", (event) => {{
  if (held && event.target === end) hit("dropped"); held = false; }});</script>"""


def test_a_card_is_dragged_and_dropped(agent: Agent, yard: Yard, outcome_of: Any) -> None:
    agent.open_run(yard.page(NATIVE_DRAG))
    answer = done(agent, "browser_drag", startTarget="#second", endTarget="#end")
    assert settled(yard) == {"second": 1}
    assert [one["name"] for one in answer["fields"]] == ["start", "end"]
    assert outcome_of(answer) == "verified"


def test_a_drag_that_the_page_follows_by_pointer_events(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(POINTER_DRAG))
    done(agent, "browser_drag", startTarget="#first", endTarget="#end")
    assert settled(yard) == {"taken": 1, "dropped": 1}


# --- keys -------------------------------------------------------------------------------
def test_enter_in_a_field_submits_its_form(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page('<form method="post" action="/order"><input id="q" name="q" autofocus></form>')
    )
    done(agent, "browser_type", target="#q", text="shoes")
    answer = done(agent, "browser_press_key", key="Enter", element="the search field")
    assert yard.posted == [{"q": ["shoes"]}]
    assert answer["result"]["url"].endswith("/order")
    assert answer["match_confidence"]["is_text_only"] is True


def test_a_key_reaches_nothing_else_when_the_page_moves_the_focus(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            '<input id="q" autofocus><button id="evil">Pay</button><script>counts(evil, "evil");'
            'q.addEventListener("keydown", () => { hit("key"); evil.focus(); });</script>'
        )
    )
    answer = do(agent, "browser_press_key", key="Enter")
    assert settled(yard) == {"key": 1}, answer
    assert answer["status"] == "succeeded", answer


def test_a_letter_that_came_no_further_than_its_key_is_not_called_typed(
    agent: Agent, yard: Yard
) -> None:
    agent.open_run(
        yard.page(
            '<input id="q" aria-label="Q" autofocus><input id="other"><script>'
            'q.addEventListener("keydown", () => { hit("key"); other.focus(); });</script>'
        )
    )
    answer = do(agent, "browser_press_key", key="w")
    assert settled(yard) == {"key": 1}, answer
    assert answer["status"] == "outcome_unknown", answer


@pytest.mark.parametrize("key", ["w", "Shift+W", "KeyW", "Shift+KeyW"])
def test_a_key_pressed_in_a_password_field_is_masked_everywhere(
    key: str, stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(
        yard.page(
            '<label>Password<input id="p" type="password" autofocus></label><script>'
            'p.addEventListener("input", () => hit(`is-${p.value}`));</script>'
        )
    )
    answer = done(agent, "browser_press_key", key=key)
    typed = "W" if "Shift" in key else "w"
    assert settled(yard) == {f"is-{typed}": 1}
    row = stack.sql(
        "SELECT params->>'key', sealed_params FROM runs_action WHERE id = %s", answer["action_id"]
    )
    assert row == [("•••", "")]
    entries = stack.sql(
        "SELECT payload::text FROM audit_browseraudit WHERE run_id = %s", agent.run_id
    )
    kept = " ".join([json.dumps(answer), *(entry[0] for entry in entries)])
    assert f'"{key}"' not in kept


def test_a_key_pressed_elsewhere_is_on_record(stack: Stack, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page('<label>Name<input id="n" autofocus></label>'))
    answer = done(agent, "browser_press_key", key="w")
    stored = stack.sql("SELECT params FROM runs_action WHERE id = %s", answer["action_id"])
    assert stored == [({"key": "w"},)]


# --- choosing ---------------------------------------------------------------------------
LISTS = """<label>Colour<select id="colour"><option value="r">Red</option>
<option value="g">Green</option><option value="b" disabled>Blue</option></select></label>
<label>Sizes<select id="sizes" multiple><option>S</option><option>M</option><option>L</option>
</select></label><script>for (const list of [colour, sizes]) list.addEventListener("change", () =>
  hit(`${list.id}-${[...list.selectedOptions].map((one) => one.value).join("")}`));</script>"""


@pytest.mark.parametrize(
    ("target", "values", "counted"),
    [
        ("#colour", ["g"], "colour-g"),
        ("#colour", ["Green"], "colour-g"),
        ("#sizes", ["S", "L"], "sizes-SL"),
    ],
)
def test_options_are_chosen_by_value_or_by_label(
    target: str, values: list[str], counted: str, agent: Agent, yard: Yard, outcome_of: Any
) -> None:
    agent.open_run(yard.page(LISTS))
    answer = done(agent, "browser_select_option", target=target, values=values)
    assert settled(yard) == {counted: 1}
    assert outcome_of(answer) == "verified"


def test_an_option_that_cannot_be_chosen_is_said_so(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(LISTS + '<button id="button">Colour</button>'))
    for target, value in (("#colour", "Purple"), ("#colour", "b"), ("#button", "Red")):
        answer = do(agent, "browser_select_option", target=target, values=[value])
        assert code_of(answer) == "not_enabled", (value, answer)
    assert settled(yard) == {}


# --- files ------------------------------------------------------------------------------
FILES = """<input type="file" id="one"><input type="file" id="many" multiple><script>
for (const field of [one, many]) field.addEventListener("change", async () => {
  for (const file of field.files) hit(`${field.id}-${file.name}-${await file.text()}`); });
</script>"""


def test_a_file_that_the_agent_sent_is_uploaded(agent: Agent, yard: Yard, outcome_of: Any) -> None:
    agent.open_run(yard.page(FILES))
    assert agent.put_file("a.txt", b"alpha").json() == {"name": "a.txt", "bytes": 5}
    agent.put_file("b.txt", b"beta")
    answer = done(agent, "browser_file_upload", target="#many", paths=["a.txt", "b.txt"])
    assert answer["result"]["files"] == ["a.txt", "b.txt"]
    assert settled(yard) == {"many-a.txt-alpha": 1, "many-b.txt-beta": 1}
    assert outcome_of(answer) == "verified"
    too_many = do(agent, "browser_file_upload", target="#one", paths=["a.txt", "b.txt"])
    assert code_of(too_many) == "not_enabled"


def test_files_go_to_the_field_whose_chooser_a_click_opened(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(FILES + '<button id="b" onclick="one.click()">Attach</button>'))
    agent.put_file("a.txt", b"alpha")
    early = do(agent, "browser_file_upload", paths=["a.txt"])
    assert code_of(early) == "no_match"
    opened = done(agent, "browser_click", target="#b")
    assert "browser_file_upload" in opened["result"]["file_chooser"]
    done(agent, "browser_file_upload", paths=["a.txt"])
    assert settled(yard) == {"one-a.txt-alpha": 1}


def test_no_file_from_outside_the_runs_own_folder_is_uploaded(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(FILES))
    agent.put_file("a.txt", b"alpha")
    folder = stack.data_dir / "files" / agent.run_id
    (folder / "link").symlink_to("/etc/passwd")
    done(agent, "browser_click", target="#one")  # so that a chooser is open, too
    for path, code in (
        ("../a.txt", "sandbox_blocked"),
        ("x/../a.txt", "sandbox_blocked"),
        (str(folder / "a.txt"), "sandbox_blocked"),
        ("/etc/passwd", "sandbox_blocked"),
        ("link", "sandbox_blocked"),
        ("missing.txt", "not_found"),
        (".", "sandbox_blocked"),
    ):
        for target in ({"target": "#one"}, {}):
            answer = do(agent, "browser_file_upload", paths=["a.txt", path], **target)
            assert code_of(answer) == code, (path, answer)
            assert answer["status"] == ("blocked" if code == "sandbox_blocked" else "failed")
    assert settled(yard) == {}


def test_a_files_name_is_checked_and_the_files_end_with_the_run(
    stack: Stack, agent: Agent, student: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(FILES))
    assert agent.put_file("a.txt", b"alpha").status_code == 201
    for bad in ("..", "%2e%2e%2fa.txt", "x%5Cy", "x" * 201):
        assert agent.put_file(bad, b"alpha").status_code in {404, 405, 422}, bad
    assert agent.put_file("large.bin", b"x" * (9 * 1024 * 1024)).status_code == 201
    assert agent.put_file("big", b"x" * (10 * 1024 * 1024 + 1)).status_code in {413, 422}
    folder = stack.data_dir / "files" / agent.run_id
    assert sorted(one.name for one in folder.iterdir()) == ["a.txt", "large.bin"]
    assert student.http.put(f"/runs/{agent.run_id}/files/b", content=b"b").status_code == 404
    agent.finish_all()
    wait_until(lambda: not folder.exists(), 15)
    assert agent.put_file("late.txt", b"x").status_code == 409


# --- tabs -------------------------------------------------------------------------------
def tabs_of(answer: Answer) -> list[tuple[str, bool]]:
    return [(tab["url"].rpartition("/")[2], tab["current"]) for tab in answer["result"]["tabs"]]


def test_tabs_are_opened_listed_chosen_and_closed(agent: Agent, yard: Yard) -> None:
    one = yard.page(
        '<h1>One</h1><button id="b">Go</button><script>counts(b, "one")</script>', "/one"
    )
    two = yard.page(
        '<h1>Two</h1><button id="b">Go</button><script>counts(b, "two")</script>', "/two"
    )
    agent.open_run(one)
    assert tabs_of(done(agent, "browser_tabs", action="list")) == [("one", True)]
    done(agent, "browser_tabs", action="new", url=two)
    listed = done(agent, "browser_tabs", action="list")
    assert tabs_of(listed) == [("one", False), ("two", True)]
    done(agent, "browser_click", target="#b")
    selected = done(agent, "browser_tabs", action="select", index=0)
    assert tabs_of(selected) == [("one", True), ("two", False)]
    done(agent, "browser_click", target="#b")
    assert settled(yard) == {"one": 1, "two": 1}
    assert tabs_of(done(agent, "browser_tabs", action="close", index=1)) == [("one", True)]
    assert code_of(do(agent, "browser_tabs", action="close")) == "not_enabled"
    assert code_of(do(agent, "browser_tabs", action="select", index=3)) == "no_match"
    assert agent.texts("h1") == ["One"]


def test_a_popup_is_listed_and_the_run_stays_until_told(agent: Agent, yard: Yard) -> None:
    yard.page("<h1>Popup</h1>", "/popup")
    url = yard.page(
        '<h1>Opener</h1><button id="b" onclick="window.open(\'/popup\')">Open</button>', "/opener"
    )
    agent.open_run(url)
    done(agent, "browser_click", target="#b")
    assert agent.texts("h1") == ["Opener"]
    assert tabs_of(done(agent, "browser_tabs", action="list")) == [
        ("opener", True),
        ("popup", False),
    ]
    done(agent, "browser_tabs", action="select", index=1)
    assert agent.texts("h1") == ["Popup"]
    closed = done(agent, "browser_tabs", action="close")
    assert tabs_of(closed) == [("opener", True)]
    assert agent.texts("h1") == ["Opener"]


def test_a_tab_on_a_refused_host_is_not_opened(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page("<h1>One</h1>", "/one"))
    for url in ("https://elsewhere.example/", "file:///etc/passwd", "javascript:hit('js')"):
        answer = do(agent, "browser_tabs", action="new", url=url)
        assert (answer["status"], code_of(answer)) == ("blocked", "sandbox_blocked")
    assert tabs_of(done(agent, "browser_tabs", action="list")) == [("one", True)]


# --- dialogs ----------------------------------------------------------------------------
DIALOGS = """<button id="sure">Ask</button><button id="name">Name</button><script>
sure.addEventListener("click", () => hit(confirm("Sure?") ? "yes" : "no"));
name.onclick = null; document.getElementById("name").addEventListener("click", () =>
  hit(`name-${prompt("Your name?", "Nobody")}`));</script>"""


def test_a_dialog_is_dismissed_unless_told_otherwise_before(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(DIALOGS))
    asked = {"type": "confirm", "message": "Sure?"}
    first = done(agent, "browser_click", target="#sure")
    assert first["result"]["dialogs"] == [{**asked, "accepted": False}]
    assert settled(yard) == {"no": 1}

    told = done(agent, "browser_handle_dialog", accept=True)
    assert told["result"]["next_dialog"] == "accepted"
    second = done(agent, "browser_click", target="#sure")
    assert second["result"]["dialogs"] == [{**asked, "accepted": True}]
    third = done(agent, "browser_click", target="#sure")
    assert third["result"]["dialogs"] == [{**asked, "accepted": False}]
    assert settled(yard) == {"no": 2, "yes": 1}
    quiet = done(agent, "browser_hover", target="#sure")
    assert "dialogs" not in quiet["result"]


def test_a_prompt_gets_the_text_it_was_promised(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(DIALOGS))
    done(agent, "browser_handle_dialog", accept=True, promptText="Ann")
    done(agent, "browser_click", target="#name")
    done(agent, "browser_click", target="#name")
    assert settled(yard) == {"name-Ann": 1, "name-null": 1}


# --- waiting, finding, going back --------------------------------------------------------
def test_waiting_for_time_for_a_text_and_for_its_end(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            '<p id="p" hidden>Ready</p><p id="q">Loading</p><script>addEventListener("load", () =>'
            " setTimeout(() => { p.hidden = false; q.remove(); }, 2500));</script>"
        )
    )
    done(agent, "browser_wait_for", text="Ready")
    assert agent.texts("#p") == ["Ready"]
    done(agent, "browser_wait_for", textGone="Loading")
    began = time.monotonic()
    done(agent, "browser_wait_for", time=1)
    assert 1 <= time.monotonic() - began < 5
    for bad in ({}, {"time": 1, "text": "x"}, {"time": -1}, {"time": 3600}):
        assert agent.send("browser_wait_for", **bad).status_code == 422, bad


def test_what_is_found_can_be_clicked_by_its_ref(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            '<button id="a">Add to cart</button><button id="b">Buy now</button>'
            '<script>counts(a, "a"); counts(b, "b")</script>'
        )
    )
    found = done(agent, "browser_find", text="buy NOW")["result"]
    line = next(one for one in found["matches"] if "button" in one)
    ref = line.rpartition("[ref=")[2].rstrip("]")
    answer = done(agent, "browser_click", target=ref)
    assert answer["match_confidence"]["level"] == "high"
    assert settled(yard) == {"b": 1}
    assert done(agent, "browser_find", text="nowhere")["result"] == {"matches": [], "count": 0}


def test_going_back_is_one_page_and_said_so_when_there_is_none(agent: Agent, yard: Yard) -> None:
    yard.page("<h1>Two</h1>", "/two")
    agent.open_run(yard.page("<h1>One</h1>", "/one"))
    done(agent, "browser_navigate", url=f"http://127.0.0.1:{yard.port}/two")
    back = done(agent, "browser_navigate_back")
    assert back["result"]["url"].endswith("/one")
    assert agent.texts("h1") == ["One"]
    done(agent, "browser_navigate_back")  # about:blank, where every run begins
    assert code_of(do(agent, "browser_navigate_back")) == "navigation_failed"


# --- a point of the page ----------------------------------------------------------------
AT = 'style="position:absolute;left:{x}px;top:{y}px"'
FRAME = (
    '<iframe src="{url}" style="position:absolute;left:300px;top:200px;border:5px solid"></iframe>'
)


def test_a_point_presses_the_control_that_lies_there(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            f'<button id="a" {AT.format(x=0, y=0)}>Save</button>'
            f'<button id="b" {AT.format(x=0, y=100)}><b>Send</b></button>'
            '<script>counts(a, "a"); counts(b, "b")</script>'
        )
    )
    answer = done(agent, "browser_mouse_click_xy", x=100, y=130)
    assert settled(yard) == {"b": 1}
    match = answer["match_confidence"]
    assert (match["level"], match["is_text_only"], match["match_count"]) == ("high", True, 1)
    assert match["candidates"][0]["name"] == "Send"
    assert code_of(do(agent, "browser_mouse_click_xy", x=5000, y=10)) == "no_match"


@pytest.mark.parametrize("site", ["same", "other"])
def test_a_point_inside_a_frame(site: str, agent: Agent, yard: Yard) -> None:
    yard.page(
        '<button id="in">Inside</button><script>counts(document.getElementById("in"), "in")</script>',
        "/in",
    )
    url = "/in" if site == "same" else yard.elsewhere("/in")
    agent.open_run(yard.page(FRAME.format(url=url)))
    answer = done(agent, "browser_mouse_click_xy", x=350, y=230)
    assert settled(yard) == {"in": 1}
    assert answer["match_confidence"]["candidates"][0]["frame"]


def test_a_point_of_a_canvas(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            '<canvas id="c" width="400" height="300"></canvas><script>c.addEventListener("click",'
            " (event) => hit(`at-${event.offsetX}-${event.offsetY}`));</script>"
        )
    )
    done(agent, "browser_mouse_click_xy", x=123, y=45)
    assert settled(yard) == {"at-123-45": 1}


# --- the gate, for every tool that acts on a target --------------------------------------
PRESSED = """<button class="go" id="first">Go</button><button class="go" id="second">Go</button>
<script>counts(first, "first"); counts(second, "second")</script>"""
WRITTEN = """<input class="go" id="first"><input class="go" id="second"><script>
for (const one of document.querySelectorAll(".go"))
  one.addEventListener("change", () => hit(one.id));</script>"""
CHOSEN = """<select class="go" id="first"><option>A<option>B</select>
<select class="go" id="second"><option>A<option>B</select><script>
for (const one of document.querySelectorAll(".go"))
  one.addEventListener("change", () => hit(one.id));</script>"""
ATTACHED = """<input type="file" class="go" id="first"><input type="file" class="go" id="second">
<script>for (const one of document.querySelectorAll(".go"))
  one.addEventListener("change", () => hit(one.id));</script>"""
KEYED = """<input id="first"><input id="second" autofocus><script>
for (const one of document.querySelectorAll("input"))
  one.addEventListener("keydown", () => hit(one.id));</script>"""


@dataclass(frozen=True)
class Twins:
    """A call that may mean either of two elements. `pick` is the candidate that is `second`;
    `clear` are the params of the same call that mean it beyond doubt."""

    page: str
    params: dict[str, Any]
    candidates: list[str]
    pick: int = 1
    clear: dict[str, Any] = field(default_factory=lambda: {"target": "#second"})


BOTH = ["first", "second"]
TWINS = {
    "browser_click": Twins(PRESSED, {"target": ".go"}, BOTH),
    "browser_hover": Twins(HOVERED, {"target": ".go"}, BOTH),
    "browser_drag": Twins(
        NATIVE_DRAG,
        {"startTarget": ".go", "endTarget": "#end"},
        BOTH,
        clear={"startTarget": "#second", "endTarget": "#end"},
    ),
    "browser_type": Twins(WRITTEN, {"target": ".go", "text": "x", "submit": True}, BOTH),
    "browser_select_option": Twins(CHOSEN, {"target": ".go", "values": ["B"]}, BOTH),
    "browser_file_upload": Twins(ATTACHED, {"target": ".go", "paths": ["a.txt"]}, BOTH),
    "browser_press_key": Twins(KEYED, {"key": "ArrowDown"}, ["second"], pick=0, clear={}),
    "browser_mouse_click_xy": Twins(PRESSED, {"x": 300, "y": 30}, ["second"], pick=0, clear={}),
}


def open_on(agent: Agent, yard: Yard, twins: Twins) -> None:
    agent.open_run(yard.page(twins.page))
    if twins.page is ATTACHED:
        agent.put_file("a.txt", b"alpha")


@pytest.mark.parametrize("tool", TWINS)
def test_of_two_twins_a_person_picks_and_that_one_is_acted_on_once(
    tool: str, agent: Agent, yard: Yard, decider: Decider, outcome_of: Any
) -> None:
    twins = TWINS[tool]
    open_on(agent, yard, twins)
    dry = agent.post({"tool": tool, "params": twins.params, "dry_run": True}).json()
    assert (dry["status"], dry["result"]["decision"]) == ("succeeded", "propose")
    asked = agent.send(tool, **twins.params)
    assert asked.status_code == 202, asked.text
    answer = asked.json()
    assert answer["status"] == "requires_approval"
    assert answer["gate_reasons"] == ["match_confidence"]
    assert settled(yard) == {}

    proposal = decider.get(f"/proposals/{answer['proposal_id']}").json()
    assert proposal["level"] == "partial"
    shown = proposal["match_confidence"]
    assert shown["match_count"] == 2
    assert [one["attributes"]["id"] for one in shown["candidates"]] == twins.candidates
    approved = decider.decide(answer["proposal_id"], chosen_index=twins.pick)
    assert approved.status_code == 200, approved.text
    after = agent.poll(answer["action_id"])
    assert after["status"] == "succeeded", after
    assert settled(yard) == {"second": 1}
    assert outcome_of(answer) in {"verified", "unverified"}
    assert decider.decide(answer["proposal_id"], chosen_index=0).status_code == 409
    assert settled(yard) == {"second": 1}


def open_as_student(student: Agent, decider: Decider, url: str) -> None:
    """A student's start page is a proposal, too."""
    first = student.open_run(url)["waiting_for"]
    assert decider.decide(first["proposal_id"]).status_code == 200
    assert student.poll(first["action_id"])["status"] == "succeeded"


STUDENTS = {tool: (twins.page, {**twins.params, **twins.clear}) for tool, twins in TWINS.items()}
STUDENTS |= {
    "browser_tabs": ("", {"action": "new"}),
    "browser_navigate_back": ("", {}),
    "browser_handle_dialog": ("", {"accept": True}),
}


def test_whatever_a_student_does_is_proposed(student: Agent, yard: Yard, decider: Decider) -> None:
    """On one run: each call takes the place of the one before it."""
    yard.clear()
    open_as_student(student, decider, yard.page(""))
    student.put_file("a.txt", b"alpha")
    for tool, (page, params) in STUDENTS.items():
        if page:
            url = yard.page(page, f"/{tool}")
            there = student.post(
                {"tool": "browser_navigate", "params": {"url": url}, "supersede": True}
            )
            decider.decide(there.json()["proposal_id"])
            assert student.poll(there.json()["action_id"])["status"] == "succeeded"
        answer = student.post({"tool": tool, "params": params, "supersede": True}).json()
        assert answer["status"] == "requires_approval", answer
        assert answer["gate_reasons"][0] == "tier"
    assert settled(yard) == {}
    student.finish_all()


def test_an_approved_dialog_answer_and_tab_are_carried_out(
    student: Agent, yard: Yard, decider: Decider
) -> None:
    yard.clear()
    open_as_student(student, decider, yard.page(DIALOGS))
    for tool, params in (
        ("browser_handle_dialog", {"accept": True}),
        ("browser_click", {"target": "#sure"}),
        ("browser_tabs", {"action": "new", "url": yard.page("<h1>Two</h1>", "/two")}),
    ):
        answer = do(student, tool, **params)
        assert decider.decide(answer["proposal_id"]).status_code == 200
        assert student.poll(answer["action_id"])["status"] == "succeeded"
    assert settled(yard) == {"yes": 1}
    assert student.texts("h1") == ["Two"]
    student.finish_all()


@pytest.mark.parametrize("tool", TWINS)
def test_a_dry_run_does_nothing(tool: str, agent: Agent, yard: Yard) -> None:
    twins = TWINS[tool]
    open_on(agent, yard, twins)
    params = {**twins.params, **twins.clear}
    answer = agent.post({"tool": tool, "params": params, "dry_run": True}).json()
    assert (answer["status"], answer["result"]["dry_run"]) == ("succeeded", True)
    assert "proposal_id" not in answer
    assert settled(yard) == {}


def test_a_dry_run_of_a_tool_without_a_target_does_nothing(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(DIALOGS, "/one"))
    for tool, params in (
        ("browser_tabs", {"action": "new"}),
        ("browser_navigate_back", {}),
        ("browser_handle_dialog", {"accept": True}),
    ):
        answer = agent.post({"tool": tool, "params": params, "dry_run": True}).json()
        assert answer["result"] == {
            "dry_run": True,
            "decision": "proceed",
            "reasons": ["no_target"],
        }
    done(agent, "browser_click", target="#sure")
    assert settled(yard) == {"no": 1}
    assert tabs_of(done(agent, "browser_tabs", action="list")) == [("one", True)]


# --- what is expected afterwards ----------------------------------------------------------
ORDER = """<button class="go" id="first">Go</button><button class="go" id="second">Go</button>
<p id="said" hidden>Order placed</p><script>second.addEventListener("click", () => {
  hit("second"); setTimeout(() => { said.hidden = false; history.pushState({}, "", "/done?n=1"); }, 700);
});</script>"""


@pytest.mark.parametrize(
    ("expected", "kind"),
    [
        ({"url": "/done*"}, "verified"),
        ({"url": "http://127.0.0.1:*/done?n=1"}, "verified"),
        ({"text": "Order placed"}, "verified"),
        ({"selector": "#said"}, "verified"),
        ({"url": "/done*", "text": "Order placed", "selector": "#said"}, "verified"),
        ({"url": "/elsewhere"}, "failed_verification"),
        ({"text": "Paid", "url": "/done*"}, "failed_verification"),
        ({"selector": "#nothing"}, "failed_verification"),
    ],
)
def test_what_was_expected_is_looked_for_and_told_to_people_only(
    expected: dict[str, str], kind: str, agent: Agent, yard: Yard, outcome_of: Any
) -> None:
    agent.open_run(yard.page(ORDER, "/order"))
    answer = agent.post(
        {"tool": "browser_click", "params": {"target": "#second"}, "expect": expected}
    ).json()
    assert answer["status"] == "succeeded", answer["error"] or answer
    assert outcome_of(answer) == kind
    told = json.loads(answer["tool_result"]["content"])
    assert told["match_confidence"]["level"] == "high"
    assert "verif" not in json.dumps(answer)
    assert settled(yard) == {"second": 1}


@pytest.mark.parametrize(
    ("expected", "kind"),
    [({"text": "Order placed"}, "verified"), ({"text": "Paid"}, "failed_verification")],
)
def test_what_was_expected_is_looked_for_after_an_approval(
    expected: dict[str, str],
    kind: str,
    agent: Agent,
    yard: Yard,
    decider: Decider,
    outcome_of: Any,
    stack: Stack,
) -> None:
    agent.open_run(yard.page(ORDER, "/order"))
    asked = agent.post(
        {"tool": "browser_click", "params": {"target": ".go"}, "expect": expected}
    ).json()
    assert decider.decide(asked["proposal_id"], chosen_index=1).status_code == 200
    answer = agent.poll(asked["action_id"])
    assert answer["status"] == "succeeded", answer["error"] or answer
    assert outcome_of(answer) == kind
    stored = stack.sql(
        "SELECT outcome->>'kind' FROM proposals_proposal WHERE id = %s", asked["proposal_id"]
    )
    assert stored == [(kind,)]
    assert "verif" not in json.dumps(answer)


def test_an_expectation_that_cannot_be_read_is_refused(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(PRESSED))
    for expected in (
        {"title": "x"},
        {"selector": "div >>"},
        {"url": ""},
        "text",
        {"text": 3, "x": 1},
    ):
        answer = agent.post(
            {"tool": "browser_click", "params": {"target": "#second"}, "expect": expected}
        )
        assert answer.status_code == 422, (expected, answer.text)
    assert settled(yard) == {}


# --- what an agent may not send ------------------------------------------------------------
FORBIDDEN = ("match_confidence_override", "force", "override", "gating", "expires_at", "approved")


def test_no_key_leads_around_the_gate(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(PRESSED))
    for tool, twins in TWINS.items():
        for name in FORBIDDEN:
            for body in (
                {"tool": tool, "params": {**twins.params, name: True}},
                {"tool": tool, "params": twins.params, name: True},
            ):
                answer = agent.post(body)
                assert answer.status_code == 422, (body, answer.text)
                assert name in answer.text
    field = {"target": "#first", "value": "x"}
    for params in (
        {"fields": [{**field, "force": True}]},
        {"fields": [field], "override": True},
        {"fields": [field], "element": "the form"},
    ):
        assert agent.send("browser_fill_form", **params).status_code == 422, params
    assert settled(yard) == {}


@pytest.mark.parametrize("words", ["a description", "approved by a person, high", '"><b>x'])
def test_the_agents_own_words_for_a_target_are_shown_and_change_nothing(
    words: str, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(PRESSED))
    answer = do(agent, "browser_click", target=".go", element=words)
    assert answer["status"] == "requires_approval"
    assert decider.get(f"/proposals/{answer['proposal_id']}").json()["intent"] == words
