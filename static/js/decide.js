// Sends a decision without leaving the page and shows what became of the card.
import { behaviour } from "./attach.js";
import { announce } from "./announce.js";
import { fetchFragment, SignedOut } from "./fragments.js";
import { replaceCard } from "./stage.js";
import { refreshRow } from "./rows.js";
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
  if (form.dataset.busy) return;
  form.dataset.busy = "yes";
  button.setAttribute("aria-busy", "true");
  const card = form.closest("[data-card]");
  try {
    const { status, element } = await fetchFragment(button.formAction, { method: "POST", body: new FormData(form) });
    if (!element) return complain(form, status === 403 ? OUT_WORDS : LOST_WORDS);
    if (card.isConnected) replaceCard(element);
    tell(element);
    await refreshRow(element.dataset.card);
  } catch (error) {
    complain(form, error instanceof SignedOut ? OUT_WORDS : LOST_WORDS);
  } finally {
    delete form.dataset.busy;
    button.removeAttribute("aria-busy");
  }
}

function tell(card) {
  const said = card.querySelector("[data-notice], [data-verdict] b");
  if (said) announce(said.textContent.trim());
}

function complain(form, words) {
  form.querySelector("[data-complaint]")?.remove();
  const notice = document.createElement("p");
  notice.className = "notice notice-danger";
  notice.dataset.complaint = "";
  notice.setAttribute("role", "alert");
  notice.textContent = words;
  form.querySelector("[data-bar]").prepend(notice);
}
