// Asks for the picture of the whole page, and says when it is there. A hint brings it.
import { announce } from "./announce.js";
import { behaviour } from "./attach.js";
import { fetchFragment } from "./fragments.js";
import { showFoundOn } from "./lookup.js";
import { showPick } from "./picking.js";
import { refreshCard, showFresh } from "./stage.js";
import { gettext } from "./words.js";
import { centre } from "./zoom.js";

const LOST_WORDS = gettext("The server did not answer. Nothing was changed: try again.");
const awaited = new Set(); // the cards of which this page asked

behaviour("[data-full-ask]", (form) => form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask(form);
}));

async function ask(form) {
  const card = form.closest("[data-card]");
  const button = form.querySelector("button");
  button.setAttribute("aria-busy", "true");
  awaited.add(card.dataset.card);
  try {
    const { element } = await fetchFragment(form.action, { method: "POST", body: new FormData(form) });
    if (!element) throw new Error("no card");
    if (card.isConnected) showFresh(element);
  } catch {
    complain(form);
  } finally {
    button.removeAttribute("aria-busy");
  }
}

function complain(form) {
  const said = form.closest("[data-full]").querySelector("[data-full-said]");
  said.textContent = LOST_WORDS;
  announce(LOST_WORDS);
}

behaviour("[data-full]", (full) => {
  const card = full.closest("[data-card]");
  const { full: state } = full.dataset;
  if (state === "waiting") return waitFor(full.querySelector("[data-full-late]"));
  if (state === "done") markBoxes(full, card.querySelector("[data-decision]"));
  if (state === "none" || !awaited.delete(card.dataset.card)) return;
  announce(full.querySelector("[data-full-said]").textContent);
  centre(full.closest(".scene-frame"));
});

// What is picked and what was looked up, as on the other picture.
function markBoxes(full, form) {
  showFoundOn(full.querySelector("[data-picture]"));
  if (form) showPick(form);
}

// Where no worker answers, no hint comes either.
function waitFor(line) {
  setTimeout(() => line.isConnected && refreshCard().catch(() => {}), Number(line.dataset.fullLate) + 500);
}
