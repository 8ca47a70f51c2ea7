// Sends a message to the agent without leaving the card or what is half done on it.
import { behaviour } from "./attach.js";
import { announce } from "./announce.js";
import { fetchFragment } from "./fragments.js";
import { showFresh } from "./stage.js";
import { gettext } from "./words.js";

const LOST = gettext("The server did not answer: look whether your message is on the card before you send it again.");

behaviour("[data-message]", (form) => {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy")) return;
    button.setAttribute("aria-busy", "true");
    await send(form).catch(() => complain(form, LOST));
    button.removeAttribute("aria-busy");
  });
});

async function send(form) {
  const { status, element } = await fetchFragment(form.action, { method: "POST", body: new FormData(form) });
  if (!element) return complain(form, LOST);
  if (status === 200) {
    const menu = form.closest("[data-menu]");
    form.reset();
    menu.open = false;
    menu.querySelector("summary").focus();
    announce(gettext("Your message was sent."));
  }
  if (form.isConnected) showFresh(element);
}

function complain(form, words) {
  form.querySelector("[data-complaint]")?.remove();
  const notice = document.createElement("p");
  notice.className = "notice notice-danger";
  notice.dataset.complaint = "";
  notice.setAttribute("role", "alert");
  notice.textContent = words;
  form.prepend(notice);
}
