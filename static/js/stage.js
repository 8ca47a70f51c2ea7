// The open card: opens one, keeps it fresh, and never loses what the reviewer has half done.
import { attachWithin } from "./attach.js";
import { fetchFragment, SignedOut } from "./fragments.js";
import { cardDraft, restoreDraft } from "./draft.js";
import { gettext } from "./words.js";

const stage = document.querySelector("[data-stage]");
const SLOW_MS = 300;
let latest = 0;

export const openCardElement = () => stage?.querySelector("[data-card]") ?? null;
export const openId = () => openCardElement()?.dataset.card ?? null;

export async function openCard(id, { focus = false } = {}) {
  const turn = ++latest;
  const done = loading();
  try {
    const { status, element } = await fetchFragment(`/proposals/${id}/card`);
    if (turn !== latest) return;
    if (element && id === openId()) showFresh(element);
    else if (element) show(element);
    else showProblem(status === 404 ? gettext("This card is gone, or it belongs to another team.") : gettext("The card could not be read."), id);
  } catch (error) {
    if (turn === latest && !(error instanceof SignedOut)) showProblem(gettext("The server cannot be reached."), id);
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
  const expired = card?.querySelector("[data-decision]") && !element.querySelector("[data-decision]");
  if (same && !expired && !element.querySelector("[data-notice]")) {
    for (const part of card.querySelectorAll("[data-part]")) renew(part, element);
    return;
  }
  replaceCard(element);
}

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
  show(element);
  restoreDraft(element, draft);
}

function show(element) {
  stage.replaceChildren(element);
  attachWithin(element);
}

export function showNothing() {
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
  stage.replaceChildren(notice);
}
