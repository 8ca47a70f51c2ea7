// Notices above the stage about a card that is not open any more. Each stays until it is closed.
import { gettext } from "./words.js";

const place = document.querySelector("[data-notices]");

export function sayOfAnother(card, words) {
  const notice = document.createElement("p");
  notice.className = "notice notice-danger";
  notice.setAttribute("role", "alert");
  notice.append(linkTo(card), `: ${words} `, closer(notice));
  place.append(notice);
}

function linkTo(card) {
  const link = document.createElement("a");
  link.href = `/proposals/${card.dataset.card}`;
  link.dataset.select = card.dataset.card;
  link.append(...card.querySelector("h1").cloneNode(true).childNodes);
  return link;
}

function closer(notice) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link-button";
  button.textContent = gettext("Close");
  button.addEventListener("click", () => notice.remove());
  return button;
}
