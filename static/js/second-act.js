// What cannot be undone asks for a typed word; until then its button stays shut.
import { behaviour } from "./attach.js";

behaviour("[data-decision]", (form) => {
  const act = form.querySelector("[data-second-act]");
  const word = form.querySelector("[data-word]");
  const button = form.querySelector(act?.dataset.guards ? `[data-send="${act.dataset.guards}"]` : "[data-approve]");
  if (!button) return;
  const check = () => {
    const typed = !act || word.value.trim().toLowerCase() === act.dataset.secondAct;
    button.disabled = button.dataset.ready === "no" || !typed;
  };
  form.addEventListener("readiness", check);
  word?.addEventListener("input", check);
  word?.addEventListener("keydown", (event) => {
    if (event.key === "Escape") word.blur(); // back to the keys
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (!button.disabled) button.click();
  });
  check();
});
