// The list of cards: new ones slide in, changed ones change, and what is being read stays put.
import { attachWithin } from "./attach.js";
import { announce } from "./announce.js";
import { fetchFragment } from "./fragments.js";
import { serverNow } from "./server-clock.js";
import { chosenId, openId } from "./stage.js";
import { gettext } from "./words.js";

const queue = document.querySelector("[data-queue]");
const WAITING = new Set(["pending", "outcome_unknown"]);
const SETTLED_SHOWN = 20;
const ASKED_AT_ONCE = 50;
const FEW = 10;
const BASE_TITLE = "Pointsman";

export const rowsIn = (name) => [...queue.querySelectorAll(`[data-rows="${name}"] > [data-row]`)];
export const allRows = () => [...rowsIn("waiting"), ...rowsIn("settled")];
export const rowOf = (id) => queue?.querySelector(`[data-row="${id}"]`);
const isWaiting = (row) => WAITING.has(row.dataset.status);
const moreLine = (root) => root.querySelector("[data-more]");
const rowsWithin = (element) => [...element.querySelectorAll("[data-row]")];

// One question after the other: an old answer must not come after a new one.
let last = Promise.resolve();

function inTurn(ask) {
  last = last.then(ask, ask);
  return last;
}

// Everything that was read in already, page by page; what came below that is asked for by name.
export const refreshList = () => inTurn(async () => {
  const before = moreLine(queue);
  const isBelow = (row) => before && row.dataset.order > before.dataset.order;
  const below = rowsIn("waiting").filter(isBelow);
  const reached = rowsIn("waiting").filter((row) => !isBelow(row)).at(-1)?.dataset.order ?? "";
  const pages = [];
  do {
    const page = await fetchList(pages.length ? moreLine(pages.at(-1)).dataset.after : "");
    if (!page) return;
    pages.push(page);
  } while (moreLine(pages.at(-1))?.dataset.order < reached);
  const stillBelow = moreLine(pages.at(-1)) ? await fetchRows(below.map((row) => row.dataset.row)) : [];
  arrange([...pages.flatMap(rowsWithin), ...stillBelow.flatMap(rowsWithin)], { page: pages.at(-1) });
});

// After another choice of filters: the first page, and nothing of what was there.
export const reloadList = () => inTurn(async () => {
  const page = await fetchList("");
  if (page) arrange(rowsWithin(page), { page, quiet: true });
  queue.scrollTop = 0;
});

export const refreshRows = (ids) => inTurn(async () => {
  const answers = await fetchRows(ids);
  const others = allRows().filter((row) => !ids.includes(row.dataset.row));
  if (answers.length) arrange([...answers.flatMap(rowsWithin), ...others], { counts: answers.at(-1) });
});

export const refreshRow = (id) => refreshRows([id]);

export const loadMore = () => inTurn(async () => {
  const page = moreLine(queue) && await fetchList(moreLine(queue).dataset.after);
  if (page) arrange([...rowsWithin(page), ...allRows()], { page, quiet: true });
});

async function fetchList(after) {
  const query = new URLSearchParams(location.search);
  query.delete("after");
  if (after) query.set("after", after);
  const { element } = await fetchFragment(`${queue.dataset.listUrl}?${query}`);
  return element?.matches("[data-lists]") ? element : null;
}

// One answer for each fifty of them.
async function fetchRows(ids) {
  const answers = [];
  for (let from = 0; from < ids.length; from += ASKED_AT_ONCE) {
    const query = new URLSearchParams(location.search);
    for (const id of ids.slice(from, from + ASKED_AT_ONCE)) query.append("id", id);
    const { status, element } = await fetchFragment(`${queue.dataset.rowsUrl}?${query}`);
    if (status !== 200) throw new Error(`asked for rows, got ${status}`);
    answers.push(element);
  }
  return answers;
}

// Show exactly these rows, each once, reusing what is already there. `page` says where the list
// goes on; without it that stays as it is.
function arrange(rows, { page, counts = page, quiet = false } = {}) {
  const known = new Map(allRows().map((row) => [row.dataset.row, row]));
  const asked = [...new Map([...rows].reverse().map((row) => [row.dataset.row, row])).values()].reverse();
  const news = new Set(asked.filter((row) => isNews(row, known.get(row.dataset.row))).map((row) => row.dataset.row));
  const shown = asked.map((row) => updated(known.get(row.dataset.row), row));
  const fresh = shown.filter((row) => news.has(row.dataset.row));
  if (!quiet) fresh.forEach((row) => row.classList.add("row-new"));
  // The open card's row keeps its place until another card is opened.
  const stays = (row) => isWaiting(row) || (row.dataset.row === openId() && known.get(row.dataset.row)?.closest('[data-rows="waiting"]'));
  const byOrder = (a, b) => (a.dataset.order < b.dataset.order ? -1 : 1);
  const more = page ? moreLine(page) : moreLine(queue);
  keepingPlace(() => {
    fill("waiting", [...shown.filter(stays), ...(more ? [more] : [])].sort(byOrder));
    fill("settled", shown.filter((row) => !stays(row)).slice(0, SETTLED_SHOWN));
  });
  markOpen();
  if (counts) showCounts(counts.dataset);
  if (!quiet) tell(fresh);
  queue.dispatchEvent(new CustomEvent("arranged"));
  if (more && rowsIn("waiting").filter(isWaiting).length < FEW) loadMore().catch(() => {}); // asked again later
}

// A row may be new to the page without being news: it was only further down. One whose outcome
// got lost waits for a person once more.
const openedAt = serverNow() - 5_000;
const told = new Set(queue ? allRows().map((row) => row.dataset.row) : []);

function isNews(row, before) {
  if (row.dataset.status === "outcome_unknown") return before?.dataset.status !== "outcome_unknown";
  const isNew = !before && !told.has(row.dataset.row) && Date.parse(row.dataset.order.split(" ")[1]) > openedAt;
  return row.dataset.status === "pending" && isNew;
}

function updated(old, row) {
  if (!old) {
    attachWithin(row);
    return row;
  }
  if (old === row) return old;
  const [before, after] = [old.querySelector("a"), row.querySelector("a")];
  attachWithin(row);
  if (before.textContent !== after.textContent || old.dataset.version !== row.dataset.version) {
    before.replaceChildren(...after.childNodes);
  }
  before.setAttribute("href", after.getAttribute("href"));
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
    if (row.dataset.row === chosenId()) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// Rows that were kept in place for the card that was open go where they belong.
export function tidy() {
  const settled = rowsIn("waiting").filter((row) => !isWaiting(row) && row.dataset.row !== openId());
  if (settled.length) arrange([...settled.reverse(), ...allRows().filter((row) => !settled.includes(row))]);
}

// `count` fits the filters; `total` is all that waits, and what the tab and the frame say.
function showCounts({ count, total, unattended }) {
  showUnattended(unattended);
  queue.querySelector("[data-waiting-count]").textContent = count;
  queue.querySelector("[data-queue-empty]").hidden = count !== "0";
  queue.querySelector("[data-settled-head]").hidden = rowsIn("settled").length === 0;
  for (const badge of document.querySelectorAll("[data-pending-count]")) {
    badge.textContent = total;
    badge.hidden = total === "0";
  }
  document.title = total === "0" ? BASE_TITLE : `(${total}) ${BASE_TITLE}`;
}

// Only the whole list says it; an answer about single rows leaves it as it is.
function showUnattended(words) {
  if (words === undefined) return;
  const line = queue.querySelector("[data-unattended-words]");
  line.textContent = words;
  line.hidden = !words;
}

function tell(rows) {
  if (!rows.length) return;
  rows.forEach((row) => told.add(row.dataset.row));
  if (rows.length === 1) announce(gettext("New card: {card}", { card: [".row-top .level", ".row-title"].map((part) => rows[0].querySelector(part).textContent.trim()).join(", ") }));
  else announce(gettext("{count} new cards", { count: rows.length }));
  queue.dispatchEvent(new CustomEvent("arrived", { detail: rows }));
}
