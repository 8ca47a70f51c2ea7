// Tells the others which card this person has open, as long as it really is on the screen.
import { behaviour } from "./attach.js";
import { csrfToken } from "./csrf.js";

const RENEW_MS = 30_000;

behaviour("[data-card]", (card) => {
  if (card.dataset.status !== "pending" || !card.querySelector("[data-decision]")) return;
  tellOpen(card);
  const timer = setInterval(() => (card.isConnected ? tellOpen(card) : clearInterval(timer)), RENEW_MS);
});

function tellOpen(card) {
  if (document.visibilityState !== "visible" || card.offsetParent === null) return;
  const body = new FormData();
  body.set("csrfmiddlewaretoken", csrfToken());
  // Advisory: when it is lost, the next one says the same.
  fetch(card.dataset.viewUrl, { method: "POST", body, credentials: "same-origin" }).catch(() => {});
}
