// What a reviewer writes instead of the agent's text or values: the one place that reads those fields.
import { visible } from "./page-text.js";

// In the order of the card: {name, before, after}; a secret says neither.
export function editsOf(form) {
  return [...form.querySelectorAll("[data-edit]")].filter(isChanged).map((field) => ({
    name: field.dataset.edit,
    before: "secret" in field.dataset ? "" : firstValue(field),
    after: "secret" in field.dataset ? "another secret" : field.value,
  }));
}

export function undoEdits(form) {
  for (const field of form.querySelectorAll("[data-edit]")) field.value = firstValue(field);
}

const isChanged = (field) => field.value !== firstValue(field);

export function firstValue(field) {
  if (field.tagName !== "SELECT") return field.defaultValue;
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]).value;
}

// The agent's, struck out, beside the reviewer's.
export function showEdits(list, edits) {
  list.replaceChildren(...edits.map(line));
}

function line({ name, before, after }) {
  const value = element("dd", "");
  value.append(element("del", before || "nothing"), " → ", element("ins", after || "nothing"));
  const row = element("div", "");
  row.append(element("dt", name), value);
  return row;
}

function element(tag, words) {
  const made = document.createElement(tag);
  made.append(visible(words));
  return made;
}
