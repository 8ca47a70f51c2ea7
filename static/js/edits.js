// What a reviewer writes instead of the agent's text or values: the one place that reads those fields.
import { visible } from "./page-text.js";
import { gettext } from "./words.js";

// In the order of the card: {name, before, after}; a secret says neither.
export function editsOf(form) {
  return [...form.querySelectorAll("[data-edit]")].filter(isChanged).map((field) => ({
    name: field.dataset.edit,
    before: "secret" in field.dataset ? "" : shown(field, firstValue(field)),
    after: "secret" in field.dataset ? gettext("another secret") : shown(field),
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

// A switch says its option's words, not what is sent for it.
function shown(field, value = field.value) {
  if (field.tagName !== "SELECT") return value;
  return [...field.options].find((option) => option.value === value).text;
}

// The agent's, struck out, beside the reviewer's.
export function showEdits(list, edits) {
  list.replaceChildren(...edits.map(line));
}

function line({ name, before, after }) {
  const value = document.createElement("dd");
  value.append(element("del", before || gettext("nothing")), " → ", element("ins", after || gettext("nothing")));
  const row = document.createElement("div");
  row.append(element("dt", name), value);
  return row;
}

function element(tag, words) {
  const made = document.createElement(tag);
  made.append(visible(words));
  return made;
}
