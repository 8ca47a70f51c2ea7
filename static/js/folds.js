// Opens the step that the address names, so that a link to it shows it whole.
import { behaviour } from "./attach.js";

function openNamed() {
  const named = document.getElementById(location.hash.slice(1));
  named?.querySelectorAll("details[data-step-details]").forEach((details) => { details.open = true; });
}

behaviour("[data-timeline]", () => {
  openNamed();
  window.addEventListener("hashchange", openNamed);
});
