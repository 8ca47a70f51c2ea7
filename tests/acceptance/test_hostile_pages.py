"""Pages that lie, cover, move and hang: never a wrong click, and always an answer."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.decider import Decider
from tests.support.stack import Agent, Stack, wait_until
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
FINAL = {"succeeded", "failed", "rejected", "blocked", "outcome_unknown"}
TARGET = '<button id="target">Confirm</button><script>counts(target, "target")</script>'
EVIL = 'counts(evil, "evil")'


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


# --- the wrong element must never get the press ------------------------------------------
AT = 'style="position:absolute;top:0;left:0"'
AWAY = "position:absolute;top:0;left:-900px;border:0"
BUTTON = f'<button id="target" {AT}>Confirm</button>'
BOTH = 'counts(target, "target"); counts(document.getElementById("evil"), "evil");'
ON_HOVER = 'target.addEventListener("pointerover", () => '
COVERS = {
    "a form whose parentNode is clobbered": f"""
<button id="target" {AT}>Confirm
<input type="hidden" name="parentNode" form="evil">
<input type="hidden" name="assignedSlot" form="evil"></button>
<form id="evil" style="position:absolute;top:0;left:0;width:300px;height:90px">Pay</form>
<script>{BOTH}</script>""",
    "another button in a label of the target": f"""
{BUTTON}<label for="target" {AT}><button id="evil">Pay</button></label><script>{BOTH}</script>""",
    "a frame put up on hover": f"""
{BUTTON}<iframe id="cover" src="/evil" style="{AWAY}"></iframe>
<script>counts(target, "target"); {ON_HOVER} cover.style.left = 0);</script>""",
    "a foreign frame put up on hover": f"""
{BUTTON}<iframe id="cover" src="ELSEWHERE/evil" style="{AWAY}"></iframe>
<script>counts(target, "target"); {ON_HOVER} cover.style.left = 0);</script>""",
    "an element put up on hover": f"""
{BUTTON}<button id="evil" style="{AWAY}">Pay</button>
<script>{BOTH} {ON_HOVER} evil.style.left = 0);</script>""",
    "an element put up when hover blocked longer than the guard stands": f"""
{BUTTON}<button id="evil" style="{AWAY}">Pay</button>
<script>{BOTH} {ON_HOVER} {{ evil.style.left = 0; hit("hover", 5.5); }});</script>""",
    "a link under the pointer while the page swallows every event": f"""
<script>for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
  addEventListener(type, (event) => event.stopImmediatePropagation(), true);</script>
{BUTTON}<a id="evil" href="/hit/evil" style="{AWAY};width:200px;height:60px">Pay</a>
<script>{ON_HOVER} evil.style.left = 0);</script>""",
    "a link put up on mousedown": f"""
{BUTTON}<a id="evil" href="/hit/evil" style="{AWAY};width:200px;height:60px">Pay</a>
<script>target.addEventListener("mousedown", () => evil.style.left = 0);</script>""",
    "a frame put up on mousedown": f"""
{BUTTON}<iframe id="cover" src="/evil" style="{AWAY}"></iframe>
<script>target.addEventListener("mousedown", () => cover.style.left = 0);</script>""",
    "the next page, when hover leaves this one": f"""
{BUTTON}<script>counts(target, "target");
{ON_HOVER} {{ location.href = "/evil"; hit("hover", 1); }});</script>""",
    "what lies beneath an element that runs away": f"""
<button id="evil" {AT}>Pay</button>{BUTTON}
<script>{BOTH} {ON_HOVER} target.style.left = "600px");</script>""",
    "a dialog that opens on hover": f"""
{BUTTON}<dialog id="modal" style="margin:0;padding:0;border:0"><button id="evil">Pay</button>
</dialog><script>{BOTH} {ON_HOVER} modal.showModal());</script>""",
    "a twin that takes its place on hover": f"""
{BUTTON}<script>{ON_HOVER} {{ const twin = target.cloneNode(true); twin.id = "evil";
counts(twin, "evil"); target.replaceWith(twin); }});</script>""",
    "a transition that slides another button in": f"""
<div style="position:absolute;top:0;left:0;width:200px;overflow:hidden;height:60px">
<div id="strip" style="width:500px;transition:transform 60ms">
<button id="target">Confirm</button><button id="evil">Pay</button></div></div>
<script>{BOTH} {ON_HOVER} strip.style.transform = "translateX(-205px)");</script>""",
}


@pytest.mark.parametrize("cover", COVERS)
def test_a_cover_never_gets_the_click(cover: str, agent: Agent, yard: Yard) -> None:
    yard.page(f'<button id="evil">Pay</button><script>{EVIL}</script>', "/evil")
    html = COVERS[cover].replace("ELSEWHERE/", yard.elsewhere("/"))
    agent.open_run(yard.page(html))
    answer = click(agent)
    counted = settled(yard)
    assert counted.get("evil", 0) == 0, answer
    assert counted.get("target", 0) <= 1
    assert answer["status"] in FINAL
    if "target" in html.partition("counts(")[2] and not counted.get("target"):
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
    opened = agent.open_run(yard.page(SIZES[size]))
    if opened["status"] == "failed":  # Chromium itself gives such a page up now and then
        assert opened["error"]["code"] in {"timeout", "navigation_failed", "browser_lost"}, opened
        return
    began = time.monotonic()
    target = "xpath=//*[starts-with(local-name(), 'a-')]" if "tag" in size else "body >> button"
    answer = agent.post(
        {"tool": "browser_click", "params": {"target": target}, "dry_run": True, "wait_s": 40}
    )
    assert time.monotonic() - began < 25
    assert len(answer.content) < 200_000, f"the answer has {len(answer.content)} bytes"
    assert answer.json()["status"] in FINAL, answer.text[:500]
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


# --- what a page may look like -------------------------------------------------------------
SHAPES = {
    "an open shadow root in another": """<div id="host"></div><script>
const inner = document.createElement("div");
host.attachShadow({mode: "open"}).append(inner);
inner.attachShadow({mode: "open"}).innerHTML = '<button id="target">Confirm</button>';
counts(inner.shadowRoot.getElementById("target"), "target");</script>""",
    "display: contents": '<button id="target" style="display:contents">Confirm</button>'
    '<script>counts(target, "target")</script>',
    "far below and to the right": '<div style="width:5000px;height:9000px"></div>'
    f'<div style="margin-left:4000px">{TARGET}</div>',
    "in a box that scrolls": '<div style="height:100px;width:300px;overflow:scroll">'
    f'<div style="height:4000px"></div>{TARGET}</div>',
    "an animation that ends": "<style>@keyframes go { from { margin-left: 600px } }</style>"
    f'<div style="animation: go 700ms">{TARGET}</div>',
    "an SVG": '<svg width="200" height="90"><g id="target"><rect width="180" height="80"/></g>'
    '</svg><script>counts(target, "target")</script>',
    "a label": '<label id="target"><input type="checkbox" id="box"> Confirm</label>'
    '<script>box.addEventListener("change", () => hit("target"))</script>',
    "a second body": f'<script>document.documentElement.append(document.createElement("body"));'
    f"</script>{TARGET}",
    "opacity 0": f'<div style="opacity:0">{TARGET}</div>',
    "contenteditable": '<div id="target" contenteditable style="width:200px">x</div>'
    '<script>counts(target, "target")</script>',
    "turned and small": f'<div style="transform:rotate(30deg) scale(.5);margin:200px">{TARGET}</div>',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_any_shape_of_element_gets_its_click(shape: str, agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(SHAPES[shape]))
    answer = click(agent)
    assert answer["status"] == "succeeded", answer
    assert settled(yard) == {"target": 1}


REFUSED = {
    "disabled": ('<button id="target" disabled>Confirm</button>', "not_enabled"),
    "in a disabled fieldset": (
        '<fieldset disabled><button id="target">Confirm</button></fieldset>',
        "not_enabled",
    ),
    "aria-disabled": ('<button id="target" aria-disabled="true">Confirm</button>', "not_enabled"),
    "inert": ('<div inert><button id="target">Confirm</button></div>', "not_enabled"),
    "of no size": (
        '<button id="target" style="all:unset;display:block;width:0;height:0;'
        'overflow:hidden">Confirm</button>',
        "no_match",
    ),
    "hidden": ('<button id="target" style="visibility:hidden">Confirm</button>', "no_match"),
    "in a closed shadow root": (
        '<div id="host"></div><script>host.attachShadow({mode:"closed"})'
        ".innerHTML = '<button id=\"target\">Confirm</button>'</script>",
        "no_match",
    ),
    "below a modal dialog": (
        '<button id="target" style="position:absolute;top:0;left:0">Confirm'
        '</button><dialog id="modal">Wait</dialog><script>modal.showModal()'
        "</script>",
        "covered",
    ),
    "off every screen": (
        '<button id="target" style="position:fixed;left:-999px">Confirm</button>',
        "covered",
    ),
    "never still": (
        '<button id="target" style="position:absolute">Confirm</button><script>'
        'const run = () => { target.style.left = 300 * Math.random() + "px";'
        'target.style.top = 300 * Math.random() + "px"; requestAnimationFrame(run) };'
        "run()</script>",
        "",
    ),
}


@pytest.mark.parametrize("state", REFUSED)
def test_what_a_person_could_not_click_is_not_clicked(state: str, agent: Agent, yard: Yard) -> None:
    html, code = REFUSED[state]
    agent.open_run(yard.page(html + '<script>window.target && counts(target, "target")</script>'))
    answer = click(agent)
    counted = settled(yard)
    if code:
        assert code_of(answer) == code, answer
        assert counted == {}
    elif answer["status"] != "outcome_unknown":
        assert counted == ({"target": 1} if answer["status"] == "succeeded" else {}), answer


# --- frames ---------------------------------------------------------------------------------
FRAME_STYLE = "border:40px solid;padding:10px;margin:30px;width:400px;height:200px"


@pytest.mark.parametrize("where", ["same site", "another site", "another site in it"])
def test_a_click_in_a_frame_lands_whatever_its_border(where: str, agent: Agent, yard: Yard) -> None:
    yard.page(TARGET, "/inner")
    yard.page(f'<iframe src="/inner" style="{FRAME_STYLE}"></iframe>', "/middle")
    source = {
        "same site": "/inner",
        "another site": yard.elsewhere("/inner"),
        "another site in it": yard.elsewhere("/middle"),
    }[where]
    style = FRAME_STYLE.replace("200px", "330px")
    agent.open_run(yard.page(f'<h1>Top</h1><iframe src="{source}" style="{style}"></iframe>'))
    answer = click(agent)
    assert answer["status"] == "succeeded", answer
    assert settled(yard) == {"target": 1}


@pytest.mark.parametrize("host", ["same", "other"])
def test_a_frame_below_a_parents_overlay_is_covered(host: str, agent: Agent, yard: Yard) -> None:
    yard.page(TARGET, "/inner")
    source = yard.elsewhere("/inner") if host == "other" else "/inner"
    agent.open_run(
        yard.page(
            f'<iframe src="{source}"></iframe><div style="position:fixed;inset:0">Cookies?</div>'
        )
    )
    answer = click(agent)
    assert code_of(answer) == "covered", answer
    assert "Cookies?" in answer["error"]["message"]
    assert settled(yard) == {}


def test_a_frame_removed_between_proposal_and_approval_is_stale(
    agent: Agent, yard: Yard, decider: Decider
) -> None:
    yard.page('<button class="go">Go</button><button class="go">Go</button>', "/inner")
    agent.open_run(
        yard.page(
            f'<iframe id="gone" src="{yard.elsewhere("/inner")}"></iframe>'
            "<script>setTimeout(() => gone.remove(), 3500)</script>"
        )
    )
    asked = click(agent, ".go")
    assert asked["status"] == "requires_approval", asked
    time.sleep(4)
    decider.decide(asked["proposal_id"], chosen_index=0)
    ended = agent.poll(asked["action_id"])
    assert code_of(ended) == "stale", ended


def test_one_match_here_and_nine_in_a_frame_can_be_shown_to_a_person(
    agent: Agent, yard: Yard, decider: Decider
) -> None:
    yard.page('<button class="go">Go</button>' * 9, "/inner")
    agent.open_run(
        yard.page(
            '<button class="go" id="target">Go</button><script>counts(target, "target")</script>'
            '<iframe src="/inner" style="width:700px;height:500px"></iframe>'
        )
    )
    asked = click(agent, ".go")
    assert asked["status"] == "requires_approval", asked
    assert asked["match_confidence"]["match_count"] == 10
    decider.decide(asked["proposal_id"], chosen_index=0)
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert settled(yard) == {"target": 1}


# --- between proposal and approval -----------------------------------------------------------
CHANGES = {
    "the text changes": "first.textContent = 'Delete all'",
    "the name changes": "first.setAttribute('aria-label', 'Delete all')",
    "the link's query changes": "first.setAttribute('href', '/x?delete=1')",
    "they change places": "first.before(second)",
    "another row moves above": "first.before(first.cloneNode(true))",
    "a twin takes its place": "first.replaceWith(first.cloneNode(true))",
    "it goes away": "first.remove()",
    "it is hidden": "first.style.visibility = 'hidden'",
    "it is covered": "document.body.insertAdjacentHTML('beforeend', "
    "'<div style=\"position:fixed;inset:0\">Cover</div>')",
    "it is disabled": "first.disabled = true",
    "its form gets another heading": "document.querySelector('h2').textContent = 'Danger'",
    "the page is left": "location.href = '/next'",
    "the page is loaded again": "location.reload()",
    "the address changes": "history.pushState(0, '', '/else')",
    "the document is written anew": "document.open(); document.write("
    "'<button class=go>Go</button><button class=go>Go</button>'); document.close()",
    "the page closes": "window.close()",
}


# Named by its own id it stands where it stood; and a page may not close itself.
STILL_THE_SAME = {"they change places", "the page closes"}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_since_it_was_shown_is_never_clicked(
    change: str, agent: Agent, yard: Yard, decider: Decider
) -> None:
    kind, attribute = ("a", 'href="/x?ok=1"') if "link" in change else ("button", 'type="button"')
    yard.page("<h1>Next</h1>", "/next")
    agent.open_run(
        yard.page(
            f'<form><h2>Order</h2><{kind} class="go" id="first" {attribute}>Go</{kind}>'
            f'<{kind} class="go" id="second" {attribute}>Go</{kind}></form><script>'
            "const approved = first; addEventListener('click', (event) => hit("
            "event.composedPath().includes(approved) ? 'approved' : 'wrong'), true);"
            f"setTimeout(() => {{ hit('changed'); {CHANGES[change]} }}, 3000)</script>"
        )
    )
    asked = click(agent, ".go")
    assert asked["status"] == "requires_approval", asked
    wait_until(lambda: yard.hits["changed"], 10)
    time.sleep(0.5)
    assert decider.decide(asked["proposal_id"], chosen_index=0).status_code in {200, 409}
    wait_until(
        lambda: (
            decider.get(f"/proposals/{asked['proposal_id']}").json()["status"]
            not in {"approved", "executing"}
        ),
        40,
    )
    ended = agent.poll(asked["action_id"], 0)
    counted = settled(yard)
    assert counted.get("wrong", 0) == 0, ended
    if change not in STILL_THE_SAME:
        assert counted.get("approved", 0) == 0, ended
        assert ended["status"] != "succeeded"
    if ended["status"] == "requires_approval":
        assert ended["proposal_id"] != asked["proposal_id"]


# --- secrets --------------------------------------------------------------------------------
SECRET = "hunter2-Zz9!kept-away"
FIELDS = {
    "a password field": '<input id="target" type="password">',
    "the label of a password field": '<label id="target" for="field">Password</label>'
    '<input id="field" type="password">',
    "a card number": '<input id="target" autocomplete="cc-number">',
    "a shown password": '<input id="target" type="text" autocomplete="current-password">',
    "a field that turns into one": '<input id="target" onfocus="this.type=\'password\'">',
}


@pytest.mark.parametrize("field", [*FIELDS, "declared by the agent"])
def test_a_typed_secret_is_nowhere(field: str, stack: Stack, agent: Agent, yard: Yard) -> None:
    declared = field not in FIELDS
    agent.open_run(yard.page(FIELDS.get(field, '<input id="target">')))
    params = {"target": "#target", "text": SECRET, **({"secret": True} if declared else {})}
    answer = agent.send("browser_type", **params)
    assert answer.status_code == 200, answer.text
    assert SECRET not in answer.text
    tables = ("runs_action", "runs_run", "proposals_proposal", "audit_browseraudit")
    for table in tables:
        rows = stack.sql(
            f"SELECT t::text FROM {table} t WHERE run_id = %s"
            if table != "runs_run"
            else f"SELECT t::text FROM {table} t WHERE id = %s",
            agent.run_id,
        )
        assert SECRET not in str(rows), table
    for log in [stack.log, *(stack.data_dir / "logs").glob("*.log")]:
        assert SECRET not in log.read_text(errors="replace"), log


# --- where a page may reach -------------------------------------------------------------------
def test_a_page_reaches_neither_us_nor_any_devtools_port(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    """Though its agent may use loopback, and whatever spelling the page tries."""
    agent.open_run(yard.page("<h1>Home</h1>"))
    folder = next((stack.data_dir / "browsers").glob(f"{agent.run_id}*/browser.json"))
    devtools = json.loads(folder.read_text())["endpoint"].split("/")[2].split(":")[1]
    hosts = [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "127.1",
        "0.0.0.0",
        "2130706433",
        "localhost.",
        "x.localhost",
        "127.0.0.2",
        "[::ffff:127.0.0.1]",
    ]
    urls = [
        f"http://{host}:{port}{path}"
        for host in hosts
        for port, path in ((stack.port, "/healthz"), (devtools, "/json/list"))
    ]
    script = """
const tried = async (url) => {
  const ways = [fetch(url, {mode: "no-cors"}).then(() => "fetch", () => ""),
    new Promise((done) => { const socket = new WebSocket(url.replace("http", "ws"));
      socket.onopen = () => done("socket"); socket.onerror = () => done(""); })];
  return (await Promise.all(ways)).filter(Boolean).map((way) => `${way} ${url}`);
};
Promise.all(URLS.map(tried)).then((all) => {
  document.body.innerHTML = `<output>${all.flat().join(" ") || "nothing"}</output>`; });
"""
    page = yard.page(f"<script>const URLS = {json.dumps(urls)};{script}</script>", "/reach")
    agent.send("browser_navigate", url=page)
    assert agent.texts("output") == ["nothing"]
    for url in (f"http://127.0.0.1:{stack.port}/", f"http://127.0.0.1:{devtools}/json/list"):
        assert agent.send("browser_navigate", url=url).json()["status"] != "succeeded"
