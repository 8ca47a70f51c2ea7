"""Which control a call really presses, foreseen on real pages and then done there."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from browser import calls
from browser.calls import ElementRule, ForbiddenFor, Hit, PageRules, Pick, press_of
from browser.errors import BrowserError, Detached, Unforeseen
from browser.resolver import Resolution
from runs.targets import Target, targets_of
from tests.support.rig import Rig
from tests.support.site import Site

RULES = PageRules(
    screens=(("REVIEW", "#review"), ("CART", "")),
    elements=(
        ElementRule("place", "#place"),
        ElementRule("bottom", ".bottom"),
        ElementRule("item[N].remove", ".remove", ".line"),
    ),
)
# The page's own record of what was really clicked; `composedPath` sees into open components.
RECORD = """<script>window.clicked = [];
addEventListener("click", (event) => {
  if (!event.isTrusted) return;
  for (const node of event.composedPath()) {
    if (node.id === "place") clicked.push("place");
    if (node.classList?.contains("bottom")) clicked.push("bottom");
    if (node.classList?.contains("remove")) clicked.push("remove");
  }
}, true);
addEventListener("submit", (event) => event.preventDefault());
</script>"""
PLACE = "<button id=place>Place order</button>"
CLICK = ("browser_click", {"target": "#t"})


@dataclass(frozen=True)
class Case:
    """`ids` are foreseen. `not_clicked` are those of them that are foreseen to be safe: here the
    browser clicks none, but pages may act all the same."""

    html: str
    tool: str
    params: dict[str, Any]
    ids: tuple[str, ...] = ("place",)
    not_clicked: tuple[str, ...] = ()
    focus: str = ""
    words: tuple[str, ...] | None = None


def click(html: str, *ids: str, **more: Any) -> Case:
    return Case(html, "browser_click", {"target": "#t"}, ids or ("place",), **more)


def key(html: str, name: str, *ids: str, **more: Any) -> Case:
    return Case(html, "browser_press_key", {"key": name}, ids, focus="#t", **more)


def component(inside: str, light: str = "", tag: str = "x-part") -> str:
    return f"""<{tag}><template shadowrootmode=open>{inside}</template>{light}</{tag}>"""


FAR = "<div style='height:3000px'></div>"
TABLE = "<table>{}</table>".format(
    "".join(
        f"<tr class=line><td>Item {n}<td><button class=remove id=r{n}>Remove</button>"
        for n in range(3)
    )
)
FORM = "<form><input id=t>{}</form>"

CASES = {
    # --- the mouse ---
    "a click": click("<button id=place><b id=t>Place order</b></button>", words=("Place order",)),
    "a double click": Case(PLACE, "browser_click", {"target": "#place", "doubleClick": True}),
    "a click with a modifier": Case(
        PLACE, "browser_click", {"target": "#place", "modifiers": ["Control"]}
    ),
    "a click of the middle button": Case(
        PLACE, "browser_click", {"target": "#place", "button": "middle"}, not_clicked=("place",)
    ),
    "an icon in a button": click(
        "<button id=place aria-label='Place order'><svg width=30 height=30>"
        "<rect id=t width=30 height=30></rect></svg></button>",
        words=("Place order",),
    ),
    "an icon in a component in a button": click(
        f"<button id=place>Place order {component('<i id=t>x</i>')}</button>"
    ),
    "an icon in a component that is the button": click(
        "<x-part id=place><template shadowrootmode=open><button><i id=t>x</i></button></template>"
        "</x-part>"
    ),
    "words that a component's button shows in a slot": click(
        component("<button id=place><slot></slot></button>", "<span id=t>Place order</span>"),
        words=("Place order",),
    ),
    "words in a slot in a slot": click(
        component(
            component("<button id=place><slot></slot></button>", "<slot></slot>", "x-inner"),
            "<span id=t>Place order</span>",
        )
    ),
    "a wrapper whose middle is the control": click(
        f"<div id=t style='width:300px;text-align:center'>{PLACE}</div>", words=("Place order",)
    ),
    "a wrapper far down the page": click(f"{FAR}<div id=t style='width:100px'>{PLACE}</div>{FAR}"),
    "a wrapper in a box that is scrolled": click(
        "<div style='height:90px;overflow:auto;scroll-behavior:smooth'>"
        f"{FAR}<div id=t style='width:100px'>{PLACE}</div>{FAR}</div>"
    ),
    "a wrapper beside whose middle the control lies": Case(
        f"<div id=t style='width:600px'>{PLACE}</div>", *CLICK, ids=()
    ),
    "a wrapper whose control lies on top of it from elsewhere": click(
        "<div id=t style='position:relative;width:200px;height:60px'>Order<button id=place "
        "style='position:absolute;inset:0'>Place</button></div>"
    ),
    "a cover that lets the pointer through": click(
        f"<div id=t style='position:relative;width:90px'>{PLACE}<i style='position:absolute;"
        "inset:0;pointer-events:none'>x</i></div>"
    ),
    "a label": click(f"<label id=t for=place>Go</label><p>{PLACE}", words=("Go",)),
    "a part of a label": click(f"<label for=place>Go <b id=t>on</b></label><p>{PLACE}"),
    "a label around its box": click("<label id=t>Yes<input id=place type=checkbox></label>"),
    "a label in a component": click(
        component(f"<label id=t for=place>Go</label><p>{PLACE}"), words=("Go",)
    ),
    "what a keyboard could reach inside a label": click(
        f"<label for=place><span id=t tabindex=0>Go</span></label><p>{PLACE}"
    ),
    "a link in a label takes the press for itself": Case(
        f"<label for=place><a id=t href='#x'>Terms</a></label><p>{PLACE}", *CLICK, ids=()
    ),
    "a box whose label lies on it": click(
        "<div style='position:relative'><input id=t class=bottom type=checkbox style="
        "'width:60px;height:20px'><label for=t style='position:absolute;left:0;top:0;width:90px;"
        "height:40px'>Yes</label></div>",
        "bottom",
    ),
    "an area of a picture": click(
        "<img usemap='#m' width=90 height=90 src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='>"
        "<map name=m><area id=t class=bottom shape=rect coords='0,0,90,90' href='#x'></map>",
        "bottom",
    ),
    "the second button": click(f"{PLACE}<p><button class=bottom id=t>Place order</button>", "bottom"),
    "a button of a row": Case(TABLE, "browser_click", {"target": "#r1"}, ids=("item[1].remove",)),
    "a harmless button": Case(
        f"<form>{PLACE}<button id=t type=button>Help</button></form>", *CLICK, ids=(),
        words=("Help",),
    ),
    "a click by point": Case(
        f"<div style='position:absolute;left:0;top:0'>{PLACE}</div>",
        "browser_mouse_click_xy", {"x": 20.0, "y": 10.0},
    ),
    "a click by point on a label": Case(
        f"<label for=place style='position:absolute;left:0;top:0'>Go on</label><p>{PLACE}",
        "browser_mouse_click_xy", {"x": 10.0, "y": 10.0},
    ),
    "a click by point beside it": Case(
        PLACE, "browser_mouse_click_xy", {"x": 600.0, "y": 400.0}, ids=()
    ),
    "a drag on one control": Case(
        "<button id=place>from <i id=b>to</i></button>",
        "browser_drag", {"startTarget": "#place", "endTarget": "#b"},
    ),
    "a drag from part to part of one control": Case(
        "<button id=place><i id=a>from</i> <i id=b>to</i></button>",
        "browser_drag", {"startTarget": "#a", "endTarget": "#b"}, not_clicked=("place",),
    ),
    "a drag from a control": Case(
        f"{PLACE}<p id=b>to", "browser_drag", {"startTarget": "#place", "endTarget": "#b"},
        not_clicked=("place",),
    ),
    # --- forms ---
    "a form's submit": Case(
        f"<form><input id=t>{PLACE}</form>", "browser_fill_form",
        {"fields": [{"target": "#t", "value": "x"}], "submit": "#place"},
    ),
    "a form's box to tick": Case(
        "<input id=place type=checkbox>", "browser_fill_form",
        {"fields": [{"target": "#place", "value": True}]},
    ),
    "a form's box to tick, by its label": Case(
        "<label id=t>Yes <input id=place type=checkbox></label>", "browser_fill_form",
        {"fields": [{"target": "#t", "value": True}]},
    ),
    "a form's round box": Case(
        "<input id=place type=radio>", "browser_fill_form",
        {"fields": [{"target": "#place", "value": "yes"}]},
    ),
    "a form's text field": Case(
        "<input id=place>", "browser_fill_form",
        {"fields": [{"target": "#place", "value": "x"}]}, ids=(),
    ),
    "text without Enter": Case(
        FORM.format(PLACE), "browser_type", {"target": "#t", "text": "x"}, ids=()
    ),
    "Enter after a text": Case(
        FORM.format(PLACE), "browser_type", {"target": "#t", "text": "x", "submit": True},
        words=("Place order",),
    ),
    "Enter after a text, for a button elsewhere": Case(
        "<form id=o><input id=t></form><button form=o id=place>Go</button>",
        "browser_type", {"target": "#t", "text": "x", "submit": True},
    ),
    # --- keys ---
    "Enter in a field": key(FORM.format(PLACE), "Enter", "place"),
    "Enter in a field whose form begins with another": key(
        FORM.format(f"<button>Save</button>{PLACE}"), "Enter", words=("Save",)
    ),
    "Enter in a field whose first button is disabled": key(
        FORM.format(f"<button disabled>Save</button>{PLACE}"), "Enter", "place",
        not_clicked=("place",),
    ),
    "Enter in a field around which is a component": key(
        f"<form>{component('<input id=t>')}{PLACE}</form>", "Enter", "place",
        not_clicked=("place",),
    ),
    "Enter in a field without a form": key(f"<input id=t>{PLACE}", "Enter"),
    "Enter in a text of several lines": key(
        f"<form><textarea id=t></textarea>{PLACE}</form>", "Enter", "place",
        not_clicked=("place",),
    ),
    "Enter on the control": key("<button id=t class=bottom>Go</button>", "Enter", "bottom"),
    "Enter on a link": key("<a id=t class=bottom href='#x'>Go</a>", "Enter", "bottom"),
    "Enter on what a button holds": key(
        "<button id=place>Go <i tabindex=0 id=t>on</i></button>", "Enter", "place"
    ),
    "Enter on a box to tick presses its form": key(
        f"<form><input type=checkbox id=t>{PLACE}</form>", "Enter", "place"
    ),
    "Enter on nothing": Case(PLACE, "browser_press_key", {"key": "Enter"}, ids=(), words=()),
    "Space on the control": key("<button id=t class=bottom>Go</button>", "Space", "bottom"),
    "Space on a box to tick": key("<input type=checkbox id=t class=bottom>", " ", "bottom"),
    "Space on a round box": key("<input type=radio id=t class=bottom>", "Space", "bottom"),
    "Space on a summary": key(
        "<details><summary id=t class=bottom>Go</summary>x</details>", "Space", "bottom"
    ),
    "Space on a page's own button": key(
        "<div id=t class=bottom role=button tabindex=0>Go</div>", "Space", "bottom",
        not_clicked=("bottom",),
    ),
    "Space in a field": key("<form><input id=t class=bottom><button id=place>Go</button></form>", "Space"),
    "Space in an editor inside a button": key(
        "<button id=place>Go <b id=t contenteditable>x</b></button>", "Space", "place"
    ),
    "a letter on the control": key("<button id=t class=bottom>Go</button>", "p"),
    "Tab on the control": key("<button id=t class=bottom>Go</button>", "Tab"),
    "an access key": key("<input id=t><button id=place accesskey=P>Go</button>", "Alt+p", "place", not_clicked=("place",)),
    "an access key of a label": key(
        f"<input id=t><label accesskey=p for=place>Go</label>{PLACE}", "Alt+p", "place", not_clicked=("place",)
    ),
    "an access key in a component": key(
        f"<input id=t>{component('<button id=place accesskey=p>Go</button>')}", "Alt+p", "place", not_clicked=("place",)
    ),
    "an access key that is no letter": key(
        "<input id=t><button id=place accesskey=1>Go</button>", "Alt+1", "place", not_clicked=("place",)
    ),
    "another access key": key("<input id=t><button id=place accesskey=q>Go</button>", "Alt+p"),
    "an arrow in a group": key(
        "<form><input type=radio name=g id=t checked><input type=radio name=g class=bottom>"
        "</form><input type=radio name=g id=place>",
        "ArrowDown", "bottom",
    ),
    "an arrow in a field": key(FORM.format(PLACE), "ArrowDown"),
}  # fmt: skip


@dataclass
class Call:
    """A tool call on the rig's page, its targets found."""

    rig: Rig
    tool: str
    params: dict[str, Any]
    targets: list[Target] = field(default_factory=list)
    resolutions: list[Resolution] = field(default_factory=list)

    def find(self) -> "Call":
        self.targets = targets_of(self.tool, self.params)
        sought = [target.sought for target in self.targets]
        self.resolutions = calls.resolve_all(self.rig.ref, sought, timeout_s=2, refs={})
        return self

    def hits(self, rules: PageRules | None = RULES) -> list[Hit]:
        return [
            calls.hits(self.rig.ref, resolution, 0, how, rules_for=lambda _: rules)
            for target, resolution in zip(self.targets, self.resolutions, strict=True)
            if (how := press_of(self.tool, self.params, target.name))
        ]

    def ids(self) -> tuple[str, ...]:
        return tuple(sorted({one for hit in self.hits() for one in hit.element_ids}))

    def do(self) -> None:
        picks = [Pick(one, 0) for one in self.resolutions]
        calls.act(self.rig.ref, self.tool, self.params, picks, refs={}, timeout_s=2)


def opened(rig: Rig, server: Site, html: str, *, focus: str = "") -> None:
    rig.open(server.page(f"<!doctype html><body>{RECORD}{html}"))
    if focus:
        rig.ask(lambda tab: tab.page.locator(focus).first.focus())


def called(rig: Rig, tool: str, params: dict[str, Any]) -> Call:
    return Call(rig, tool, params).find()


@pytest.mark.parametrize("name", CASES)
def test_what_is_foreseen_is_what_is_pressed(name: str, rig: Rig, server: Site) -> None:
    case = CASES[name]
    opened(rig, server, case.html, focus=case.focus)
    call = called(rig, case.tool, case.params)
    before = rig.script("[scrollX, scrollY]")
    assert call.ids() == tuple(sorted(case.ids))
    assert rig.script("[scrollX, scrollY]") == before
    if case.words is not None:
        controls = [one for hit in call.hits() for one in hit.controls]
        assert {one.name for one in controls} == set(case.words)
    call.do()
    clicked = set(rig.script("window.clicked"))
    foreseen = set(case.ids) - set(case.not_clicked)
    assert clicked == {one.rpartition(".")[2] for one in foreseen}


def hit_of(rig: Rig, target: str, rules: PageRules | None = RULES) -> Hit:
    (hit,) = called(rig, "browser_click", {"target": target}).hits(rules)
    return hit


# --- rules and rows ----------------------------------------------------------------------
def test_several_rules_may_name_one_control(rig: Rig, server: Site) -> None:
    opened(rig, server, "<div class=line><button id=place class='bottom remove'>Go</button></div>")
    assert hit_of(rig, "#place").element_ids == ("place", "bottom", "item[0].remove")


def test_rows_are_counted_through_components_and_hidden_ones_too(rig: Rig, server: Site) -> None:
    line = "<p class=line {}><button class=remove {}>Remove</button>"
    inside = line.format("hidden", "") + line.format("", "id=second")
    opened(rig, server, f"{line.format('', '')}{component(inside)}{line.format('', 'id=last')}")
    assert hit_of(rig, "#second").element_ids == ("item[2].remove",)
    assert hit_of(rig, "#last").element_ids == ("item[3].remove",)


def test_a_control_outside_of_all_rows_is_one_of_its_kind_still(rig: Rig, server: Site) -> None:
    opened(rig, server, f"{TABLE}<button class=remove id=t>Remove</button>")
    assert hit_of(rig, "#t").element_ids == ("item[3].remove",)


BAD = ("##", ":has(", "", "a[", "text=Place order", "button >> nth=0", "x" * 20_000 + "[")


@pytest.mark.parametrize("bad", BAD)
def test_a_rule_that_cannot_be_read_matches_nothing(bad: str, rig: Rig, server: Site) -> None:
    opened(rig, server, PLACE)
    rules = PageRules(
        (("BAD", bad or "##"), ("HERE", "#place")),
        (ElementRule("bad", bad), ElementRule("row[N]", "#place", bad), ElementRule("place", "#place")),
    )  # fmt: skip
    hit = hit_of(rig, "#place", rules)
    assert hit.element_ids[-1] == "place"
    assert "bad" not in hit.element_ids
    assert hit.screen_id == "HERE"


def test_without_rules_the_control_is_still_told(rig: Rig, server: Site) -> None:
    opened(rig, server, "<button>Delete <i id=t>x</i></button>")
    hit = hit_of(rig, "#t", None)
    assert (hit.screen_id, hit.element_ids) == ("", ())
    assert [(one.tag, one.role, one.name) for one in hit.controls] == [
        ("button", "button", "Delete x")
    ]


# --- screens -----------------------------------------------------------------------------
def screen_of(rig: Rig, *screens: tuple[str, str]) -> str:
    return calls.screen(rig.ref, rules_for=lambda _: PageRules(screens))


def test_the_first_screen_that_is_present_names_the_page(rig: Rig, server: Site) -> None:
    opened(rig, server, "<p id=a></p><p id=b></p>")
    assert screen_of(rig, ("C", "#c"), ("B", "#b"), ("A", "#a")) == "B"
    assert screen_of(rig, ("C", "#c"), ("ANY", ""), ("A", "#a")) == "ANY"
    assert screen_of(rig, ("C", "#c")) == ""
    assert screen_of(rig) == ""
    assert calls.screen(rig.ref, rules_for=lambda _: None) == ""


def test_a_screen_may_be_told_by_what_a_component_holds(rig: Rig, server: Site) -> None:
    opened(rig, server, component(component("<p id=review>", tag="x-inner")))
    assert screen_of(rig, ("REVIEW", "#review")) == "REVIEW"


# --- documents ---------------------------------------------------------------------------
def by_path(**rules: PageRules) -> Any:
    """Rules by the last step of a page's path."""
    return lambda url: rules.get(url.rpartition("/")[2])


def named(name: str) -> PageRules:
    return PageRules(((name, ""),), (ElementRule(name, "#t"),))


@pytest.mark.parametrize("kind", ["same site", "another site"])
def test_the_document_that_holds_the_control_chooses_the_rules(
    kind: str, rig: Rig, server: Site
) -> None:
    inner = server.page(f"{FAR}<div id=t><button>Go</button></div>", "/inner")
    if kind == "another site":
        inner = inner.replace("127.0.0.1", "localhost")
    url = server.page(f"<div style='height:2000px'></div><iframe src='{inner}'></iframe>", "/outer")
    rig.open(url)
    call = called(rig, "browser_click", {"target": "#t"})
    rules_for = by_path(inner=named("INNER"), outer=named("OUTER"))
    how = press_of(call.tool, call.params, "target")
    assert how
    hit = calls.hits(rig.ref, call.resolutions[0], 0, how, rules_for=rules_for)
    assert (hit.url, hit.screen_id, hit.element_ids) == (inner, "INNER", ("INNER",))
    assert calls.screen(rig.ref, rules_for=rules_for) == "OUTER"


def test_a_document_written_by_its_page_is_under_the_rules_of_that(rig: Rig, server: Site) -> None:
    rig.open(server.page("<iframe srcdoc='<button id=t>Go</button>'></iframe>", "/outer"))
    call = called(rig, "browser_click", {"target": "#t"})
    how = press_of(call.tool, call.params, "target")
    assert how
    rules_for = by_path(outer=named("OUTER"))
    hit = calls.hits(rig.ref, call.resolutions[0], 0, how, rules_for=rules_for)
    assert (hit.url.rpartition("/")[2], hit.element_ids) == ("outer", ("OUTER",))


def test_a_point_in_a_frame_is_one_of_the_page(rig: Rig, server: Site) -> None:
    html = "<iframe style='margin:100px;border:9px solid' srcdoc='<button id=place>Go</button>'>"
    opened(rig, server, html)
    (hit,) = called(rig, "browser_mouse_click_xy", {"x": 135.0, "y": 135.0}).hits()
    assert hit.element_ids == ("place",)


def test_a_page_that_gave_itself_another_address_is_judged_by_that(rig: Rig, server: Site) -> None:
    rig.open(server.page("<button id=t>Go</button>", "/one"))
    call = called(rig, "browser_click", {"target": "#t"})
    by = by_path(one=named("ONE"), two=named("TWO"))

    def rules_for(url: str) -> PageRules | None:
        rig.script("history.pushState(0, '', '/two')")
        rules: PageRules | None = by(url)
        return rules

    how = press_of(call.tool, call.params, "target")
    assert how
    hit = calls.hits(rig.ref, call.resolutions[0], 0, how, rules_for=rules_for)
    assert hit.url.endswith("/two")
    assert (hit.screen_id, hit.element_ids) == ("TWO", ("TWO",))


def test_a_page_that_changes_its_address_for_ever_is_refused(rig: Rig, server: Site) -> None:
    rig.open(server.page("<button id=t>Go</button>"))
    call = called(rig, "browser_click", {"target": "#t"})

    def rules_for(url: str) -> PageRules:
        rig.script("history.pushState(0, '', `/${Math.random()}`)")
        return named(url)

    how = press_of(call.tool, call.params, "target")
    assert how
    with pytest.raises(Detached):
        calls.hits(rig.ref, call.resolutions[0], 0, how, rules_for=rules_for)


def test_an_element_that_left_is_refused(rig: Rig, server: Site) -> None:
    opened(rig, server, "<button id=t>Go</button>")
    call = called(rig, *CLICK)
    rig.script("document.querySelector('#t').remove()")
    with pytest.raises(Detached):
        call.hits()


# --- hostile pages -----------------------------------------------------------------------
LIES = """<script>
for (const kind of [Node, Element, HTMLElement, HTMLLabelElement, Document, DocumentFragment]) {
  for (const name of Object.getOwnPropertyNames(kind.prototype)) {
    if (name === "constructor") continue;
    try { Object.defineProperty(kind.prototype, name, {get: () => () => null}); } catch {}
  }
}
Array.prototype.map = Array.prototype.flatMap = Array.prototype.find = () => [];
String.prototype.replaceAll = () => "lie"; Set.prototype.add = () => 0;
</script>"""
NAMES = [
    "matches",
    "closest",
    "parentNode",
    "parentElement",
    "nodeType",
    "id",
    "className",
    "classList",
    "localName",
    "control",
    "form",
    "elements",
    "type",
    "shadowRoot",
    "assignedSlot",
    "getAttribute",
    "getRootNode",
    "querySelector",
    "querySelectorAll",
    "scrollTo",
    "scrollLeft",
    "isConnected",
    "children",
]
CLOBBERED = f"""<form id=f>{"".join(f"<input type=hidden name={name}>" for name in NAMES)}
{"".join(f"<img name={name}>" for name in ("documentElement", "querySelectorAll", "URL", "body"))}
<p class=line><button class=remove><i id=t>Remove</i></button> <input id=field></form>"""


def test_a_page_that_lies_to_its_own_scripts_does_not_lie_to_us(rig: Rig, server: Site) -> None:
    rig.open(server.page(f"{TABLE}<label for=place><b id=t>Go</b></label>{PLACE}{LIES}"))
    assert hit_of(rig, "#r2").element_ids == ("item[2].remove",)
    assert hit_of(rig, "#t").element_ids == ("place",)


def test_fields_named_like_properties_hide_nothing(rig: Rig, server: Site) -> None:
    opened(rig, server, CLOBBERED)
    assert hit_of(rig, "#t").element_ids == ("item[0].remove",)
    (hit,) = called(rig, "browser_type", {"target": "#field", "text": "x", "submit": True}).hits()
    assert hit.element_ids == ("item[0].remove",)
    form = PageRules((("FORM", "#f"),), (ElementRule("form", "form#f"),))
    assert hit_of(rig, "#t", form).element_ids == ("form",)


def test_an_element_taken_from_another_document_is_known(rig: Rig, server: Site) -> None:
    inside = "<p class=line><button class=remove><i id=t>Remove</i></button></p>"
    opened(rig, server, f'<iframe srcdoc="{inside}"></iframe><label id=l for=place>Go</label>')
    hit_of(rig, "#t")
    rig.script("document.body.append(frames[0].document.querySelector('.line')); 0")
    assert hit_of(rig, "#t").element_ids == ("item[0].remove",)


def test_a_closed_component_is_known_by_what_holds_it(rig: Rig, server: Site) -> None:
    opened(rig, server, "<x-part id=place style='display:block'></x-part>")
    rig.script(
        "document.querySelector('x-part').attachShadow({mode: 'closed'}).innerHTML ="
        " '<button>Go</button>'"
    )
    assert hit_of(rig, "#place").element_ids == ("place",)


def test_the_look_at_what_is_out_of_view_moves_nothing(rig: Rig, server: Site) -> None:
    opened(
        rig,
        server,
        f"<style>html{{scroll-behavior:smooth}}</style><div id=box style='height:90px;overflow:auto'>"
        f"{FAR}<div id=t>{PLACE}</div>{FAR}</div>{FAR}<div id=last>{PLACE}</div>",
    )
    rig.script(
        "window.seen = []; new IntersectionObserver((all) => all.forEach((one) =>"
        " one.isIntersecting && seen.push(one.target.id))).observe(document.querySelector('#last'));"
        "scrollTo({top: 77, behavior: 'instant'})"
    )
    hit_of(rig, "#t")
    hit_of(rig, "#last")
    rig.ask(lambda tab: tab.page.wait_for_timeout(200))
    assert rig.script("[scrollY, document.querySelector('#box').scrollTop, seen]") == [77, 0, []]


# --- what nobody judged ------------------------------------------------------------------
FORBIDDEN = ("##", "#place", ".bottom")
WRAPPER = """<div id=t style='width:200px;height:60px;position:relative'>Order</div><script>
const wrapper = document.querySelector("#t");
wrapper.addEventListener("%s", () => {
  wrapper.innerHTML = "<button id=place style='position:absolute;inset:0'>Place</button>";
  wrapper.firstChild.onmousedown = wrapper.firstChild.onclick = () => (window.heard = [1]);
});
</script>"""


def acted(call: Call, forbidden: tuple[str, ...] = FORBIDDEN) -> None:
    acted_under(call, lambda _: forbidden)


def acted_under(call: Call, forbidden_for: ForbiddenFor) -> None:
    picks = [Pick(one, 0) for one in call.resolutions]
    how: dict[str, Any] = {"refs": {}, "timeout_s": 2, "forbidden_for": forbidden_for}
    calls.act(call.rig.ref, call.tool, call.params, picks, **how)


def assert_stopped(rig: Rig, call: Call) -> None:
    """It could not be foreseen, and the page heard of no press."""
    assert call.ids() == ()
    with pytest.raises(BrowserError) as stopped:
        acted(call)
    assert stopped.value.code == "unforeseen"
    assert rig.script("[...window.clicked, ...(window.heard ?? [])]") == []


def on(rig: Rig, event: str, target: str, does: str) -> None:
    """Once only, as the page's own script; `does` says what, of `element`."""
    rig.script(
        f"void ((element) => element.addEventListener('{event}', () => {{ {does} }}, {{once: true}}))"
        f"(document.querySelector('{target}'))"
    )


@pytest.mark.parametrize("event", ["pointermove", "pointerdown"])
def test_a_control_that_comes_under_the_pointer_is_not_pressed(
    event: str, rig: Rig, server: Site
) -> None:
    opened(rig, server, WRAPPER % event)
    assert_stopped(rig, called(rig, *CLICK))


def test_enter_presses_no_button_that_took_the_place_of_another(rig: Rig, server: Site) -> None:
    opened(rig, server, "<form><input id=f><button id=t>Search</button></form>")
    on(rig, "keydown", "#f", "document.querySelector('#t').id = 'place'")
    on(rig, "submit", "form", "window.heard = [1]")
    params = {"target": "#f", "text": "x", "submit": True}
    assert_stopped(rig, called(rig, "browser_type", params))


def test_a_key_presses_no_control_that_became_another(rig: Rig, server: Site) -> None:
    opened(rig, server, "<button id=t>Go</button>", focus="#t")
    on(rig, "keydown", "#t", "element.id = 'place'")
    assert_stopped(rig, called(rig, "browser_press_key", {"key": "Space"}))


def test_a_label_that_was_given_to_another_control_does_not_press_it(
    rig: Rig, server: Site
) -> None:
    opened(rig, server, f"<label id=t for=c>Yes</label><input type=checkbox id=c>{PLACE}")
    rig.script("document.querySelector('#place').onclick = () => (window.heard = [1]), 0")
    on(rig, "mousedown", "#t", "element.htmlFor = 'place'")
    assert_stopped(rig, called(rig, *CLICK))


def test_a_box_to_tick_that_became_another_stops_the_form(rig: Rig, server: Site) -> None:
    opened(rig, server, "<input type=checkbox id=t><input id=f>")
    on(rig, "mousemove", "#t", "element.className = 'bottom'")
    fields = [{"target": "#t", "value": True}, {"target": "#f", "value": "x"}]
    assert_stopped(rig, called(rig, "browser_fill_form", {"fields": fields}))


def test_what_was_judged_is_pressed(rig: Rig, server: Site) -> None:
    opened(rig, server, PLACE)
    acted(called(rig, "browser_click", {"target": "#place"}), ("##", ".bottom"))
    assert rig.script("window.clicked") == ["place"]


@pytest.mark.parametrize("name", ["Tab", "p"])
def test_a_key_that_presses_nothing_may_be_struck_on_what_is_forbidden(
    name: str, rig: Rig, server: Site
) -> None:
    opened(rig, server, "<button id=t class=bottom>Go</button>", focus="#t")
    acted(called(rig, "browser_press_key", {"key": name}))


def test_a_drag_over_what_is_forbidden_goes_on(rig: Rig, server: Site) -> None:
    opened(rig, server, f"<p id=a draggable=true>from</p><p>{PLACE}<p id=b>to</p>")
    acted(called(rig, "browser_drag", {"startTarget": "#a", "endTarget": "#b"}))


def test_each_document_forbids_by_its_own_address(rig: Rig, server: Site) -> None:
    inner = server.page(f"{RECORD}<div id=t><button class=bottom>Go</button></div>", "/inner")
    inner = inner.replace("127.0.0.1", "localhost")
    rig.open(server.page(f"{RECORD}<iframe src='{inner}'></iframe>", "/outer"))
    call = called(rig, "browser_click", {"target": "#t button"})
    with pytest.raises(Unforeseen):
        acted_under(call, lambda url: FORBIDDEN if url == inner else ())
    acted_under(call, lambda url: () if url == inner else FORBIDDEN)
