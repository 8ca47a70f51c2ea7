// The list of cards: new ones slide in, changed ones change, and what is being read stays put.
import { attachWithin } from "./attach.js";
import { announce } from "./announce.js";
import { fetchFragment } from "./fragments.js";
import { openId } from "./stage.js";

const queue = document.querySelector("[data-queue]");
const WAITING = new Set(["pending", "outcome_unknown"]);
const SETTLED_SHOWN = 20;
const BASE_TITLE = "Pointsman";

export const rowsIn = (name) => [...queue.querySelectorAll(`[data-rows="${name}"] > [data-row]`)];
export const allRows = () => [...rowsIn("waiting"), ...rowsIn("settled")];
export const rowOf = (id) => queue?.querySelector(`[data-row="${id}"]`);
const isWaiting = (row) => WAITING.has(row.dataset.status);

// One question after the other: an old answer must not come after a new one.
let last = Promise.resolve();

function inTurn(ask) {
  last = last.then(ask, ask);
  return last;
}

export const refreshList = () => inTurn(async () => {
  const { element } = await fetchFragment(queue.dataset.listUrl);
  if (element) arrange([...element.querySelectorAll("[data-row]")]);
});

export const refreshRow = (id) => inTurn(async () => {
  const { status, element } = await fetchFragment(`/proposals/${id}/row`);
  const others = allRows().filter((row) => row.dataset.row !== id);
  if (status === 404) arrange(others);
  else if (element?.dataset.row) arrange([element, ...others]);
});

// Show exactly these rows, reusing what is already there.
function arrange(rows) {
  const known = new Map(allRows().map((row) => [row.dataset.row, row]));
  const fresh = rows.filter((row) => !known.has(row.dataset.row));
  const shown = rows.map((row) => updated(known.get(row.dataset.row), row));
  // The open card's row keeps its place until another card is opened.
  const stays = (row) => isWaiting(row) || (row.dataset.row === openId() && known.get(row.dataset.row)?.closest('[data-rows="waiting"]'));
  const byOrder = (a, b) => (a.dataset.order < b.dataset.order ? -1 : 1);
  keepingPlace(() => {
    fill("waiting", shown.filter(stays).sort(byOrder));
    fill("settled", shown.filter((row) => !stays(row)).slice(0, SETTLED_SHOWN));
  });
  markOpen();
  showCounts();
  tell(fresh.filter((row) => row.dataset.status === "pending"));
  queue.dispatchEvent(new CustomEvent("arranged"));
}

function updated(old, row) {
  if (!old) {
    row.classList.add("row-new");
    attachWithin(row);
    return row;
  }
  if (old === row) return old;
  const [before, after] = [old.querySelector("a"), row.querySelector("a")];
  attachWithin(row);
  if (before.textContent !== after.textContent || old.dataset.version !== row.dataset.version) {
    before.replaceChildren(...after.childNodes);
  }
  Object.assign(old.dataset, row.dataset);
  return old;
}

function fill(name, rows) {
  const list = queue.querySelector(`[data-rows="${name}"]`);
  rows.forEach((row, place) => {
    if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
  });
  while (list.children.length > rows.length) list.lastElementChild.remove();
}

// What the person looks at stays where it is on the screen, and keeps the focus.
function keepingPlace(change) {
  const focused = document.activeElement;
  const anchor = anchorRow();
  const before = anchor?.getBoundingClientRect().top;
  change();
  if (anchor?.isConnected) scroller().scrollTop += anchor.getBoundingClientRect().top - before;
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

function anchorRow() {
  if (scroller().scrollTop === 0) return null;
  const edge = Math.max(0, queue.getBoundingClientRect().top);
  const focused = document.activeElement.closest?.("[data-row]");
  return focused ?? allRows().find((row) => row.getBoundingClientRect().bottom > edge);
}

function scroller() {
  return queue.scrollHeight > queue.clientHeight ? queue : document.scrollingElement;
}

export function markOpen() {
  for (const row of allRows()) {
    const link = row.querySelector("a");
    if (row.dataset.row === openId()) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// Rows that were kept in place for the card that was open go where they belong.
export function tidy() {
  const settled = rowsIn("waiting").filter((row) => !isWaiting(row) && row.dataset.row !== openId());
  if (settled.length) arrange([...settled.reverse(), ...allRows().filter((row) => !settled.includes(row))]);
}

function showCounts() {
  const count = rowsIn("waiting").filter(isWaiting).length;
  queue.querySelector("[data-waiting-count]").textContent = count;
  queue.querySelector("[data-queue-empty]").hidden = count > 0;
  queue.querySelector("[data-settled-head]").hidden = rowsIn("settled").length === 0;
  for (const badge of document.querySelectorAll("[data-pending-count]")) {
    badge.textContent = count;
    badge.hidden = count === 0;
  }
  document.title = count ? `(${count}) ${BASE_TITLE}` : BASE_TITLE;
}

function tell(rows) {
  if (rows.length === 1) announce(`New card: ${rows[0].querySelector(".row-top .level").textContent.trim()}, ${rows[0].querySelector(".row-title").textContent.trim()}`);
  if (rows.length > 1) announce(`${rows.length} new cards`);
}
