// The small panel that asks why: quick reasons fill the text, which can still be changed.
import { behaviour } from "./attach.js";

behaviour("[data-decision]", (form) => {
  const panel = form.querySelector("[data-reject-panel]");
  if (!panel) return;
  form.querySelector("[data-reject-open]").addEventListener("click", () => openReject(form));
  form.querySelector("[data-reject-close]").addEventListener("click", () => closeReject(form));
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeReject(form);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) panel.querySelector("[data-send]").click();
  });
  const reason = panel.querySelector("[data-reason]");
  panel.querySelector("[data-quick-reasons]").addEventListener("click", (event) => {
    const quick = event.target.closest("[data-quick-reason]");
    if (!quick) return;
    reason.value = reason.value.trim() ? `${reason.value.trim()}. ${quick.dataset.quickReason}` : quick.dataset.quickReason;
    reason.focus();
  });
});

export function openReject(form) {
  showReject(form);
  form.querySelector("[data-reason]").focus();
}

export function showReject(form) {
  show(form, true);
}

function closeReject(form) {
  show(form, false);
  form.querySelector("[data-reject-open]").focus();
}

function show(form, rejecting) {
  form.querySelector("[data-reject-panel]").hidden = !rejecting;
  form.querySelector("[data-approve-panel]").hidden = rejecting;
  form.querySelector("[data-reject-open]").setAttribute("aria-expanded", String(rejecting));
}
