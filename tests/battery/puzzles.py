"""Small pages with one difficulty each, and what is right: the element marked `data-right`.

`{here}` and `{there}` stand for two hosts of one server: frames of the other are cross-origin.
"""

from dataclasses import dataclass, field

NO_MATCH = "ambiguous"  # the level of nothing; the pipeline answers `no_match`


@dataclass(frozen=True)
class Puzzle:
    """`starred`: the layer itself is sure which one (chosen_index). Else the first visible match is
    what an ungated call would act on. Both must be the marked element; `match_count` 0: none is."""

    difficulty: str
    target: str
    html: str
    level: str = "high"
    match_count: int = 1
    total_count: int | None = None  # None: the same as match_count
    starred: bool = True
    enabled: bool = True
    in_viewport: bool = True
    covered_by: str = ""
    files: dict[str, str] = field(default_factory=dict)
    before: str = ""  # a script of the page's own, run just before resolving
    name: str | None = None
    text_only: bool | None = None
    races_the_clock: bool = False  # a busy machine may be late itself: tried again then

    @property
    def slug(self) -> str:
        return "-".join("".join(c if c.isalnum() else " " for c in self.difficulty).split())


def hidden(difficulty: str, target: str, html: str, *, total_count: int = 1) -> Puzzle:
    """Nothing that a person could see matches."""
    return Puzzle(difficulty, target, html, NO_MATCH, 0, total_count, starred=False)


def unsure(difficulty: str, target: str, html: str, **more: object) -> Puzzle:
    """Two alike: a person decides."""
    return Puzzle(difficulty, target, html, "partial", 2, starred=False, **more)  # type: ignore


SHADOW = """<script>
customElements.define("x-box", class extends HTMLElement {
  connectedCallback() {
    const inside = this.querySelector("template");
    this.attachShadow({ mode: this.dataset.mode ?? "open" }).append(inside.content.cloneNode(true));
  }
});
</script>"""

SHADOW_ROOTS = [
    Puzzle(
        "an open shadow root",
        "text=Save",
        "<x-box><template><button data-right>Save</button></template></x-box>" + SHADOW,
    ),
    Puzzle(
        "shadow roots in shadow roots",
        "#save",
        "<x-box><template><p>outer</p><x-box><template><button id=save data-right>Save</button>"
        "</template></x-box></template></x-box>" + SHADOW,
    ),
    Puzzle(
        "an id in the page and the same id in a shadow root",
        "#save",
        "<button id=save data-right>Save</button>"
        "<x-box><template><button id=save>Save too</button></template></x-box>" + SHADOW,
        "partial",
        2,
        starred=False,
    ),
    Puzzle(
        "an element in a slot",
        "role=button[name='Save']",
        "<x-box><template><div><slot></slot></div></template><button data-right>Save</button>"
        "</x-box>" + SHADOW,
    ),
    Puzzle(
        "a name that comes from a slot",
        "x-box button",
        "<x-box>Pay now<template><button data-right><slot></slot></button></template></x-box>"
        + SHADOW,
        name="Pay now",
    ),
    hidden(
        "what no slot shows",
        "text=Save",
        "<x-box><template><p>closed shop</p></template><button>Save</button></x-box>" + SHADOW,
    ),
    hidden(
        "a closed shadow root",
        "text=Save",
        "<x-box data-mode=closed><template><button>Save</button></template></x-box>" + SHADOW,
        total_count=0,
    ),
    Puzzle(
        "an inner document's XPath beside a shadow root",
        "//button[@id='save']",
        "<x-box><template><button id=save>Inside</button></template></x-box>"
        "<button id=save data-right>Outside</button>" + SHADOW,
    ),
]

INNER = "<button id=pay data-right>Pay</button>"
FRAMES = [
    Puzzle(
        "an iframe of the same site",
        "#pay",
        "<iframe src=inner></iframe>",
        files={"inner": INNER},
    ),
    Puzzle(
        "an iframe of another site",
        "#pay",
        "<iframe src=http://{there}inner></iframe>",
        files={"inner": INNER},
    ),
    Puzzle(
        "an iframe of another site with a border and a padding",
        "#pay",
        "<div style='margin:40px'><iframe style='border:30px solid;padding:12px' "
        "src=http://{there}inner></iframe></div>",
        files={"inner": INNER},
    ),
    Puzzle(
        "iframes in iframes across sites",
        "#pay",
        "<iframe src=http://{there}middle></iframe>",
        files={"middle": "<iframe src=http://{here}inner></iframe>", "inner": INNER},
    ),
    Puzzle(
        "a late iframe",
        "#pay",
        "<p>wait for it</p>",
        before="setTimeout(() => document.body.append(Object.assign("
        "document.createElement('iframe'), {srcdoc: '<button id=pay data-right>Pay</button>'})), 300)",
    ),
    Puzzle(
        "a sandboxed iframe",
        "#pay",
        "<iframe sandbox src=inner></iframe>",
        files={"inner": INNER},
    ),
    Puzzle(
        "a sandboxed iframe written into the page",
        "#pay",
        "<iframe sandbox='allow-scripts' srcdoc='<button id=pay data-right>Pay</button>'></iframe>",
    ),
    hidden(
        "an iframe that is not displayed",
        "#pay",
        "<iframe style=display:none srcdoc='<button id=pay>Pay</button>'></iframe>",
    ),
    hidden(
        "an invisible iframe",
        "#pay",
        "<iframe style=visibility:hidden srcdoc='<button id=pay>Pay</button>'></iframe>",
    ),
    Puzzle(
        "an invisible iframe of another site",
        "#pay",
        "<iframe style=visibility:hidden src=http://{there}inner></iframe>",
        NO_MATCH,
        0,
        1,
        starred=False,
        files={"inner": INNER},
    ),
    hidden(
        "an iframe without a size",
        "#pay",
        "<iframe width=0 height=0 frameborder=0 srcdoc='<button id=pay>Pay</button>'></iframe>",
    ),
    Puzzle(
        "a hidden iframe's twin",
        "text=Pay",
        "<iframe style=visibility:hidden srcdoc='<button>Pay</button>'></iframe>"
        "<button data-right>Pay</button>",
        total_count=2,
    ),
    unsure(
        "the same button in the page and in an iframe",
        "#pay",
        "<button id=pay data-right>Pay</button><iframe srcdoc='<button id=pay>Pay</button>'></iframe>",
    ),
    Puzzle(
        "an iframe under an overlay of the page",
        "#pay",
        "<iframe srcdoc='<button id=pay data-right>Pay</button>'></iframe>"
        "<div id=veil style='position:fixed;inset:0;background:#0008'>Please wait</div>",
        covered_by="div",
    ),
    Puzzle(
        "an iframe below the fold",
        "#pay",
        "<iframe style='margin-top:3000px' srcdoc='<button id=pay data-right>Pay</button>'></iframe>",
        in_viewport=False,
    ),
    Puzzle(
        "an iframe that is made anew all the time",
        "#pay",
        "<div id=box></div>",
        before='setInterval(() => box.innerHTML = \'<iframe srcdoc="<button id=no>No</button>">'
        "</iframe>', 30); document.body.insertAdjacentHTML('beforeend', "
        "'<button id=pay data-right>Pay</button>')",
    ),
]

LATE = "setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button data-right>Go</button>'), {})"
TIME = [
    Puzzle(
        "after 900 ms it is not late",
        "text=Go",
        "<p>wait",
        before=LATE.format(900),
        races_the_clock=True,
    ),
    Puzzle("after 1100 ms it is late", "text=Go", "<p>wait", "partial", before=LATE.format(1100)),
    Puzzle(
        "late but anchored",
        "[role=button]",
        "<p>wait",
        before=LATE.format(1100).replace("data-right", "role=button data-right"),
    ),
    Puzzle(
        "hidden at first",
        "#go",
        "<button id=go style=display:none data-right>Go</button>",
        before="setTimeout(() => document.getElementById('go').style.display = '', 200)",
    ),
    Puzzle(
        "a twin that comes one frame later",
        "text=Go",
        "<p>wait",
        "partial",
        2,
        starred=False,
        before="setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<button data-right>Go"
        "</button>'); requestAnimationFrame(() => document.body.insertAdjacentHTML('beforeend', "
        "'<button>Go</button>')) }, 100)",
    ),
    Puzzle(
        "a modal that opens one frame later",
        "#go",
        "<button id=go data-right>Go</button><dialog>Cookies?</dialog>",
        covered_by="dialog",
        before="setTimeout(() => requestAnimationFrame(() => document.querySelector('dialog').showModal()), 0)",
    ),
    Puzzle(
        "rendered anew in every frame",
        "#go",
        "<div id=box></div>",
        before="(function again() { box.innerHTML = '<button id=go data-right>Go</button>'; "
        "requestAnimationFrame(again) })()",
    ),
    Puzzle(
        "never at rest",
        "#go",
        "<style>@keyframes walk { to { transform: translateX(300px) } }"
        "#go { animation: walk 1s infinite alternate }</style><button id=go data-right>Go</button>",
    ),
    Puzzle(
        "a page that leaves while it loads",
        "#go",
        "<button id=no>No</button><script>location.replace('second')</script>",
        files={"second": "<button id=go data-right>Go</button>"},
    ),
    Puzzle(
        "a page that leaves after it loaded",
        "#go",
        "<button id=no>No</button>",
        files={"second": "<button id=go data-right>Go</button>"},
        before="setTimeout(() => location.href = 'second', 50)",
    ),
    Puzzle(
        "a slow first paint",
        "#go",
        "<script>const end = Date.now() + 400; while (Date.now() < end);</script>"
        "<button id=go data-right>Go</button>",
    ),
    Puzzle(
        "5,000 rows",
        "text='Open 4711'",
        "<table id=t></table><script>t.innerHTML = Array.from({length: 5000}, (_, i) => "
        "`<tr><td><button ${i == 4711 ? 'data-right' : ''}>Open ${i}</button>`).join('')</script>",
        in_viewport=False,
    ),
    Puzzle(
        "5,000 alike",
        "text=Open",
        "<table id=t></table><script>t.innerHTML = Array.from({length: 5000}, (_, i) => "
        "`<tr><td><button ${i ? '' : 'data-right'}>Open</button>`).join('')</script>",
        "ambiguous",
        5000,
        starred=False,
    ),
    Puzzle(
        "a list that renders what is in view only",
        "text='Row 9'",
        "<div id=list style='height:200px;overflow:auto'><div style='height:50000px'></div></div><script>"
        "for (let i = 0; i < 10; i++) list.firstChild.insertAdjacentHTML('beforeend', "
        "`<p ${i == 9 ? 'data-right' : ''} style='margin:0;height:18px'>Row ${i}</p>`)</script>",
    ),
]

NAMES = [
    Puzzle(
        "a label in front",
        "role=textbox[name='E-mail']",
        "<label for=m>E-mail</label><input id=m data-right>",
        name="E-mail",
    ),
    Puzzle(
        "a label around",
        'internal:label="Town"i',
        "<label>Town <input data-right></label>",
        name="Town",
    ),
    Puzzle(
        "named by another element",
        "role=button[name='Delete invoice 7']",
        "<span id=a>Delete</span><span id=b>invoice 7</span>"
        "<button aria-labelledby='a b' data-right>x</button><button>x</button>",
        name="Delete invoice 7",
    ),
    Puzzle(
        "named by a hidden element",
        "role=button[name='Delete all']",
        "<span id=a hidden>Delete <b>all</b></span><button aria-labelledby=a data-right>x</button>",
        name="Delete all",
    ),
    Puzzle("aria-label", "[aria-label='Close']", "<button aria-label=Close data-right>×</button>"),
    Puzzle(
        "title",
        "role=button[name='Print']",
        "<button title=Print data-right></button>",
        name="Print",
    ),
    Puzzle(
        "a picture's alt text",
        "role=link[name='Home']",
        "<a href=/ data-right><img alt=Home width=20 height=20></a>",
        name="Home",
    ),
    Puzzle(
        "placeholder",
        'internal:attr=[placeholder="Search"i]',
        "<input placeholder=Search data-right>",
        name="Search",
        text_only=True,
    ),
    Puzzle(
        "a name that a style adds to",
        "button.star",
        "<style>.star::before { content: '★' / 'Favourite' }</style>"
        "<button class=star data-right> list</button>",
        name="Favourite list",
    ),
    Puzzle(
        "part of the name is hidden from assistive tools",
        "role=button[name='Save']",
        "<button data-right><i aria-hidden=true>icon</i> Save</button>",
        name="Save",
    ),
    Puzzle(
        "hidden from assistive tools",
        "css=button >> text=Save",
        "<div aria-hidden=true><button data-right>Save</button></div>",
    ),
    hidden(
        "a role that assistive tools do not see",
        "role=button[name='Save']",
        "<div aria-hidden=true><button>Save</button></div>",
        total_count=0,
    ),
    Puzzle(
        "a button that says it is none",
        "text=Save",
        "<button role=presentation tabindex=-1 data-right>Save</button>",
    ),
    Puzzle(
        "duplicated ids in a label",
        "role=textbox[name='First']",
        "<label for=x>First</label><input id=x data-right><label for=y>Second</label><input id=y>",
        name="First",
    ),
    Puzzle(
        "a search field's name",
        "role=searchbox",
        "<input type=search aria-label=Find data-right>",
        name="Find",
    ),
    Puzzle(
        "a field with a value in a label",
        "role=checkbox",
        "<label><input type=checkbox data-right> Remind me in <input value=3 size=1> days</label>",
        name="Remind me in 3 days",
    ),
]

VISIBILITY = [
    Puzzle(
        "display contents",
        "#go",
        "<button id=go style=display:contents data-right>Go</button>",
    ),
    hidden("zero size", "#go", "<div id=go style='width:0;height:0;overflow:hidden'>Go</div>"),
    hidden("visibility hidden", "#go", "<button id=go style=visibility:hidden>Go</button>"),
    Puzzle(
        "visible inside what is not",
        "#go",
        "<div style=visibility:hidden><button id=go style=visibility:visible data-right>Go</button></div>",
    ),
    Puzzle("opacity 0", "#go", "<input type=checkbox id=go style=opacity:0 data-right>"),
    Puzzle(
        "off the screen",
        "#go",
        "<button id=go style='position:absolute;left:-9999px' data-right>Go</button>",
        in_viewport=False,
    ),
    Puzzle(
        "below the fold",
        "#go",
        "<button id=go style='margin-top:4000px' data-right>Go</button>",
        in_viewport=False,
    ),
    Puzzle(
        "clipped away",
        "#go",
        "<div style='height:0;overflow:hidden'><button id=go data-right>Go</button></div><p>text",
        covered_by="*",
    ),
    Puzzle(
        "a clipped twin",
        "text=Go",
        "<div style='height:0;overflow:hidden'><button>Go</button></div><br><br><button data-right>Go</button>",
        "partial",
        2,
    ),
    Puzzle(
        "scrolled out of its box",
        "#go",
        "<div style='height:60px;overflow:auto'><p style='height:600px'>text</p>"
        "<button id=go data-right>Go</button></div><p>below</p>",
        covered_by="*",
    ),
    hidden(
        "content-visibility hidden",
        "#go",
        "<div style=content-visibility:hidden><button id=go>Go</button></div>",
    ),
    Puzzle(
        "content-visibility auto below the fold",
        "#go",
        "<p style='height:4000px'></p><div style='content-visibility:auto'><button id=go data-right>Go"
        "</button></div>",
        in_viewport=False,
    ),
    hidden("the hidden attribute", "#go", "<div hidden><button id=go>Go</button></div>"),
    hidden("hidden until found", "#go", "<div hidden=until-found><button id=go>Go</button></div>"),
    hidden(
        "closed details",
        "#go",
        "<details><summary>More</summary><button id=go>Go</button></details>",
    ),
    Puzzle(
        "open details",
        "#go",
        "<details open><summary>More</summary><button id=go data-right>Go</button></details>",
    ),
    Puzzle(
        "a hidden twin comes first",
        "text=Submit",
        "<button style=display:none>Submit</button><button data-right>Submit</button>",
        total_count=2,
    ),
    hidden("a template", "text=Go", "<template><button>Go</button></template>", total_count=0),
    Puzzle(
        "script and noscript",
        "text=Order now",
        "<noscript>Order now</noscript><script>'Order now'</script><button data-right>Order now</button>",
    ),
    hidden("a canvas's fallback", "#go", "<canvas><button id=go>Go</button></canvas>"),
    Puzzle(
        "a closed popover",
        "text=Go",
        "<div popover><button>Go</button></div><button data-right>Go</button>",
        total_count=2,
    ),
    hidden("a closed dialog", "#go", "<dialog><button id=go>Go</button></dialog>"),
]

REACH = [
    Puzzle(
        "under an overlay",
        "#go",
        "<button id=go data-right>Go</button><div style='position:fixed;inset:0'>Loading</div>",
        covered_by="div",
    ),
    Puzzle(
        "under a sticky header",
        "#go",
        "<header style='position:sticky;top:0;height:80px;background:#fff'>Shop</header>"
        "<button id=go data-right style='margin-top:-60px;display:block'>Go</button>"
        "<p style='height:3000px'>",
        covered_by="header",
    ),
    Puzzle(
        "under what lets presses through",
        "#go",
        "<button id=go data-right>Go</button>"
        "<div style='position:fixed;inset:0;pointer-events:none'>Sparkles</div>",
    ),
    Puzzle(
        "pointer-events none",
        "#go",
        "<main><button id=go style=pointer-events:none data-right>Go</button></main>",
        covered_by="*",
    ),
    Puzzle(
        "one of two is covered",
        "text=Go",
        "<div style='position:relative'><button>Go</button>"
        "<div style='position:absolute;inset:0;background:#fff'></div></div><button data-right>Go</button>",
        "partial",
        2,
    ),
    Puzzle("disabled", "#go", "<button id=go disabled data-right>Go</button>", enabled=False),
    Puzzle(
        "one of two is disabled",
        "text=Go",
        "<button disabled>Go</button><button data-right>Go</button>",
        "partial",
        2,
    ),
    Puzzle(
        "a disabled fieldset",
        "#go",
        "<fieldset disabled><button id=go data-right>Go</button></fieldset>",
        enabled=False,
    ),
    Puzzle(
        "the legend of a disabled fieldset",
        "#go",
        "<fieldset disabled><legend><button id=go data-right>Go</button></legend></fieldset>",
    ),
    Puzzle(
        "aria-disabled",
        "#go",
        "<div id=go role=button aria-disabled=true data-right>Go</div>",
        enabled=False,
    ),
    Puzzle(
        "inside what is aria-disabled",
        "#go",
        "<div role=toolbar aria-disabled=true><button id=go data-right>Go</button></div>",
        enabled=False,
    ),
    Puzzle(
        "inert",
        "#go",
        "<div inert><button id=go data-right>Go</button></div>",
        enabled=False,
        covered_by="*",
    ),
    Puzzle(
        "inert around a shadow root",
        "#go",
        "<div inert><x-box><template><button id=go data-right>Go</button></template></x-box></div>"
        + SHADOW,
        enabled=False,
        covered_by="*",
    ),
    Puzzle(
        "behind a modal dialog",
        "#go",
        "<button id=go data-right>Go</button><dialog id=d>Sure?</dialog><script>d.showModal()</script>",
        covered_by="dialog",
    ),
    Puzzle(
        "in a modal dialog, with a twin behind it",
        "text=Yes",
        "<button>Yes</button><dialog id=d><button data-right>Yes</button></dialog><script>d.showModal()</script>",
        "partial",
        2,
    ),
    Puzzle(
        "in a popover in the top layer",
        "text=Yes",
        "<div id=p popover><button data-right>Yes</button></div>"
        "<div style='position:fixed;inset:0;z-index:9999'></div><script>p.showPopover()</script>",
    ),
    Puzzle(
        "a label around a hidden checkbox",
        "text=I agree",
        "<label data-right><input type=checkbox style=display:none> I agree</label>",
    ),
    Puzzle(
        "a checkbox under its label's drawing",
        "#c",
        "<label style='position:relative;display:inline-block'><input id=c type=checkbox data-right "
        "style='opacity:0;width:20px;height:20px'><span style='position:absolute;inset:0;"
        "background:#ccc'></span></label>",
    ),
    Puzzle(
        "a link that stretches over its card",
        "text=Read",
        "<article style='position:relative;padding:30px'><h2>News</h2><a href=# data-right>Read"
        "<span style='position:absolute;inset:0'></span></a></article>",
    ),
    Puzzle(
        "a link broken over two lines",
        "text=terms and conditions",
        "<div style='width:90px'>See our <a href=# data-right>terms and conditions</a> here</div>",
    ),
]

KINDS = [
    Puzzle(
        "two bodies",
        "text=Go",
        "<button>No</button><script>document.documentElement.append(document.createElement('body'));"
        "document.documentElement.lastChild.innerHTML = '<button data-right>Go</button>'</script>",
    ),
    Puzzle(
        "a link in an SVG",
        "role=link[name='Chart']",
        "<svg width=90 height=40><a href=# data-right><title>Chart</title><text y=20>bars</text></a></svg>",
        name="Chart",
    ),
    Puzzle(
        "an SVG drawn by use",
        "use",
        "<svg width=0 height=0><defs><rect id=r width=20 height=20></defs></svg>"
        "<svg width=30 height=30><use href=#r data-right></svg>",
    ),
    Puzzle(
        "an SVG's title",
        "role=img[name='Logo']",
        "<svg role=img width=30 height=30 data-right><title>Logo</title><rect width=30 height=30></svg>",
        name="Logo",
    ),
    Puzzle(
        "contenteditable",
        "[contenteditable]",
        "<div contenteditable aria-label=Note data-right>Dear</div>",
        name="Note",
    ),
    Puzzle(
        "an area of a picture",
        "area[alt='North']",
        "<img usemap=#m width=200 height=100 alt=Map src='data:image/svg+xml,<svg xmlns=\"http://"
        'www.w3.org/2000/svg" width="200" height="100"/>\'><map name=m>'
        "<area alt=North href=#n coords=0,0,200,50 shape=rect data-right>"
        "<area alt=South href=#s coords=0,50,200,100 shape=rect></map>",
        name="North",
    ),
    Puzzle(
        "a select of one's own",
        "role=option[name='Blue']",
        "<div role=combobox tabindex=0 aria-expanded=true>Colour</div><ul role=listbox>"
        "<li role=option>Red</li><li role=option data-right>Blue</li></ul>",
        name="Blue",
    ),
    hidden(
        "an option of a closed select",
        "option[value=b]",
        "<select><option value=a>A</option><option value=b>B</option></select>",
    ),
    Puzzle(
        "a form with fields named like its properties",
        "text=Send",
        "<form id=parentNode name=parentElement><input name=parentNode><input name=parentElement>"
        "<input name=id><input name=isConnected><input name=getRootNode><input name=children>"
        "<input name=attributes><input name=childNodes><input name=closest>"
        "<button data-right>Send</button></form>",
    ),
    Puzzle(
        "the form itself, with such fields",
        "form",
        "<form aria-label=Order data-right><input name=id><input name=parentNode><input name=tagName>"
        "<input name=getAttribute><input name=labels><input name=childNodes></form>",
        name="Order",
    ),
    Puzzle(
        "a link to nowhere",
        "a[href='#']",
        "<a href=# data-right>Menu</a>",
        text_only=True,
    ),
    unsure(
        "duplicated ids",
        "#go",
        "<button id=go data-right>Go</button><button id=go>Go</button>",
    ),
    Puzzle(
        "an id that needs escapes",
        r"#\31 2\:ünï\.cöde",
        "<button id='12:ünï.cöde' data-right>Go</button>",
    ),
    Puzzle(
        "a press on a part of a button",
        "text=Go",
        "<button data-right-not><span data-right>Go</span></button>",
    ),
    Puzzle(
        "a button of an input",
        "text=Send it",
        "<input type=submit value='Send it' data-right>",
        name="Send it",
    ),
    hidden("a hidden input", "[name=token]", "<input type=hidden name=token value=1>"),
]

TWINS = [
    unsure(
        "twins in header and main",
        "text=Sign in",
        "<header><button data-right>Sign in</button></header><main><button>Sign in</button></main>",
    ),
    Puzzle(
        "twins told apart by their place",
        "main >> text=Sign in",
        "<header><button>Sign in</button></header><main><button data-right>Sign in</button></main>",
    ),
    Puzzle(
        "twins in rows",
        "text=Delete",
        "<table>" + "<tr><td>Ann<td><button data-right>Delete</button>"
        "<tr><td>Ben<td><button>Delete</button><tr><td>Cy<td><button>Delete</button></table>",
        "ambiguous",
        3,
        starred=False,
    ),
    Puzzle(
        "one row by its text",
        "tr:has-text('Ben') >> text=Delete",
        "<table><tr><td>Ann<td><button>Delete</button><tr><td>Ben<td><button data-right>Delete</button>"
        "</table>",
    ),
    Puzzle(
        "one row by what it has",
        "tr:has(td:text-is('Ben')) button",
        "<table><tr><td>Ann<td><button>Delete</button><tr><td>Ben<td><button data-right>Delete</button>"
        "</table>",
    ),
    Puzzle(
        "the second of two",
        "text=Go >> nth=1",
        "<button>Go</button><button data-right>Go</button>",
    ),
    Puzzle(
        "the last of three",
        "button >> nth=-1",
        "<button>Go</button><button>Go</button><button data-right>Go</button>",
    ),
    Puzzle(
        "a visible one among hidden ones",
        "text=Go >> visible=true",
        "<button hidden>Go</button><button data-right>Go</button>",
    ),
    Puzzle(
        "one twin below the fold",
        "#go, .go",
        "<button id=go data-right>Go</button><button class=go style='display:block;margin-top:4000px'>Go</button>",
        "partial",
        2,
        text_only=True,
    ),
]

SELECTORS = [
    Puzzle(
        "XPath with an id",
        "//div[@id='box']/button",
        "<div id=box><button data-right>Go</button></div><button>Go</button>",
        text_only=False,
    ),
    Puzzle(
        "XPath without one",
        "xpath=//section[2]//button",
        "<section><button>Go</button></section><section><button data-right>Go</button></section>",
        text_only=True,
    ),
    Puzzle(
        "a chain of engines",
        "css=form >> role=button >> text=Go",
        "<form><button data-right>Go</button></form><button>Go</button>",
        text_only=False,
    ),
    Puzzle(
        "a union where only one branch matches",
        "#gone, button.go",
        "<button class=go data-right>Go</button>",
        text_only=True,
    ),
    Puzzle(
        "a test id",
        "data-testid=save",
        "<button data-testid=save data-right>Save</button>",
        text_only=False,
    ),
    Puzzle(
        "a captured part",
        "*css=section >> text=Go",
        "<section>No</section><section data-right><button>Go</button></section>",
    ),
    Puzzle(
        "text in quotes is exact",
        "text='Save'",
        "<button>Save as</button><button>save</button><button data-right>Save</button>",
    ),
    Puzzle(
        "text without quotes is any part, in any case",
        "text=save",
        "<button data-right>Save</button><button>SAVE as</button>",
        "partial",
        2,
        starred=False,
    ),
    Puzzle(
        "text by a pattern",
        "text=/^Order \\d+$/",
        "<button>Order</button><button data-right>Order 66</button>",
    ),
    Puzzle(
        "white space in a text",
        "text='Pay now please'",
        "<button data-right> Pay\n  now\t please </button>",
    ),
    Puzzle(
        "a space that does not break",
        "text='10 000 km'",
        "<button data-right>10&nbsp;000&nbsp;km</button>",
    ),
    Puzzle(
        "marks that turn the direction",
        "text=/invoice.*7/",
        "<button data-right>invoice&#8207; &#8237;7&#8236;</button>",
    ),
    Puzzle("emoji", "text=👍🏽 Like", "<button data-right>👍🏽 Like</button>"),
    Puzzle(
        "a text in pieces",
        "text=Add to basket",
        "<button data-right>Add <b>to</b> <i>basket</i></button>",
    ),
    Puzzle(
        "not, in a selector",
        "button:not(.primary)",
        "<button class=primary>Go</button><button data-right>Stop</button>",
        text_only=True,
    ),
    Puzzle(
        "beside another",
        "button:right-of(:text('Ben'))",
        "<p>Ann</p><p><i>Ben</i> <button data-right>Delete</button></p>",
    ),
]

GROUPS = {
    "shadow roots": SHADOW_ROOTS,
    "frames": FRAMES,
    "time": TIME,
    "names": NAMES,
    "visibility": VISIBILITY,
    "reach": REACH,
    "kinds": KINDS,
    "twins": TWINS,
    "selectors": SELECTORS,
}
PUZZLES = [puzzle for group in GROUPS.values() for puzzle in group]
