// The page's window, or the whole page: two pictures, one at a time.
import { behaviour } from "./attach.js";
import { centre } from "./zoom.js";

behaviour("[data-scene-tabs]", (list) => {
  const card = list.closest("[data-card]");
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[data-tab]");
    if (tab) open(card, tab);
  });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const other = otherTab(list);
    open(card, other);
    other.focus();
  });
});

// By key, from anywhere on the card.
export function turnOver(card) {
  const list = card?.querySelector("[data-scene-tabs]");
  if (list) open(card, otherTab(list));
}

const otherTab = (list) => list.querySelector("[data-tab][aria-selected=false]");

// The whole page is photographed once somebody wants to see it.
function open(card, tab) {
  turnTo(card, tab.id);
  const panel = panelOf(card, tab);
  panel.querySelector("[data-full=none] [data-full-ask]")?.requestSubmit();
  centre(tab.closest(".scene-frame"));
}

// Only shows it. Does nothing on a card without tabs.
export function turnTo(card, id) {
  const chosen = card.querySelector(`[data-tab]#${id}`);
  if (!chosen) return;
  for (const tab of card.querySelectorAll("[data-tab]")) {
    tab.setAttribute("aria-selected", String(tab === chosen));
    tab.tabIndex = tab === chosen ? 0 : -1;
    panelOf(card, tab).hidden = tab !== chosen;
  }
}

const panelOf = (card, tab) => card.querySelector(`#${tab.dataset.tab}`);
