// Looks up another selector, or a point of the picture, on the waiting page and offers what it finds
// as one more candidate.
import { announce } from "./announce.js";
import { attachWithin, behaviour } from "./attach.js";
import { arrangeBoxes } from "./boxes.js";
import { csrfToken } from "./csrf.js";
import { fetchFragment } from "./fragments.js";
import { gettext } from "./words.js";

const SLOW_MS = 300;
const AGAIN_MS = 1_000;
const TRIES = 20;
const LOST_WORDS = gettext("The server did not answer. Nothing was changed: look it up again.");
const OUT_WORDS = gettext("You are signed out. Sign in in another tab, then look it up again.");
const LATE_WORDS = gettext("The page did not answer in time. Nothing was changed: look it up again.");

let latest = 0;

behaviour("[data-lookup]", (panel) => {
  const field = panel.querySelector("[data-lookup-selector]");
  const go = () => field.value.trim() && lookUp(panel.closest("form"), { selector: field.value.trim() });
  panel.querySelector("[data-lookup-go]").addEventListener("click", go);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") field.blur(); // back to the keys
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    go();
  });
});

behaviour("[data-change-open]", (button) => button.addEventListener("click", () => focusChange(button.form)));

// Goes to where another element is named, else to what may be written instead. Sends nothing.
export function focusChange(form) {
  const field = form.querySelector("[data-lookup-selector]") ?? form.querySelector("[data-edit]");
  if (!field) return announce(gettext("This call names no element that could be another"));
  const fold = field.closest("details");
  if (fold) fold.open = true;
  field.focus();
}

// `asked` is {selector} or {point: {x, y}} in CSS px of the whole page.
export async function lookUp(form, asked) {
  const turn = ++latest;
  const panel = form.querySelector("[data-lookup]");
  complain(panel, "");
  const done = busy(panel);
  try {
    const found = await ask(panel, asked);
    if (turn === latest && form.isConnected) offer(form, found);
  } catch (error) {
    if (turn === latest) complain(panel, error instanceof Refused ? error.message : LOST_WORDS);
  } finally {
    if (turn === latest) done();
  }
}

class Refused extends Error {}

async function ask(panel, asked) {
  const response = await fetch(panel.dataset.previewUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(asked),
  });
  const said = await response.json();
  if (!response.ok) throw new Refused(refusal(response.status, said));
  return answered(panel.dataset.foundUrl + said.id);
}

function refusal(status, said) {
  if (status === 401 || status === 403) return OUT_WORDS;
  return said.errors?.[0]?.message ?? said.detail;
}

async function answered(url, tries = TRIES) {
  const { element } = await fetchFragment(url);
  if (!element) throw new Refused(gettext("This card is gone, or it belongs to another team."));
  if (element.dataset.state !== "waiting") return element;
  if (tries === 0) throw new Refused(LATE_WORDS);
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  return answered(url, tries - 1);
}

function busy(panel) {
  const line = panel.querySelector("[data-lookup-busy]");
  const timer = setTimeout(() => { line.hidden = false; announce(gettext("Looking on the page")); }, SLOW_MS);
  return () => { clearTimeout(timer); line.hidden = true; };
}

function complain(panel, words) {
  panel.querySelector("[data-lookup-error]")?.remove();
  if (!words) return;
  const error = document.createElement("p");
  error.className = "lookup-error";
  error.dataset.lookupError = "";
  error.setAttribute("role", "alert");
  error.textContent = words;
  panel.append(error);
}

// What was found before gives way; what means one element is picked at once.
function offer(form, found) {
  showFound(form, found);
  const radio = found.querySelector("[data-pick]");
  if (radio) radio.checked = true;
  form.querySelector("[data-found]").dispatchEvent(new CustomEvent("found", { bubbles: true }));
  announce(found.querySelector("[data-look-words]").textContent.trim());
  found.scrollIntoView({ block: "center" });
}

export function showFound(form, found) {
  const place = form.querySelector("[data-found]");
  place.replaceChildren(found);
  attachWithin(found);
  place.closest("details")?.setAttribute("open", "");
  form.closest("[data-card]").querySelectorAll("[data-picture]").forEach(showFoundOn);
}

// Also on a picture that came later.
export function showFoundOn(picture) {
  picture.querySelector("[data-found-box]")?.remove();
  const found = picture.closest("[data-card]").querySelector("[data-found] > *");
  const template = found?.querySelector(picture.matches("[data-whole]") ? "[data-found-on-page]" : "[data-found-place]");
  const box = template?.content.firstElementChild?.cloneNode(true);
  if (box) {
    box.dataset.foundBox = "";
    if (picture.matches("[data-whole]")) placeOnPage(box, template.dataset, picture.dataset);
    picture.querySelector(box.matches(".box") ? "[data-boxes]" : "[data-offstage]").append(box);
  }
  arrangeBoxes(picture);
}

// From CSS px of the page to percent of its picture.
function placeOnPage(box, { x, y, width, height }, page) {
  Object.assign(box.dataset, {
    left: (100 * x) / page.width, boxWidth: (100 * width) / page.width,
    top: (100 * y) / page.height, boxHeight: (100 * height) / page.height,
  });
}
