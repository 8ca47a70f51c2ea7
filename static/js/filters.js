// Narrows the queue while it is typed and chosen; the choice stands in the address.
import { behaviour } from "./attach.js";
import { reloadList } from "./rows.js";

const TYPING_MS = 250;
const fold = document.querySelector("[data-filters-fold]");
let waiting;

behaviour("[data-filters]", (form) => {
  form.addEventListener("submit", (event) => { event.preventDefault(); apply(form); });
  form.addEventListener("change", () => apply(form));
  form.addEventListener("input", (event) => {
    if (!event.target.matches("[type=search]")) return;
    clearTimeout(waiting);
    waiting = setTimeout(apply, TYPING_MS, form);
  });
  addEventListener("popstate", () => show(form));
});

document.addEventListener("click", (event) => {
  if (!fold || !event.target.closest("[data-filters-clear]")) return;
  event.preventDefault();
  const form = fold.querySelector("[data-filters]");
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = false;
    else field.value = "";
  }
  apply(form);
});

export function openFilters() {
  if (!fold) return;
  fold.open = true;
  fold.querySelector("select, input").focus();
}

function chosenIn(form) {
  return new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim()));
}

function apply(form) {
  clearTimeout(waiting);
  const query = chosenIn(form).toString();
  if (query === location.search.slice(1)) return;
  history.replaceState(history.state, "", query ? `${location.pathname}?${query}` : location.pathname);
  mark(form);
  reloadList().catch(() => {}); // the next poll or hint asks again
}

function mark(form) {
  const count = [...chosenIn(form)].length;
  const badge = fold.querySelector("[data-filter-count]");
  badge.textContent = count;
  badge.hidden = count === 0;
  document.querySelector(".desk").toggleAttribute("data-filtered", count > 0);
}

// Another address, by the way back: the form says what that one says.
function show(form) {
  const query = new URLSearchParams(location.search);
  if (query.toString() === chosenIn(form).toString()) return;
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = query.has(field.name);
    else if (field.name) field.value = query.get(field.name) ?? "";
  }
  mark(form);
  reloadList().catch(() => {});
}
