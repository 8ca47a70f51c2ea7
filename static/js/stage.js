// The open card: opens one, keeps it fresh, and never loses what the reviewer has half done.
import { attachWithin } from "./attach.js";
import { fetchFragment, SignedOut } from "./fragments.js";
import { cardDraft, draftToKeep, restoreDraft, sentDraft } from "./draft.js";
import { gettext } from "./words.js";

const stage = document.querySelector("[data-stage]");
const notices = document.querySelector("[data-notices]");
const SLOW_MS = 300;
const drafts = new Map(); // what was left half done on cards that are not open, by card
let latest = 0;
let problem = null;

export const openCardElement = () => stage?.querySelector("[data-card]") ?? null;
export const openId = () => openCardElement()?.dataset.card ?? null;

// The card the reviewer went to last. Until it is there the one before it still stands on the stage,
// but nothing may be done to that any more.
let chosen = openId();
export const chosenId = () => chosen;
export const isOpen = (id) => id === openId() && id === chosen;

export function actableCard() {
  const card = openCardElement();
  return card && isOpen(card.dataset.card) && card.checkVisibility() ? card : null;
}

function choose(id) {
  chosen = id;
  const card = openCardElement();
  if (card) card.inert = !isOpen(card.dataset.card);
}

export async function openCard(id, { focus = false } = {}) {
  const turn = ++latest;
  choose(id);
  problem?.remove();
  const done = loading();
  try {
    const { status, element } = await fetchFragment(`/proposals/${id}/card`);
    if (turn !== latest) return;
    if (element && id === openId()) showFresh(element);
    else if (element) showAnother(element);
    else showProblem(status === 404 ? gettext("This card is gone, or it belongs to another team.") : gettext("The card could not be read."), id);
  } catch (error) {
    if (turn !== latest) return;
    showProblem(error instanceof SignedOut ? gettext("You are signed out. Sign in in another tab, then try again.") : gettext("The server cannot be reached."), id);
  } finally {
    done();
  }
  if (focus && turn === latest) stage.querySelector("h1")?.focus({ preventScroll: true });
  stage.dispatchEvent(new CustomEvent("opened", { bubbles: true }));
}

// Ask how the open card stands now. Only what changed is touched.
export async function refreshCard() {
  const card = openCardElement();
  if (!card) return;
  const { element } = await fetchFragment(card.dataset.cardUrl);
  if (element && card.isConnected) showFresh(element);
}

export function showFresh(element) {
  const card = openCardElement();
  if (Number(element.dataset.version) < Number(card?.dataset.version)) return; // an old answer
  const same = card && ["card", "version", "status"].every((name) => card.dataset[name] === element.dataset[name]);
  const sameForm = card && isDecidable(card) === isDecidable(element); // not when its time or a right is over
  if (same && sameForm && !element.querySelector("[data-notice]")) {
    for (const part of card.querySelectorAll("[data-part]")) renew(part, element);
    return;
  }
  replaceCard(element);
}

const isDecidable = (card) => card.querySelector("[data-decision]") !== null;

// What may change while the card stays what it is. A part that says the same stays: a picture shown
// anew would flash, and the focus would be lost.
function renew(part, element) {
  const fresh = element.querySelector(`[data-part="${part.dataset.part}"]`);
  if (!fresh || saysTheSame(part, fresh)) return;
  const hadFocus = part.contains(document.activeElement);
  const place = part.closest("[tabindex]");
  part.replaceWith(fresh);
  attachWithin(fresh);
  if (hadFocus) place?.focus({ preventScroll: true });
}

const saysTheSame = (one, other) => "state" in one.dataset
  ? one.dataset.state === other.dataset.state
  : one.textContent === other.textContent;

// Another state of the same card: what was typed and picked is carried over.
export function replaceCard(element) {
  const draft = cardDraft(openCardElement());
  put(element);
  restoreDraft(element, draft);
}

// What became of a card by a decision: nothing of it is half done any more.
export function showDecided(element) {
  const { card: id } = element.dataset;
  drafts.delete(id);
  if (id !== openId()) return;
  const draft = sentDraft(cardDraft(openCardElement()));
  put(element);
  restoreDraft(element, draft);
}

function showAnother(element) {
  const { card: id } = element.dataset;
  setDraftAside();
  put(element);
  restoreDraft(element, drafts.get(id));
  drafts.delete(id);
}

function put(element) {
  stage.replaceChildren(element);
  element.inert = !isOpen(element.dataset.card);
  attachWithin(element);
}

function setDraftAside() {
  const draft = draftToKeep(openCardElement());
  if (draft) drafts.set(draft.id, draft);
}

export function showNothing() {
  latest += 1; // what is on its way comes too late
  setDraftAside();
  choose(null);
  const template = document.querySelector("[data-nothing]");
  if (template) stage.replaceChildren(template.content.cloneNode(true));
}

function loading() {
  const timer = setTimeout(() => { stage.dataset.loading = ""; stage.setAttribute("aria-busy", "true"); }, SLOW_MS);
  return () => {
    clearTimeout(timer);
    delete stage.dataset.loading;
    stage.removeAttribute("aria-busy");
  };
}

// The open card stays as it is, with all that is typed on it.
function showProblem(words, id) {
  const notice = document.createElement("p");
  notice.className = "notice notice-danger stage-error";
  notice.setAttribute("role", "alert");
  const again = document.createElement("button");
  again.type = "button";
  again.className = "link-button";
  again.textContent = gettext("Try again");
  again.addEventListener("click", () => openCard(id));
  notice.append(words, " ", again);
  problem = notice;
  if (id === openId()) return notices.append(notice);
  setDraftAside();
  stage.replaceChildren(notice);
}
