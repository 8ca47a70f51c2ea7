// What a reviewer has half done on a card: carried over when the card is shown anew.
import { showFound } from "./lookup.js";
import { openReject } from "./reject.js";
import { turnTo } from "./scene-tabs.js";
import { showPick } from "./picking.js";
import { gettext } from "./words.js";

export function cardDraft(card) {
  if (!card) return null;
  const reason = card.querySelector("[data-reason]");
  const active = document.activeElement;
  return {
    id: card.dataset.card,
    reason: reason?.value ?? "",
    caret: reason?.selectionEnd ?? 0,
    rejecting: card.querySelector("[data-reject-panel]")?.hidden === false,
    word: card.querySelector("[data-word]")?.value ?? "",
    picked: [...card.querySelectorAll("[data-pick]:checked:not(:disabled)")].map((radio) => radio.id),
    edits: [...card.querySelectorAll("[data-edit], [data-remember], [data-lookup-selector]")].map(({ id, value }) => [id, value]),
    found: card.querySelector("[data-found] > *"),
    listed: card.querySelectorAll("[data-candidate]").length,
    hadFocus: card.contains(active),
    focusId: card.contains(active) ? active.id : "",
    panelTop: card.querySelector(".panel-scroll")?.scrollTop ?? 0,
    sceneTop: card.querySelector(".scene")?.scrollTop ?? 0,
    images: [...card.querySelectorAll("[data-picture] img")],
    tab: card.querySelector("[data-tab][aria-selected=true]")?.id,
    zoomed: card.querySelector(".scene-frame[data-zoomed]") !== null,
    folds: foldsOf(card).map((fold) => fold.open),
  };
}

// Menus are none: they close when the card changes.
const foldsOf = (card) => [...card.querySelectorAll("details")].filter((fold) => !fold.closest("[data-menu]"));

export function restoreDraft(card, draft) {
  if (!draft || draft.id !== card.dataset.card) return;
  restoreScene(card, draft);
  const form = card.querySelector("[data-decision]");
  const reason = card.querySelector("[data-reason]");
  if (!form || !reason) {
    if (draft.reason.trim()) keepWords(card, draft.reason.trim());
    if (draft.hadFocus) focusOn(card);
    return;
  }
  card.querySelector(".panel-scroll").scrollTop = draft.panelTop;
  restoreFound(card, form, draft);
  restorePick(form, draft);
  if (!("waitsForAnother" in form.dataset)) restoreFields(draft.edits); // what was sent is sent
  reason.value = draft.reason;
  const word = card.querySelector("[data-word]");
  if (word) word.value = draft.word;
  if (draft.rejecting) openReject(form);
  showPick(form);
  if (!draft.hadFocus) return;
  const notice = card.querySelector("[data-notice]");
  (notice ?? document.getElementById(draft.focusId))?.focus({ preventScroll: !notice });
  if (draft.focusId === "reason") reason.setSelectionRange(draft.caret, draft.caret);
}

// A picture that is there already is kept: asking for it again would make it flash.
function restoreScene(card, draft) {
  for (const image of card.querySelectorAll("[data-picture] img")) {
    const known = draft.images.find(({ src }) => src === image.src);
    if (known) image.replaceWith(known);
  }
  if (draft.tab) turnTo(card, draft.tab);
  foldsOf(card).forEach((fold, place) => { fold.open = draft.folds[place] ?? false; });
  if (draft.zoomed) card.querySelector("[data-zoom]")?.click();
  card.querySelector(".scene").scrollTop = draft.sceneTop;
}

function restoreFields(fields) {
  for (const [id, value] of fields) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
}

// Only among the same candidates: it has the number after theirs.
function restoreFound(card, form, { found, listed }) {
  if (!found || !form.querySelector("[data-found]")) return;
  const usable = found.querySelector("[data-candidate]") ? 1 : 0;
  if (card.querySelectorAll("[data-candidate]").length + usable === listed) showFound(form, found);
}

function restorePick(form, draft) {
  for (const radio of form.querySelectorAll("[data-pick]")) {
    if (draft.picked.includes(radio.id)) radio.checked = true;
  }
}

function focusOn(card) {
  const next = card.querySelector("[data-notice]") ?? card.querySelector("[data-next]") ?? card.querySelector("h1");
  next.focus({ preventScroll: true });
}

// A reason that can no longer be sent is still the reviewer's.
function keepWords(card, words) {
  const note = document.createElement("p");
  note.className = "kept-words";
  const label = document.createElement("span");
  label.className = "muted";
  label.textContent = `${gettext("You had written, and it was not sent:")} `;
  const quote = document.createElement("q");
  quote.textContent = words;
  note.append(label, quote);
  card.querySelector(".panel-scroll").prepend(note);
}
