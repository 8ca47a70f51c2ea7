// The watch: did the page change after the act, and what does a field hold now?
let watched = null;
const stateOf = (element) =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLSelectElement
    ? `${element.value}|${element.checked ?? ""}`
    : "";

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };
const rootAbove = (root) => (isRoot(root) ? dom.root(root.host) : null);

const watch = (position) => {
  watched?.observer.disconnect();
  const element = held()[position] ? fieldAt(position) : null;
  const changes = { count: 0 };
  const observer = new MutationObserver((records) => (changes.count += records.length));
  // A document's observer sees nothing inside shadow roots: each around the element is watched.
  for (let root = element ? dom.root(element) : document; root; root = rootAbove(root)) {
    observer.observe(root, EVERYTHING);
  }
  watched = {
    observer,
    changes,
    element,
    refused: [],
    state: stateOf(element),
    scroll: `${scrollX},${scrollY}`,
  };
  return true;
};

// The browser itself refuses to submit a form with such a field, and says so to that field.
const nameOfField = (field) =>
  squeeze(attempt(() => nameOf(field)), NAME) || cut(dom.attribute(field, "name") ?? "a field", NAME);
const onInvalid = (event) => {
  if (watched && isElement(event.target)) watched.refused.push(nameOfField(event.target));
};
addEventListener("invalid", onInvalid, { capture: true });
const refusedFields = () => [...new Set(watched?.refused ?? [])].slice(0, 10);

// What the watched act changed. Asked once the input is over, so the guard comes down with it.
const changesSince = () => {
  disarm();
  if (!watched) return ["document"];
  watched.changes.count += watched.observer.takeRecords().length;
  const found = [];
  if (watched.changes.count) found.push("dom");
  if (stateOf(watched.element) !== watched.state) found.push("value");
  if (`${scrollX},${scrollY}` !== watched.scroll) found.push("scroll");
  return found;
};

const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

const kindOf = (field) => {
  if (field instanceof HTMLSelectElement) return "select";
  if (field instanceof HTMLTextAreaElement) return "text";
  if (field instanceof HTMLInputElement) {
    return ["checkbox", "radio", "file"].includes(field.type) ? field.type : "text";
  }
  const role = dom.attribute(field, "role");
  if (CHECKABLE.has(role)) return role.includes("radio") ? "radio" : "checkbox";
  return field instanceof HTMLElement && dom.isEditable(field) ? "text" : "other";
};

const isChecked = (field) =>
  field instanceof HTMLInputElement
    ? field.checked
    : dom.attribute(field, "aria-checked") === "true";

// What a field holds now; null when it left the page. `values` and `labels` of chosen options.
const fieldState = (position) => {
  const field = held()[position] && fieldAt(position);
  if (!field || !dom.isConnected(field)) return null;
  const chosen = field instanceof HTMLSelectElement ? [...field.selectedOptions] : [];
  const isInput = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  return {
    kind: kindOf(field),
    type: typeOf(field),
    value: isInput ? field.value : textOf(field),
    checked: isChecked(field),
    values: chosen.map((option) => option.value),
    labels: chosen.map((option) => squeeze(option.label, TEXT)),
    files: field instanceof HTMLInputElement ? [...(field.files ?? [])].map((f) => f.name) : [],
  };
};
