// What a reviewer has half done on a card: carried over when the card is shown anew.
import { firstValue } from "./edits.js";
import { showFound } from "./lookup.js";
import { showReject } from "./reject.js";
import { turnTo } from "./scene-tabs.js";
import { showPick } from "./picking.js";
import { targetsOf } from "./targets.js";
import { gettext } from "./words.js";

export function cardDraft(card) {
  if (!card) return null;
  const reason = card.querySelector("[data-reason]");
  const active = document.activeElement;
  return {
    id: card.dataset.card,
    version: card.dataset.version,
    reason: reason?.value ?? card.querySelector("[data-kept-words]")?.textContent ?? "",
    caret: reason?.selectionEnd ?? 0,
    rejecting: card.querySelector("[data-reject-panel]")?.hidden === false,
    word: card.querySelector("[data-word]")?.value ?? "",
    picked: reason ? ownPicks(card) : [],
    written: [...card.querySelectorAll("[data-edit], [data-remember], [data-lookup-selector], [data-reply], [data-message] textarea")].map(writtenIn).filter(({ value, first }) => value !== first),
    found: card.querySelector("[data-found] > *"),
    listed: card.querySelectorAll("[data-candidate]").length,
    hasFirstOfTwo: card.querySelector("[data-first-of-two]") !== null,
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

// Of a card that leaves the stage: null when nothing is half done. The typed word is not kept: it
// was for a card that was being looked at.
export function draftToKeep(card) {
  const draft = cardDraft(card);
  if (!draft) return null;
  const isHalfDone = draft.reason.trim() || draft.rejecting || draft.found || draft.picked.length || draft.written.length;
  return isHalfDone ? { ...draft, word: "", hadFocus: false } : null;
}

// What is left of it once it was sent: where the reviewer was.
export function sentDraft(draft) {
  return { ...draft, reason: "", word: "", rejecting: false, picked: [], written: [], found: null };
}

// A pick means the same as long as it is the same candidate, instead of the same star.
function ownPicks(card) {
  return targetsOf(card).filter(({ chosen, picked, starred }) => chosen && picked !== starred).map(({ chosen }) => [chosen.id, meaningOf(chosen)]);
}

function meaningOf(radio) {
  const { starred } = radio.closest("[data-target]").dataset;
  return `${starred} ${radio.closest("[data-candidate]").textContent}`;
}

const writtenIn = (field) => ({ id: field.id, value: field.value, first: firstValue(field) });

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
  restorePicks(form, draft);
  if (!("waitsForAnother" in form.dataset)) restoreFields(draft.written); // what was sent is sent
  reason.value = draft.reason;
  const word = card.querySelector("[data-word]");
  if (word && draft.version === card.dataset.version) word.value = draft.word; // typed for what was there then
  if (draft.rejecting) showReject(form);
  showPick(form);
  if (draft.hadFocus) restoreFocus(card, reason, draft);
}

function restoreFocus(card, reason, draft) {
  const notice = card.querySelector("[data-notice]");
  const firstOfTwo = draft.hasFirstOfTwo ? null : card.querySelector("[data-first-of-two]");
  if (notice) return notice.focus();
  if (firstOfTwo && !draft.rejecting) return readFirst(firstOfTwo);
  firstOfTwo?.scrollIntoView({ block: "nearest" });
  (document.getElementById(draft.focusId) ?? (draft.rejecting ? reason : null))?.focus({ preventScroll: true });
  if (draft.focusId === "reason") reason.setSelectionRange(draft.caret, draft.caret);
}

function readFirst(block) {
  block.tabIndex = -1;
  block.focus();
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

// Only where it still stands against the same words of the agent.
function restoreFields(fields) {
  for (const { id, value, first } of fields) {
    const field = document.getElementById(id);
    if (field && firstValue(field) === first) field.value = value;
  }
}

// Only among the same candidates: it has the number after theirs.
function restoreFound(card, form, { found, listed }) {
  if (!found || !form.querySelector("[data-found]")) return;
  const usable = found.querySelector("[data-candidate]") ? 1 : 0;
  if (card.querySelectorAll("[data-candidate]").length + usable === listed) showFound(form, found);
}

function restorePicks(form, { picked }) {
  const meanings = new Map(picked);
  for (const radio of form.querySelectorAll("[data-target] [data-pick]")) {
    if (meanings.get(radio.id) === meaningOf(radio)) radio.checked = true;
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
  quote.dataset.keptWords = "";
  quote.textContent = words;
  note.append(label, quote);
  card.querySelector(".panel-scroll").prepend(note);
}
