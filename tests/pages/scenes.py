"""Small web pages, photographed in a real Chromium with the candidates measured on them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

CHROMIUM = next(
    (path for path in ("/usr/bin/chromium", "/usr/bin/google-chrome") if Path(path).exists()), None
)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTH, HEIGHT = 1280, 720

STYLE = """
<meta charset="utf-8"><style>
 * { box-sizing: border-box } body { margin: 0; font: 16px/1.5 'Liberation Sans', sans-serif;
 color: #23302b; background: #faf8f4 } header { display: flex; align-items: center; gap: 28px;
 padding: 18px 48px; background: #fff; border-bottom: 1px solid #e7e1d6 } header b { font-size: 22px;
 color: #27594a } header a { color: #4d5a54; text-decoration: none } header .end { margin-left: auto;
 display: flex; gap: 12px; align-items: center } main { padding: 36px 48px; display: grid; gap: 20px }
 h1 { margin: 0; font-size: 30px } h2 { margin: 0; font-size: 19px } .cols { display: grid;
 grid-template-columns: 1fr 400px; gap: 32px } .box { background: #fff; border: 1px solid #e7e1d6;
 border-radius: 10px; padding: 24px; display: grid; gap: 14px; align-content: start } button, .button {
 font: inherit; padding: 10px 18px; border-radius: 8px; border: 1px solid #c9c1b2; background: #fff;
 color: inherit } .main { background: #27594a; color: #fff; border-color: #27594a } .red { background:
 #a3352c; color: #fff; border-color: #a3352c } input { font: inherit; padding: 10px 12px; border:
 1px solid #c9c1b2; border-radius: 8px; width: 100% } table { width: 100%; border-collapse: collapse;
 background: #fff } td, th { text-align: left; padding: 12px 16px; border-bottom: 1px solid #eee7da }
 .line { display: flex; justify-content: space-between } small, .soft { color: #6d7771 }
</style>"""
BAR = """<header><b>Sprig &amp; Stone</b><a href="/kitchen">Kitchen</a><a href="/garden">Garden</a>
<a href="/sale">Sale</a><div class="end">{end}</div></header>"""

CHECKOUT = f"""<title>Checkout · Sprig & Stone</title>{STYLE}
{BAR.format(end='<span class="soft">2 things, € 86.40</span><button id="mini-submit" class="main" '
            'type="submit" form="mini-cart">Submit order</button>')}
<main><h1>Checkout</h1><div class="cols"><section class="box"><h2>Delivery address</h2>
<input value="Via Roma 12"><input value="10121 Torino"><h2>Payment</h2><input value="•••• 4242">
<label><input type="checkbox" style="width:auto"> Gift wrapping</label></section>
<form id="order-form" class="box" action="/orders"><h2>Your order</h2>
<div class="line"><span>Iron skillet, 26 cm</span><span>€ 54.00</span></div>
<div class="line"><span>Linen towels, set of 3</span><span>€ 32.40</span></div><hr>
<div class="line"><b>Total</b><b>€ 86.40</b></div>
<button class="main" data-testid="order-submit" type="submit">Submit order</button>
<small>You can return everything within 30 days.</small></form></div></main>"""

ADDRESSES = f"""<title>Addresses · Sprig & Stone</title>{STYLE}
{BAR.format(end='<a href="/account">anna.r</a>')}<main><h1>Your addresses</h1><table><tr><th>Name
<th>Street<th>City<th></tr>""" + "".join(
    f"<tr><td>{name}<td>{street}<td>{city}<td><button data-row='{row}'>Edit</button></tr>"
    for row, (name, street, city) in enumerate(
        [
            ("Home", "Via Roma 12", "Torino"), ("Office", "Corso Francia 200", "Torino"),
            ("Parents", "Via Mazzini 3", "Bologna"), ("Holiday", "Lungomare 41", "Rimini"),
            ("Storage", "Via dell'Industria 8", "Settimo"),
        ]
    )
) + "</table></main>"  # fmt: skip

ACCOUNT = f"""<title>Account · Sprig & Stone</title>{STYLE}
{BAR.format(end='<a href="/account">anna.r</a>')}<main><h1>Account</h1><div class="cols">
<section class="box"><h2>Data</h2><p>Take a copy of everything we hold, or close this account.</p>
<div style="display:flex;gap:12px"><button>Export my data</button>
<button class="red" id="close">Delete</button></div></section>
<section class="box"><h2>Saved cards</h2><div class="line"><span>Visa •••• 4242</span>
<button aria-label="Delete card ending in 4242" class="card-delete">Delete</button></div></section>
</div></main>"""

REVIEWS = f"""<title>Iron skillet · Sprig & Stone</title>{STYLE}
{BAR.format(end='<span class="soft">0 things</span>')}<main><h1>Iron skillet, 26 cm</h1>
<section class="box"><h2>Reviews</h2>
<button class="more">Load more</button>""" + "".join(
    f"<p><b>{name}</b><br>Heavy, honest, and it fries eggs as it should.</p>"
    for name in ["Marta", "Leo", "Ida", "Paolo", "Nina", "Carlo", "Sara", "Ugo", "Lia", "Tom"]
) + """<button class="more">Load more</button></section></main>"""

NEWSLETTER = f"""<title>Sprig & Stone</title>{STYLE}
{BAR.format(end='<span class="soft">0 things</span>')}<main><h1>Made to last</h1><div class="cols">
<section class="box"><h2>Club</h2><p>Early access and free repairs for members.</p><div>
<button class="main">Subscribe</button></div></section>
<iframe title="Newsletter" name="newsletter" style="width:400px;height:240px;border:0" srcdoc="
<style>body{{margin:0;font:16px/1.5 'Liberation Sans';background:#f1ecdf;padding:24px}}
button{{font:inherit;padding:10px 18px}}</style><h2>Newsletter</h2><p>One letter a month.</p>
<button>Subscribe</button>"></iframe></div></main>"""

TRICK = f"""<title>Free \u202egpj.exe</title>{STYLE}
{BAR.format(end='<span class="soft">mirror 3</span>')}<main><h1>Downloads</h1><div class="cols">
<section class="box"><h2>Catalogue, spring</h2><button id="real">Download catalogue</button></section>
<section class="box"><h2>Sponsored</h2><button id="ad" class="main" title="&lt;b&gt;free&lt;/b&gt;">Download
\u200bcatalogue \u202egpj.eulb</button></section></div></main>"""

LONG = f"""<title>Terms</title>{STYLE}{BAR.format(end='')}<main><h1>Before you go on</h1>
<section class="box"><button class="main" id="accept-everything-including-optional-partners-and-measurement">
I have read the terms of use, the privacy notice of 14 March and the list of 212 partners, and I accept
all of them, including measurement, for every device I use</button>
<button id="accept-necessary">I have read the terms of use, the privacy notice of 14 March and the list of
212 partners, and I accept only what is necessary</button></section></main>"""

SEARCH = f"""<title>Search · Sprig & Stone</title>{STYLE}
{BAR.format(end='<span class="soft">0 things</span>')}<main><h1>Search</h1><section class="box">
<input id="q" name="q" placeholder="What are you looking for?" aria-label="Search the shop">
<div><button class="main">Search</button></div></section></main>"""

MEASURE = """([selector, frame, offset]) => [...document.querySelectorAll(selector)].map((e) => {
  const r = e.getBoundingClientRect();
  const names = ['id', 'name', 'type', 'data-testid', 'aria-label', 'href', 'placeholder', 'title'];
  const attributes = {};
  for (const n of names) if (e.getAttribute(n)) attributes[n] = e.getAttribute(n);
  const text = (e.textContent || '').trim().slice(0, 200);
  const tag = e.tagName.toLowerCase();
  const landmark = e.closest('form, section, header, tr');
  const heading = landmark?.querySelector('h2')?.textContent || landmark?.cells?.[0]?.textContent
    || landmark?.tagName.toLowerCase() || '';
  return {
    tag, role: tag === 'input' ? 'textbox' : 'button', text,
    name: e.getAttribute('aria-label') || text, attributes,
    box: {x: r.x + scrollX + offset[0], y: r.y + scrollY + offset[1], width: r.width,
          height: r.height},
    visible: true, enabled: !e.disabled,
    in_viewport: r.bottom > 0 && r.top < innerHeight, covered_by: null, frame, shadow: false,
    path: selector, context: heading.trim().slice(0, 120), fingerprint: ''
  };
})"""


@dataclass(frozen=True)
class Scene:
    """A page as it was: its picture and the candidates of one selector."""

    title: str
    picture: bytes
    viewport: dict[str, float]
    candidates: list[dict[str, Any]]
    snippet: str


@dataclass(frozen=True)
class Sketch:
    html: str
    selector: str
    scroll_y: int = 0
    frame: str = ""


SKETCHES = {
    "checkout": Sketch(CHECKOUT, "button.main"),
    "addresses": Sketch(ADDRESSES, "td button"),
    "account": Sketch(ACCOUNT, "#close, .card-delete"),
    "reviews": Sketch(REVIEWS, ".more", scroll_y=180),
    "newsletter": Sketch(NEWSLETTER, "button", frame="newsletter"),
    "trick": Sketch(TRICK, "button"),
    "terms": Sketch(LONG, "button"),
    "search": Sketch(SEARCH, "#q"),
    "search button": Sketch(SEARCH, "button"),
}


def photograph() -> dict[str, Scene]:
    """Every sketch by name. Ends its browser before it returns: rows are written afterwards."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        scenes = {name: _scene(page, sketch) for name, sketch in SKETCHES.items()}
        browser.close()
    return scenes


def _scene(page: Page, sketch: Sketch) -> Scene:
    page.set_content(sketch.html)
    page.wait_for_timeout(150)
    page.evaluate("y => window.scrollTo(0, y)", sketch.scroll_y)
    found = page.evaluate(MEASURE, [sketch.selector, "", [0, 0]])
    if sketch.frame:
        found += _in_frame(page, sketch)
    scroll_y = page.evaluate("window.scrollY")
    return Scene(
        title=page.title(),
        picture=page.screenshot(type="jpeg", quality=70),
        viewport={"scroll_x": 0, "scroll_y": scroll_y, "width": WIDTH, "height": HEIGHT},
        candidates=[{"index": index, **each} for index, each in enumerate(found)],
        snippet=page.locator(sketch.selector).first.evaluate("e => e.parentElement.outerHTML"),
    )


def _in_frame(page: Page, sketch: Sketch) -> list[dict[str, Any]]:
    at = page.locator(f"iframe[name={sketch.frame}]").bounding_box()
    frame = page.frame(name=sketch.frame)
    assert at is not None and frame is not None
    return frame.evaluate(
        MEASURE, [sketch.selector, f"iframe[name={sketch.frame}]", [at["x"], at["y"]]]
    )
