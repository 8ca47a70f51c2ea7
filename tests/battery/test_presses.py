"""Which control a call really presses, foreseen on real pages and then done there."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from browser import calls
from browser.calls import ElementRule, Hit, PageRules, Pick, press_of
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
