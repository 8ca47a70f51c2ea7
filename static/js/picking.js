// Which candidates are picked, and what the main button therefore says and sends.
import { behaviour } from "./attach.js";
import { announce } from "./announce.js";
import { editsOf, showEdits, undoEdits } from "./edits.js";
import { decisionPayload, decisionPayloadOf } from "./match-confidence.js";
import { changedOf, markOf, targetsOf } from "./targets.js";
import { centre } from "./zoom.js";
import { gettext, ngettext } from "./words.js";

const firstWords = new WeakMap(); // what a row said as the server made it

behaviour("[data-decision]", (form) => {
  form.addEventListener("change", (event) => {
    if (!event.target.matches("[data-pick]")) return;
    showPick(form);
    announce(approveWords(form));
  });
  form.addEventListener("found", () => showPick(form));
  form.addEventListener("input", (event) => event.target.matches("[data-edit]") && showPick(form));
  form.querySelector("[data-undo]")?.addEventListener("click", () => undoPick(form));
  showPick(form);
});

// What the main button says when there is nothing to pick.
function plainWords(form) {
  return form.querySelector("[data-approve-words]").dataset.plainWords ?? gettext("Approve");
}

export const approveWords = (form) => form.querySelector("[data-approve-words]")?.textContent ?? "";

export function undoPick(form) {
  for (const { radios, starred } of targetsOf(form)) {
    for (const radio of radios) radio.checked = Number(radio.value) === starred;
  }
  undoEdits(form);
  showPick(form);
  announce(approveWords(form));
}

export function showPick(form) {
  const approve = form.querySelector("[data-approve]");
  if (!approve) return;
  const card = form.closest("[data-card]");
  const targets = targetsOf(form);
  const edits = editsOf(form);
  const said = payloadOf(form, card, targets, edits);
  approve.dataset.verb = said.verb ?? "";
  approve.dataset.ready = said.verb ? "yes" : "no";
  approve.formAction = said.verb === "modify" ? form.dataset.modifyUrl : form.dataset.approveUrl;
  form.querySelector("[data-approve-words]").textContent = words(form, said, targets, edits);
  showChange(form, targets, edits);
  for (const target of targets) showInRow(target);
  showOnPicture(card, targets);
  form.dispatchEvent(new CustomEvent("readiness"));
}

// Writing something else, or picking what was looked up, is a change even where nothing was starred.
function payloadOf(form, card, targets, edits) {
  const version = Number(card.dataset.version);
  const several = targets.length > 1;
  const said = several ? decisionPayloadOf({ version, targets }) : decisionPayload({ version, ...targets[0] }) ?? { verb: null };
  const isChanged = edits.length > 0 || form.querySelector("[data-found] [data-pick]:checked") !== null;
  if (said.verb && isChanged) return { ...said, verb: "modify" };
  if (said.verb === "approve" && "waitsForAnother" in form.dataset) return { verb: null, waits: true };
  return said;
}

function words(form, said, targets, edits) {
  if (said.waits) return gettext("Waiting for another person");
  if (targets.length > 1) return wordsOfSeveral(said, targets, edits);
  if (!said.verb) return gettext("Pick a candidate first");
  if (edits.length) return gettext("Approve with your change");
  if (!targets.length) return plainWords(form);
  const number = targets[0].picked + 1;
  return said.verb === "modify" ? gettext("Approve #{number} instead", { number }) : gettext("Approve #{number}", { number });
}

function wordsOfSeveral(said, targets, edits) {
  if (!said.verb) return gettext("Pick for {names} first", { names: listed(said.missing.map((index) => targets[index].name)) });
  const count = changedOf(targets).filter(({ starred }) => starred >= 0).length + edits.length || 1;
  if (said.verb === "modify") return ngettext("Approve with {count} change", "Approve with {count} changes", count);
  return targets.length > 2 ? gettext("Approve all {count}", { count: targets.length }) : gettext("Approve both");
}

function listed(names) {
  if (names.length < 3) return names.join(` ${gettext("and")} `);
  return gettext("{name} and {count} more", { name: names[0], count: names.length - 1 });
}

function showChange(form, targets, edits) {
  const change = form.querySelector("[data-change]");
  if (!change) return;
  const changed = changedOf(targets);
  change.hidden = changed.length + edits.length === 0;
  showEdits(change.querySelector("[data-edits]"), edits);
  const several = targets.length > 1;
  const picks = changed.map((target) => changeWords(target, several)).join("; ");
  change.querySelector("[data-change-words]").textContent = changed.length === 0
    ? gettext("You write something else:")
    : ngettext("Your pick: {picks}", "Your picks: {picks}", changed.length, { picks });
}

function changeWords({ name, picked, starred }, several) {
  const numbers = { number: picked + 1, starred: starred + 1 };
  const isInstead = starred >= 0;
  if (several) return `${name} ${isInstead ? gettext("#{number} instead of #{starred}", numbers) : `#${picked + 1}`}`;
  if (isInstead) return gettext("#{number}, instead of the starred #{starred}", numbers);
  return gettext("#{number}, nothing was starred", numbers);
}

// A row of the table says in its head what is picked.
function showInRow({ element, chosen, picked, starred, count }) {
  const meant = element.querySelector("[data-meant]");
  if (!meant) return;
  if (!firstWords.has(meant)) firstWords.set(meant, [...meant.childNodes]);
  element.toggleAttribute("data-lacks", picked < 0);
  if (picked === starred || !chosen) meant.replaceChildren(...firstWords.get(meant));
  else meant.replaceChildren(...(count > 1 ? [`#${picked + 1} `] : []), nameOf(chosen));
  const [star, own] = [element.querySelector("[data-star]"), element.querySelector("[data-own-pick]")];
  if (star) star.hidden = picked !== starred;
  if (own) own.hidden = picked < 0 || picked === starred;
}

const nameOf = (radio) => radio.closest("[data-candidate]").querySelector(".candidate-name").cloneNode(true);

// Of a row whose numbers the picture does not show, only the picked candidate keeps its box.
function showOnPicture(card, targets) {
  const picked = new Set(targets.flatMap(({ chosen }) => (chosen ? [markOf(chosen)] : [])));
  const settled = new Set(targets.flatMap(({ chosen, radios }) => (chosen ? radios.map(markOf) : [])));
  for (const box of card.querySelectorAll("[data-box]")) {
    const mark = box.dataset.box;
    box.toggleAttribute("data-picked", picked.has(mark));
    box.setAttribute("aria-pressed", String(picked.has(mark)));
    if (box.dataset.ofRow) box.toggleAttribute("data-quiet", settled.has(mark) && !picked.has(mark));
  }
  const zoomed = card.querySelector(".scene-frame[data-zoomed]");
  if (zoomed) centre(zoomed);
}
