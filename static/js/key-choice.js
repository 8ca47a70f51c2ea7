// Which key does what: read off the sheet of keys, and changed there.
import { announce } from "./announce.js";
import { behaviour } from "./attach.js";
import { post } from "./post.js";
import { gettext } from "./words.js";

const inUse = new Map([...document.querySelectorAll("[data-help] [data-key-of]")].map((key) => [key.dataset.keyOf, key.textContent]));

export const keyOf = (act) => inUse.get(act);
export const actOf = (pressed) => [...inUse].find(([, key]) => key === pressed)?.[0] ?? null;

behaviour("[data-keys]", (form) => {
  form.addEventListener("keydown", (event) => {
    if (!event.target.matches("input") || event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.target.value = event.key;
    showProblem(form, conflictIn(form));
  });
  // A phone's keyboard names no keys: there the letter is written over.
  form.addEventListener("focusin", (event) => event.target.matches("input") && event.target.select());
  form.addEventListener("input", () => showProblem(form, conflictIn(form)));
  form.addEventListener("submit", (event) => { event.preventDefault(); keep(form); });
  form.querySelector("[data-keys-reset]").addEventListener("click", () => {
    for (const field of fieldsOf(form)) field.value = field.dataset.usual;
    keep(form);
  });
});

const fieldsOf = (form) => [...form.querySelectorAll("input[data-usual]")];
const wordsOf = (field) => field.closest("label").textContent.trim().split(";")[0];

function conflictIn(form) {
  const fields = fieldsOf(form);
  for (const field of fields) {
    const other = fields.find((one) => one !== field && one.value === field.value);
    if (other) return { message: twice(field, other), act: other.name };
  }
  return null;
}

function twice(field, other) {
  const values = { key: field.value, one: wordsOf(field), other: wordsOf(other) };
  return gettext("The key {key} would mean two things: {one}, and {other}.", values);
}

function showProblem(form, problem) {
  const notice = form.querySelector("[data-keys-problem]");
  notice.hidden = !problem;
  notice.textContent = problem?.message ?? "";
  for (const field of fieldsOf(form)) field.toggleAttribute("aria-invalid", field.name === problem?.act);
}

async function keep(form) {
  const { ok, said } = await post(form.dataset.url, new FormData(form)).catch(() => ({ ok: false, said: {} }));
  showProblem(form, ok ? null : { message: said.message ?? gettext("The server did not answer: your keys are as they were."), act: said.act });
  if (!ok) return;
  for (const [act, key] of Object.entries(said.keys)) {
    inUse.set(act, key);
    document.querySelectorAll(`[data-key-of="${act}"]`).forEach((shown) => { shown.textContent = key; });
  }
  announce(gettext("Your keys are kept"));
  form.closest("details").open = false;
}
