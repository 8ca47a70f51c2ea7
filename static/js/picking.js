// Which candidate is picked, and what the main button therefore says and sends.
import { behaviour } from "./attach.js";
import { announce } from "./announce.js";
import { decisionPayload } from "./match-confidence.js";
import { centre } from "./zoom.js";

behaviour("[data-decision]", (form) => {
  form.addEventListener("change", (event) => {
    if (!event.target.matches("[data-pick]")) return;
    showPick(form);
    announce(form.querySelector("[data-approve-words]").textContent);
  });
  form.querySelector("[data-undo]")?.addEventListener("click", () => undoPick(form));
  showPick(form);
});

export function pickedIndex(form) {
  return Number(form.querySelector("[data-pick]:checked")?.value ?? -1);
}

export function starredIndex(form) {
  return Number(form.closest("[data-card]").dataset.starred);
}

export function undoPick(form) {
  const starred = starredIndex(form);
  for (const radio of form.querySelectorAll("[data-pick]")) radio.checked = Number(radio.value) === starred;
  showPick(form);
  announce(form.querySelector("[data-approve-words]").textContent);
}

export function showPick(form) {
  const approve = form.querySelector("[data-approve]");
  if (!approve) return;
  const card = form.closest("[data-card]");
  const [picked, starred] = [pickedIndex(form), starredIndex(form)];
  const count = Number(card.dataset.candidates);
  const payload = decisionPayload({ version: Number(card.dataset.version), picked, starred, count });
  approve.dataset.ready = payload ? "yes" : "no";
  approve.formAction = payload?.verb === "modify" ? form.dataset.modifyUrl : form.dataset.approveUrl;
  form.querySelector("[data-approve-words]").textContent = words(payload, picked, count);
  showChange(form, picked, starred);
  for (const box of card.querySelectorAll("[data-box]")) {
    box.toggleAttribute("data-picked", Number(box.dataset.box) === picked);
    box.setAttribute("aria-pressed", String(Number(box.dataset.box) === picked));
  }
  const zoomed = card.querySelector(".scene-frame[data-zoomed]");
  if (zoomed) centre(zoomed);
  form.dispatchEvent(new CustomEvent("readiness"));
}

function words(payload, picked, count) {
  if (!payload) return "Pick a candidate first";
  if (count === 0) return "Approve";
  return payload.verb === "modify" ? `Approve #${picked + 1} instead` : `Approve #${picked + 1}`;
}

function showChange(form, picked, starred) {
  const change = form.querySelector("[data-change]");
  if (!change) return;
  change.hidden = picked < 0 || picked === starred;
  const from = starred >= 0 ? `instead of the starred #${starred + 1}` : "nothing was starred";
  change.querySelector("[data-change-words]").textContent = `Your pick: #${picked + 1}, ${from}`;
}
