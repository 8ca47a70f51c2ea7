// Sends a decision without leaving the page and shows what became of the card.
import { behaviour } from "./attach.js";
import { announce } from "./announce.js";
import { fetchFragment, SignedOut } from "./fragments.js";
import { isOpen, openCardElement, replaceCard, showDecided } from "./stage.js";
import { refreshRow } from "./rows.js";
import { sayOfAnother } from "./notices.js";
import { gettext } from "./words.js";

const LOST_WORDS = gettext("The server did not answer, so we cannot tell whether this was stored. Sending it again is safe: it counts once.");
const OUT_WORDS = gettext("You are signed out. Sign in in another tab, then send this again.");

behaviour("[data-decision]", (form) => {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.matches("[data-send]")) decide(form, event.submitter);
  });
});

async function decide(form, button) {
  const card = form.closest("[data-card]");
  if (form.dataset.busy || !isOpen(card.dataset.card)) return;
  form.dataset.busy = "yes";
  button.setAttribute("aria-busy", "true");
  try {
    const { status, element } = await fetchFragment(button.formAction, { method: "POST", body: new FormData(form) });
    if (element) show(element, status);
    else complain(card, status === 403 ? OUT_WORDS : LOST_WORDS);
  } catch (error) {
    complain(card, error instanceof SignedOut ? OUT_WORDS : LOST_WORDS);
  } finally {
    delete form.dataset.busy;
    button.removeAttribute("aria-busy");
  }
}

// The reviewer may have gone on to another card meanwhile.
function show(element, status) {
  const id = element.dataset.card;
  if (status === 200) showDecided(element);
  else if (isOpen(id)) replaceCard(element);
  else sayOfAnother(element, element.querySelector("[data-notice]").textContent.trim());
  const said = element.querySelector("[data-notice], [data-verdict] b");
  if (said) announce(said.textContent.trim());
  refreshRow(id).catch(() => {}); // the next hint or poll asks again
}

function complain(card, words) {
  if (!isOpen(card.dataset.card)) return sayOfAnother(card, words);
  const form = openCardElement().querySelector("[data-decision]");
  form?.querySelector("[data-complaint]")?.remove();
  const notice = document.createElement("p");
  notice.className = "notice notice-danger";
  notice.dataset.complaint = "";
  notice.setAttribute("role", "alert");
  notice.textContent = words;
  (form?.querySelector("[data-bar]") ?? openCardElement().querySelector(".panel-scroll")).prepend(notice);
}
