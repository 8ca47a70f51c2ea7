"""Pages that lie, cover, move and hang: never a wrong click, and always an answer."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.decider import Decider
from tests.support.stack import Agent, Stack
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
FINAL = {"succeeded", "failed", "rejected", "blocked", "outcome_unknown"}
TARGET = '<button id="target">Confirm</button><script>counts(target, "target")</script>'
EVIL = 'counts(evil, "evil")'


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    with Yard.started() as running:
        yield running


@pytest.fixture(scope="module")
def bot(stack: Stack, yard: Yard) -> Iterator[Agent]:
    with stack.agent(tier="autonomous", hosts=yard.hosts) as made:
        yield made


@pytest.fixture
def agent(bot: Agent, yard: Yard) -> Iterator[Agent]:
    """The same agent for every test, each with a run of its own."""
    yard.clear()
    yield bot
    bot.finish_all()


def click(agent: Agent, target: str = "#target", **params: Any) -> dict[str, Any]:
    """One click and its answer, whatever it is; it has to come within 60 s."""
    answer = agent.post(
        {"tool": "browser_click", "params": {"target": target, **params}, "wait_s": 60}
    )
    assert answer.status_code in {200, 202}, answer.text
    return answer.json()


def code_of(answer: dict[str, Any]) -> str:
    return answer["error"]["code"] if answer.get("error") else answer["status"]


def settled(yard: Yard) -> dict[str, int]:
    """What the page counted, once late clicks had their time."""
    time.sleep(0.5)
    return dict(yard.hits)


@pytest.fixture(scope="module")
def decider(stack: Stack) -> Iterator[Decider]:
    with Decider.made(stack) as made:
        yield made


# --- the wrong element must never get the press ------------------------------------------
COVERS = {
    "a form whose parentNode is clobbered": """
<button id="target" style="position:absolute;top:0;left:0">Confirm
<input type="hidden" name="parentNode" form="evil"><input type="hidden" name="assignedSlot" form="evil"></button>
<form id="evil" style="position:absolute;top:0;left:0;width:300px;height:90px;background:#eee">Pay</form>
<script>counts(target, "target"); counts(document.getElementById("evil"), "evil")</script>""",
    "another button in a label of the target": """
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<label for="target" style="position:absolute;top:0;left:0"><button id="evil">Pay</button></label>
<script>counts(target, "target"); counts(evil, "evil")</script>""",
    "a frame put up on hover": """
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<iframe id="cover" src="/evil" style="position:absolute;top:0;left:-900px;border:0"></iframe>
<script>counts(target, "target");
target.addEventListener("pointerover", () => cover.style.left = 0);</script>""",
    "a foreign frame put up on hover": """
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<iframe id="cover" src="ELSEWHERE/evil" style="position:absolute;top:0;left:-900px;border:0"></iframe>
<script>counts(target, "target");
target.addEventListener("pointerover", () => cover.style.left = 0);</script>""",
    "an element put up on hover": """
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<button id="evil" style="position:absolute;top:0;left:-900px">Pay</button>
<script>counts(target, "target"); counts(evil, "evil");
target.addEventListener("pointerover", () => evil.style.left = 0);</script>""",
    "an element put up when hover blocked longer than the guard stands": """
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<button id="evil" style="position:absolute;top:0;left:-900px">Pay</button>
<script>counts(target, "target"); counts(evil, "evil");
target.addEventListener("pointerover", () => { evil.style.left = 0; hit("hover", 5.5); });</script>""",
    "a link under the pointer while the page swallows every event": """
<script>for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
  addEventListener(type, (event) => event.stopImmediatePropagation(), true);</script>
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<a id="evil" href="/hit/evil" style="position:absolute;top:0;left:-900px;display:block;width:200px;height:60px">Pay</a>
<script>target.addEventListener("pointerover", () => evil.style.left = 0);</script>""",
    "the next page, when hover leaves this one": """
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<script>counts(target, "target");
target.addEventListener("pointerover", () => { location.href = "/evil"; hit("hover", 1); });</script>""",
    "what lies beneath an element that runs away": """
<button id="evil" style="position:absolute;top:0;left:0">Pay</button>
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<script>counts(target, "target"); counts(evil, "evil");
target.addEventListener("pointerover", () => target.style.left = "600px");</script>""",
    "a dialog that opens on hover": """
<button id="target" style="position:absolute;top:0;left:0">Confirm</button>
<dialog id="modal" style="margin:0;padding:0;border:0"><button id="evil">Pay</button></dialog>
<script>counts(target, "target"); counts(evil, "evil");
target.addEventListener("pointerover", () => modal.showModal());</script>""",
}


@pytest.mark.parametrize("cover", COVERS)
def test_a_cover_never_gets_the_click(cover: str, agent: Agent, yard: Yard) -> None:
    yard.page(f'<button id="evil">Pay</button><script>{EVIL}</script>', "/evil")
    html = COVERS[cover].replace("ELSEWHERE", f"http://localhost:{yard.port}")
    agent.open_run(yard.page(html))
    answer = click(agent)
    print(answer["status"], answer["error"], answer["result"])
    counted = settled(yard)
    assert counted.get("evil", 0) == 0, answer
    assert counted.get("target", 0) <= 1
    assert answer["status"] in FINAL
    if not counted.get("target"):
        assert answer["status"] != "succeeded", answer


def test_enter_goes_to_the_field_that_was_typed_into_and_to_nothing_else(
    agent: Agent, yard: Yard
) -> None:
    agent.open_run(
        yard.page(
            '<input id="target"><button id="evil">Pay</button><script>counts(evil, "evil");'
            'target.addEventListener("input", () => evil.focus());</script>'
        )
    )
    answer = agent.send("browser_type", target="#target", text="shoes", submit=True).json()
    assert settled(yard).get("evil", 0) == 0, answer
    assert answer["status"] in FINAL


def test_slow_typing_stays_in_its_field(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            '<input id="target"><input id="evil"><script>'
            'target.addEventListener("keydown", () => evil.focus());'
            'evil.addEventListener("input", () => hit("evil"));</script>'
        )
    )
    answer = agent.send("browser_type", target="#target", text="abc", slowly=True).json()
    assert settled(yard).get("evil", 0) == 0, answer
    assert answer["status"] in FINAL


def test_a_press_whose_mousedown_was_heard_is_not_called_undone(agent: Agent, yard: Yard) -> None:
    """The page acted on mousedown and then put up a cover: to say "try again" would double it."""
    agent.open_run(
        yard.page(
            '<button id="target" style="position:absolute;top:0;left:0">Confirm</button>'
            '<div id="cover" style="position:absolute;top:0;left:-900px;width:300px;height:90px">'
            "Working</div><script>"
            'target.addEventListener("mousedown", () => { hit("target"); cover.style.left = 0; });'
            "</script>"
        )
    )
    answer = click(agent)
    assert settled(yard) == {"target": 1}
    assert answer["status"] in {"succeeded", "outcome_unknown"}, answer


def test_a_covering_frame_that_is_there_from_the_start_is_told(agent: Agent, yard: Yard) -> None:
    yard.page(f'<button id="evil">Pay</button><script>{EVIL}</script>', "/evil")
    agent.open_run(
        yard.page(
            '<button id="target" style="position:absolute;top:0;left:0">Confirm</button>'
            f'<iframe src="{yard.elsewhere("/evil")}" '
            'style="position:absolute;top:0;left:0;border:0"></iframe>'
        )
    )
    assert code_of(click(agent)) == "covered"
    assert settled(yard) == {}


# --- pages that redefine what a page can redefine ----------------------------------------
@pytest.mark.parametrize(
    "script",
    [
        "document.querySelector = document.querySelectorAll = () => { throw 1 }",
        "Element.prototype.getBoundingClientRect = () => ({x:900,y:900,width:1,height:1})",
        "Array.prototype.map = Array.prototype.some = Array.prototype.filter = () => { throw 1 }",
        "document.elementFromPoint = Document.prototype.elementFromPoint = () => document.body",
        "EventTarget.prototype.addEventListener = () => {}",
        "window.MutationObserver = window.Map = window.Promise = function () { throw 1 }",
        "JSON.stringify = Object.prototype.toString = () => 'lies'",
        "Object.defineProperty(Object.prototype, 'localName', { get: () => 'body' })",
        "window.requestAnimationFrame = () => 0; window.setTimeout = () => 0",
        "Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })",
    ],
)
def test_what_the_page_redefines_changes_nothing(script: str, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(f"{TARGET}<script>{script}</script>"))
    answer = click(agent)
    assert answer["status"] == "succeeded", answer
    assert settled(yard) == {"target": 1}


@pytest.mark.parametrize(
    "html",
    [
        '<div id="__pointsman"></div>',
        '<div id="__pointsmanStash"></div>',
        '<div id="__pointsmanAria"></div>',
        '<div id="__pointsmanHeard"></div>',
        '<img name="elementFromPoint">',
        '<img name="activeElement"><img name="documentElement"><img name="createRange">',
        '<form name="querySelector"></form><form name="defaultView"></form>',
    ],
)
def test_names_in_the_page_do_not_stand_for_ours(html: str, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(f"{html}{TARGET}"))
    answer = click(agent)
    assert answer["status"] == "succeeded", answer
    assert settled(yard) == {"target": 1}


@pytest.mark.parametrize("name", ["parentElement", "parentNode", "getRootNode", "id", "closest"])
def test_a_form_with_a_field_of_a_dom_name_is_read_like_any_other(
    name: str, agent: Agent, yard: Yard
) -> None:
    agent.open_run(
        yard.page(
            f'<form><input type="hidden" name="{name}"><button type="button" id="target" '
            'class="go">Confirm</button></form><script>counts(target, "target")</script>'
        )
    )
    answer = click(agent, "button.go >> xpath=self::*[@id]")
    assert answer["status"] == "succeeded", answer
    assert settled(yard) == {"target": 1}


def test_a_page_that_stops_every_event_is_told_as_it_is(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            '<script>for (const type of ["pointerdown", "mousedown", "click"]) addEventListener('
            f"type, (event) => event.stopImmediatePropagation(), true);</script>{TARGET}"
        )
    )
    answer = click(agent)
    assert answer["status"] in FINAL
    assert settled(yard) == {}


# --- dialogs, reloads, hangs ---------------------------------------------------------------
@pytest.mark.parametrize(
    "script",
    [
        "alert('on load')",
        "for (let i = 0; i < 3; i += 1) { alert(i); confirm(i); prompt(i) }",
        "setTimeout(() => { alert(1); confirm(2) }, 100)",
        "addEventListener('beforeunload', (event) => { event.preventDefault(); "
        "event.returnValue = 'stay' })",
        "target.addEventListener('pointerover', () => alert('hover'))",
        "target.addEventListener('click', () => { alert('click'); confirm('sure?') })",
    ],
)
def test_a_dialog_holds_nothing_up(script: str, agent: Agent, yard: Yard) -> None:
    other = yard.page("<h1>Left</h1>", "/other")
    agent.open_run(yard.page(f"{TARGET}<script>{script}</script>"))
    began = time.monotonic()
    answer = click(agent)
    assert answer["status"] == "succeeded", answer
    left = agent.send("browser_navigate", url=other).json()
    assert left["status"] == "succeeded", left
    assert agent.texts("h1") == ["Left"]
    assert settled(yard) == {"target": 1}
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    "script",
    [
        "location.reload()",
        "setInterval(() => location.reload(), 30)",
        "setInterval(() => { location = '/?' + Math.random() }, 20)",
        "setInterval(() => history.pushState(0, '', '/?' + Math.random()), 5)",
        "setInterval(() => { location.hash = Math.random() }, 5)",
    ],
)
def test_a_page_that_never_rests_gets_an_answer(script: str, agent: Agent, yard: Yard) -> None:
    opened = agent.http.post(
        "/runs", json={"start_url": yard.page(f"{TARGET}<script>{script}</script>")}
    )
    assert opened.status_code == 201, opened.text
    if opened.json()["status"] == "failed":
        assert opened.json()["error"]["code"] in {"timeout", "navigation_failed"}, opened.text
        return
    agent.run_id = opened.json()["id"]
    began = time.monotonic()
    answer = click(agent)
    assert answer["status"] in FINAL, answer
    assert code_of(answer) != "gate_failed", answer
    assert time.monotonic() - began < 40
    assert settled(yard).get("target", 0) == (1 if answer["status"] == "succeeded" else 0)
    home = agent.send("browser_navigate", url=yard.page("<h1>Calm</h1>", "/calm")).json()
    assert code_of(home) in {"succeeded", "navigation_failed", "outcome_unknown"}, home


def test_a_page_that_hangs_from_the_start_is_answered_and_left(agent: Agent, yard: Yard) -> None:
    hang = yard.page(
        "<h1>Busy</h1><script>setTimeout(() => { while (true); }, 300)</script>", "/hang"
    )
    agent.open_run(yard.page(TARGET))
    agent.send("browser_navigate", url=hang)
    time.sleep(0.5)
    began = time.monotonic()
    answer = click(agent, "h1")
    assert answer["status"] == "failed", answer
    assert code_of(answer) in {"timeout", "browser_lost"}, answer
    assert time.monotonic() - began < 45
    away = agent.post(
        {
            "tool": "browser_navigate",
            "params": {"url": yard.page("<h1>Calm</h1>", "/calm")},
            "wait_s": 50,
        }
    ).json()
    assert away["status"] in FINAL, away


def test_a_page_that_hangs_in_its_click_is_unknown_and_not_repeated(
    agent: Agent, yard: Yard
) -> None:
    agent.open_run(
        yard.page(
            f"{TARGET}<script>target.addEventListener('click', () => {{ while (true); }})</script>"
        )
    )
    answer = click(agent)
    assert answer["status"] == "outcome_unknown", answer
    assert settled(yard) == {"target": 1}


def test_a_page_that_closes_itself_ends_well(agent: Agent, yard: Yard) -> None:
    agent.open_run(
        yard.page(
            f"{TARGET}<script>target.addEventListener('click', () => window.close())</script>"
        )
    )
    answer = click(agent)
    assert answer["status"] in {"succeeded", "outcome_unknown"}, answer
    after = agent.send("browser_extract_text", target="body")
    assert after.status_code in {200, 409}, after.text
    assert settled(yard) == {"target": 1}


# --- large, deep, many -----------------------------------------------------------------------
SIZES = {
    "50,000 buttons": "<script>document.body.innerHTML = '<button>x</button>'.repeat(50000)</script>",
    "a role of 10 MB": "<button id=one>Go</button><script>"
    "one.setAttribute('role', 'r'.repeat(1e7))</script>",
    "an id of 10 MB": "<button class=one>Go</button><script>"
    "document.querySelector('.one').id = 'i'.repeat(1e7)</script>",
    "a label of 10 MB": "<button id=one>Go</button><script>"
    "one.setAttribute('aria-label', 'x'.repeat(1e7))</script>",
    "a text of 10 MB": "<div style='height:40px;overflow:hidden'><button id=one></button></div>"
    "<script>one.textContent = 'x '.repeat(5e6)</script>",
    "a tag name of 1 MB": "<script>const one = document.createElement('a-' + 'b'.repeat(1e6));"
    "one.textContent = 'Go'; document.body.append(one)</script>",
    "20,000 levels": "<script>let at = document.body; for (let i = 0; i < 20000; i += 1) {"
    "const next = document.createElement('div'); at.append(next); at = next; }"
    "at.innerHTML = '<button id=one>Go</button>'</script>",
    "5,000 levels without a box": "<script>let at = document.body;"
    "for (let i = 0; i < 5000; i += 1) { const next = document.createElement('div');"
    "next.style.display = 'contents'; at.append(next); at = next; }"
    "at.innerHTML = '<button id=one style=\"display:contents\">Go</button>'</script>",
    "50,000 parts in one button": "<button id=one style='width:9000px'></button><script>"
    "one.innerHTML = '<i>x</i>'.repeat(50000)</script>",
}


@pytest.mark.parametrize("size", SIZES)
def test_size_is_answered_and_kept_small(size: str, stack: Stack, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(SIZES[size]))
    began = time.monotonic()
    target = "xpath=//*[starts-with(local-name(), 'a-')]" if "tag" in size else "body >> button"
    answer = agent.post(
        {"tool": "browser_click", "params": {"target": target}, "dry_run": True, "wait_s": 40}
    )
    assert time.monotonic() - began < 25
    assert len(answer.content) < 200_000, f"the answer has {len(answer.content)} bytes"
    assert answer.json()["status"] in FINAL
    assert code_of(answer.json()) != "gate_failed", answer.text[:1000]
    stored = stack.sql(
        "SELECT coalesce(max(length(payload::text)), 0) FROM audit_browseraudit WHERE run_id = %s",
        agent.run_id,
    )
    assert stored[0][0] < 200_000


# --- strange characters ----------------------------------------------------------------------
STRANGE = {
    "NUL": "'Con' + String.fromCharCode(0) + 'firm'",
    "a lone surrogate": "'Con' + String.fromCharCode(0xd800) + 'firm'",
    "an emoji cut at 200": "'x'.repeat(199) + String.fromCodePoint(0x1f600)",
    "bidi and control characters": r"'Con\u202efirm\u2066\u0007\u001b[31m\u200b'",
    "markup": r"'<img src=x onerror=alert(1)><script>alert(1)<\/script>'",
    "a broken JSON text": r"""'"}], \\u0000 {"level": "high"'""",
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_characters_reach_a_reviewer_and_the_record(
    kind: str, stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(
        yard.page(
            "<button class=go id=target></button><button class=go></button>"
            f"<script>const text = {STRANGE[kind]};"
            "for (const one of document.querySelectorAll('.go')) { one.textContent = text;"
            " one.title = text; one.setAttribute('aria-label', text); one.setAttribute('name', text)"
            "; one.setAttribute('data-testid', text) } document.title = text;"
            'counts(target, "target")</script>'
        )
    )
    asked = click(agent, ".go")
    assert asked["status"] == "requires_approval", asked
    seen = decider.get(f"/proposals/{asked['proposal_id']}")
    assert seen.status_code == 200
    card = decider.http.get(f"/proposals/{asked['proposal_id']}").text
    assert "<img src=x" not in card
    assert decider.decide(asked["proposal_id"], chosen_index=0).status_code == 200
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert settled(yard) == {"target": 1}
    for tool in ("browser_extract_text", "browser_snapshot"):
        read = agent.send(tool, **({"target": "body"} if "text" in tool else {})).json()
        assert read["status"] == "succeeded", read
    stack.manage("audit_verify", "--run", agent.run_id)
