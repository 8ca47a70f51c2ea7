"""The pages that are clicked on. Every click changes what its row shows, so it can be verified."""

ROWS = 500

_SCRIPT = """<script>
document.addEventListener("click", (event) => {
  const button = event.composedPath()[0].closest?.("button");
  if (!button) return;
  const shown = button.getRootNode().getElementById(`state-${button.dataset.row}`);
  shown.textContent = Number(shown.textContent) + 1;
});
</script>"""


def _row(number: int) -> str:
    return (
        f"<tr><td>Order {number}</td><td>Customer {number % 37}</td><td>{number * 7 % 90}.50</td>"
        f'<td><button type="button" data-testid="open-{number}" data-row="{number}">'
        f'Open order {number}</button></td><td id="state-{number}">0</td></tr>'
    )


def _document(body: str) -> str:
    return (
        '<!doctype html><html lang="en"><title>Orders</title><body><h1>Orders</h1>'
        f"{body}{_SCRIPT}</body></html>"
    )


def rows_page(count: int = ROWS) -> str:
    return _document(f"<table>{''.join(_row(number) for number in range(count))}</table>")


def target(number: int) -> str:
    """A row's button; rows follow one another far apart, so that the page scrolls as in life."""
    return f'[data-testid="open-{number * 37 % ROWS}"]'


def framed_pages() -> dict[str, str]:
    """`/` is the page of rows with five frames and three open shadow roots; `/frame` is in them."""
    frames = "".join(f'<iframe src="/frame?{n}" title="Frame {n}"></iframe>' for n in range(5))
    cards = "".join(f'<order-card number="{number}"></order-card>' for number in range(3))
    define = """<script>
customElements.define("order-card", class extends HTMLElement {
  connectedCallback() {
    const number = this.getAttribute("number");
    this.attachShadow({ mode: "open" }).innerHTML =
      `<button type="button" data-testid="pay-${number}" data-row="pay-${number}">
       Pay ${number}</button><span id="state-pay-${number}">0</span>`;
  }
});
</script>"""
    table = "".join(_row(number) for number in range(ROWS))
    return {
        "/": _document(f"{define}{cards}{frames}<table>{table}</table>"),
        "/frame": rows_page(20).replace("open-", "framed-"),
    }


def shadow_target(number: int) -> str:
    return f'[data-testid="pay-{number % 3}"]'
