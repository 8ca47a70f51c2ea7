// Opens cards from the list and keeps the address in step; on a phone it turns the page.
import { announce } from "./announce.js";
import { behaviour } from "./attach.js";
import { chosenId, openCard, showNothing } from "./stage.js";
import { allRows, markOpen, rowOf, rowsIn, tidy } from "./rows.js";

const isDesk = document.body.dataset.page === "desk";
const wide = window.matchMedia("(min-width: 720px)");
let listTop = 0;

document.addEventListener("click", (event) => {
  if (!isDesk || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest("a[data-select], a[data-back], a[data-home]");
  if (!link) return;
  event.preventDefault();
  if (link.dataset.select) select(link.dataset.select, { focus: !link.closest("[data-row]") || !wide.matches });
  else goToList();
});

export function select(id, { focus = false } = {}) {
  history.pushState({}, "", `/proposals/${id}${location.search}`);
  turnTo(id, focus);
}

// One card on or back, in the order of the list.
export function move(step) {
  const rows = allRows();
  const at = rows.findIndex((row) => row.dataset.row === chosenId());
  const row = rows[at < 0 ? 0 : at + step];
  if (!row) return;
  select(row.dataset.row);
  announce(row.querySelector(".row-title").textContent.trim());
  row.scrollIntoView({ block: "nearest" });
}

export function nextWaiting() {
  const rows = rowsIn("waiting").filter((row) => ["pending", "outcome_unknown"].includes(row.dataset.status));
  const open = rowOf(chosenId());
  const others = rows.filter((row) => row !== open);
  return others.find((row) => open && row.dataset.order > open.dataset.order) ?? others[0] ?? null;
}

function goToList() {
  history.pushState({}, "", `/${location.search}`);
  turnTo(null, true);
}

function turnTo(id, focus) {
  if (document.body.dataset.view === "list") listTop = window.scrollY;
  document.body.dataset.view = id ? "card" : "list";
  if (!id) return showList(focus);
  if (!wide.matches) window.scrollTo(0, 0);
  openCard(id, { focus });
  markOpen();
}

// The list alone on a phone; beside it, where there is room, the first card that waits.
function showList(focus) {
  if (wide.matches) return openFirst();
  window.scrollTo(0, listTop);
  if (focus) rowOf(chosenId())?.querySelector("a").focus({ preventScroll: true });
}

function openFirst() {
  const row = nextWaiting();
  if (row) return openCard(row.dataset.row);
  showNothing();
  tidy();
  markOpen();
}

// A card that comes while nothing is open has nobody to disturb.
behaviour("[data-queue]", (queue) => queue.addEventListener("arranged", () => {
  if (wide.matches && document.querySelector("[data-stage] [data-nothing-shown]") && nextWaiting()) openFirst();
}));

behaviour("[data-stage]", (stage) => stage.addEventListener("opened", () => { tidy(); markOpen(); }));

window.addEventListener("popstate", () => {
  if (!isDesk) return;
  const id = location.pathname.match(/^\/proposals\/([0-9a-f-]{36})$/)?.[1] ?? null;
  turnTo(id, false);
});
