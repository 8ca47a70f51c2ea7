// Checks the record's chains where the link stands, a part at a time; what is broken stays listed.
import { behaviour } from "./attach.js";
import { announce } from "./announce.js";
import { gettext } from "./words.js";
import { fetchFragment, SignedOut } from "./fragments.js";

behaviour("[data-check]", (place) => {
  place.addEventListener("click", (event) => {
    const start = event.target.closest("[data-check-start]");
    if (!start) return;
    event.preventDefault();
    check(place, start);
  });
});

async function check(place, start) {
  if (place.getAttribute("aria-busy") === "true") return;
  place.setAttribute("aria-busy", "true");
  start.textContent = gettext("Checking…");
  const broken = [];
  try {
    await follow(place, start.href, broken);
  } catch (error) {
    if (!(error instanceof SignedOut)) complain(place, start);
  } finally {
    place.removeAttribute("aria-busy");
  }
}

async function follow(place, url, broken) {
  for (let next = url; next; ) {
    const { element } = await fetchFragment(next);
    if (!element) throw new Error("no answer");
    broken.push(...element.querySelectorAll("[data-broken]"));
    next = element.dataset.goOn;
    if (next) element.querySelector("[data-check-start]").remove();
    else if (broken.length) element.querySelector("[data-whole]")?.remove();
    element.prepend(...broken);
    place.replaceChildren(element);
  }
  announce(place.textContent.trim());
}

function complain(place, start) {
  start.textContent = gettext("Try again");
  place.replaceChildren(gettext("The check was not answered."), " ", start);
}
