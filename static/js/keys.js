// One key per act. None does anything while somebody types or holds a modifier.
import { announce } from "./announce.js";
import { openFilters } from "./filters.js";
import { openHelp } from "./help.js";
import { actOf } from "./key-choice.js";
import { focusChange } from "./lookup.js";
import { approveWords, undoPick } from "./picking.js";
import { openReject } from "./reject.js";
import { move } from "./select.js";
import { actableCard } from "./stage.js";
import { turnOver } from "./scene-tabs.js";
import { readTarget, targetsOf } from "./targets.js";

const TYPING = "input:not([type=radio]), textarea, select, [contenteditable]";

const acts = {
  next: () => move(1),
  previous: () => move(-1),
  approve: () => approve(),
  modify: () => modify(),
  point: () => actableCard()?.querySelector("[data-aim-open]")?.click(),
  full: () => turnOver(actableCard()),
  reject: () => withForm((form) => form.querySelector("[data-reject-panel]") && openReject(form)),
  undo: () => withForm(undoPick),
  filter: () => openFilters(),
  help: () => openHelp(),
};

document.addEventListener("keydown", (event) => {
  if (document.body.dataset.page !== "desk" || !isForUs(event)) return;
  const act = actFor(event.key);
  if (!act) return;
  event.preventDefault();
  act();
});

function actFor(key) {
  if (/^[1-9]$/.test(key)) return () => pick(Number(key) - 1);
  return key === "/" ? acts.filter : acts[actOf(key)];
}

function isForUs(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return false;
  return !event.target.closest?.(TYPING) && !document.querySelector("dialog[open]");
}

function withForm(act) {
  const form = actableCard()?.querySelector("[data-decision]");
  if (form) act(form);
}

// In the row where the focus is, else in the one whose numbers are on the picture.
function pick(index) {
  withForm((form) => {
    const row = document.activeElement.closest("[data-target]") ?? form.querySelector("[data-target][data-shown]");
    readTargetOrNothing(row)?.radios[index]?.click();
  });
}

const readTargetOrNothing = (element) => (element ? readTarget(element) : null);

function approve() {
  withForm((form) => {
    const button = form.querySelector("[data-approve]");
    if (!button || button.closest("[hidden]")) return;
    if (button.dataset.ready === "no") askForPick(form);
    else if (button.disabled) form.querySelector("[data-word]").focus();
    else button.click();
  });
}

// Says what is missing and goes to the first row that lacks it.
function askForPick(form) {
  announce(approveWords(form));
  const lacking = targetsOf(form).find(({ picked }) => picked < 0);
  const fold = lacking?.element.querySelector("details");
  if (!fold) return;
  fold.open = true;
  lacking.radios[0].focus();
}

function modify() {
  withForm((form) => {
    if (form.querySelector("[data-approve]")?.dataset.verb === "modify") approve();
    else focusChange(form);
  });
}
