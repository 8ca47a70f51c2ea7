// One key per act. None does anything while somebody types or holds a modifier.
import { announce } from "./announce.js";
import { openHelp } from "./help.js";
import { pickedIndex, starredIndex, undoPick } from "./picking.js";
import { openReject } from "./reject.js";
import { move } from "./select.js";
import { openCardElement } from "./stage.js";

const TYPING = "input:not([type=radio]), textarea, select, [contenteditable]";

const acts = {
  j: () => move(1),
  k: () => move(-1),
  a: () => approve(),
  m: () => modify(),
  r: () => withForm((form) => form.querySelector("[data-reject-panel]") && openReject(form)),
  u: () => withForm(undoPick),
  "?": () => openHelp(),
};

document.addEventListener("keydown", (event) => {
  if (document.body.dataset.page !== "desk" || !isForUs(event)) return;
  const act = acts[event.key] ?? (/^[1-9]$/.test(event.key) ? () => pick(Number(event.key) - 1) : null);
  if (!act) return;
  event.preventDefault();
  act();
});

function isForUs(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return false;
  return !event.target.closest?.(TYPING) && !document.querySelector("dialog[open]");
}

function withForm(act) {
  const form = openCardElement()?.querySelector("[data-decision]");
  if (form) act(form);
}

function pick(index) {
  withForm((form) => form.querySelector(`[data-pick][value="${index}"]`)?.click());
}

function approve() {
  withForm((form) => {
    const button = form.querySelector("[data-approve]");
    if (!button || button.closest("[hidden]")) return;
    if (button.dataset.ready === "no") announce("Pick a candidate first");
    else if (button.disabled) form.querySelector("[data-word]").focus();
    else button.click();
  });
}

function modify() {
  withForm((form) => {
    const [picked, starred] = [pickedIndex(form), starredIndex(form)];
    if (starred < 0 || picked < 0 || picked === starred) announce("Pick another candidate than the starred one first");
    else approve();
  });
}
