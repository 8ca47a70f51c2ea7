// A conversation: what is said is sent without leaving the page, and answers come as they are written.
import { announce } from "./announce.js";
import { attachWithin, behaviour } from "./attach.js";
import { fetchFragment, SignedOut } from "./fragments.js";
import { openLine } from "./line.js";
import { gettext } from "./words.js";

const GATHER_MS = 80;
const NEAR_PX = 120;
const LOST = gettext("The server did not answer: what you wrote is still here. Send it again; it counts once.");

const live = new Map(); // what each answer that is being written reads so far, by its turn and claim
let place;
let gathering;
let latestAsked = 0;

behaviour("[data-conversation]", (element) => {
  place = element;
  openLine(place.dataset.line, { onHint: hear, onDoubt: lookAgain });
  place.addEventListener("submit", act);
  scrollToEnd();
});

behaviour("[data-say]", (form) => {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    once(form, () => say(form));
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
});

function hear(hint) {
  if (hint.kind === "welcome") live.clear();
  if (hint.kind === "turn" || hint.kind === "state") gathering ??= setTimeout(look, GATHER_MS);
  if (hint.kind === "words") take(hint);
}

async function look() {
  gathering = undefined;
  await lookAgain();
}

// Without an answer the next poll, hint or reconnect asks again. A slow answer never undoes a later one.
async function lookAgain() {
  const mine = ++latestAsked;
  try {
    const { element } = await fetchFragment(place.dataset.url);
    if (element?.matches("[data-talk]") && mine === latestAsked) show(element);
  } catch (error) {
    if (!(error instanceof SignedOut)) console.info("Pointsman: no answer, will ask again", error.name);
  }
}

function show(fresh) {
  const old = place.querySelector("[data-talk]");
  const isAtEnd = endIsNear();
  const before = latestAnswer(old);
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  for (const fold of old.querySelectorAll("details[open]")) fresh.querySelector(`#${fold.id}`)?.setAttribute("open", "");
  old.replaceWith(fresh);
  attachWithin(fresh);
  for (const bubble of fresh.querySelectorAll("[data-live]")) showWords(bubble);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  if (isAtEnd) scrollToEnd();
  const after = latestAnswer(fresh);
  if (after && after.dataset.turn !== before?.dataset.turn) announce(gettext("{author} answered.", { author: after.dataset.author }));
}

const latestAnswer = (talk) => [...talk.querySelectorAll("[data-answer]")].at(-1);

// The server begins anew with the whole text on every new line, and goes on from there.
function take({ number, claim, from, to, text }) {
  const key = `${number} ${claim}`;
  const known = from ? live.get(key) : { text: "", to: 0 };
  if (known?.to !== from) return;
  live.set(key, { text: known.text + text, to });
  const bubble = place.querySelector(`[data-live="${number}"]`);
  if (!bubble) return;
  const isAtEnd = endIsNear();
  showWords(bubble);
  if (isAtEnd) scrollToEnd();
}

function showWords(bubble) {
  const known = live.get(`${bubble.dataset.live} ${bubble.dataset.claim}`);
  if (!known || known.to < Number(bubble.dataset.length)) return;
  bubble.querySelector("[data-words]").textContent = known.text;
  bubble.dataset.length = known.to;
}

function endIsNear() {
  const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
  return scrollHeight - scrollTop - clientHeight < NEAR_PX;
}

function scrollToEnd() {
  window.scrollTo({ top: document.documentElement.scrollHeight });
}

async function say(form) {
  const shown = place.querySelector("[data-talk]");
  form.elements.question.value = shown.dataset.question;
  const { status, element } = await fetchFragment(form.action, { method: "POST", body: new FormData(form) });
  if (!element) return complain(form, LOST);
  if (status !== 200) return complain(form, element.textContent.trim());
  form.reset();
  form.elements.key.value = element.dataset.key;
  complain(form, "");
  latestAsked += 1;
  show(element);
  scrollToEnd();
  form.elements.text.focus({ preventScroll: true });
}

// The buttons inside the conversation: send again, unpin.
function act(event) {
  const form = event.target.closest("[data-act]");
  if (!form) return;
  event.preventDefault();
  once(form, async () => {
    await fetchFragment(form.action, { method: "POST", body: new FormData(form) });
    await lookAgain();
  });
}

async function once(form, sending) {
  const button = form.querySelector("button");
  if (button.getAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  try {
    await sending();
  } catch (error) {
    if (!(error instanceof SignedOut)) complain(place.querySelector("[data-say]") ?? form, LOST);
  } finally {
    button.removeAttribute("aria-busy");
  }
}

function complain(form, words) {
  const notice = form.querySelector("[data-complaint]");
  if (!notice) return;
  notice.hidden = !words;
  notice.textContent = words;
}
