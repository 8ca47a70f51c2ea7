// What Enter in an element sets off: which controls the browser, or a component, presses for it.
const SUBMITTERS = "button,input[type=submit],input[type=image]";
const isSubmitter = (element) =>
  element instanceof HTMLButtonElement
    ? dom.buttonType(element) === "submit"
    : element instanceof HTMLInputElement && ["submit", "image"].includes(typeOf(element));

// Enter presses it and nothing else. Its role is only what the page says of it: a field stays one.
const isFieldOfForm = (element) =>
  element instanceof HTMLSelectElement ||
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && !BUTTONS.has(typeOf(element)));
const pressesItself = (element) =>
  !isFieldOfForm(element) &&
  !(element instanceof HTMLElement && dom.isEditable(element)) &&
  dom.matches(element, "button,input,a[href],summary,[role=button],[role=link]");

const ownerOf = (element) => {
  if (element instanceof HTMLButtonElement) return dom.formOfButton(element);
  if (element instanceof HTMLInputElement) return dom.formOfInput(element);
  if (element instanceof HTMLSelectElement) return dom.formOfSelect(element);
  return element instanceof HTMLTextAreaElement ? dom.formOfText(element) : null;
};

// The form it belongs to; a part of a component belongs to the form around that.
const formOf = (element) => {
  for (let node = ownerOf(element) ?? element; node; node = parentOf(node)) {
    if (node instanceof HTMLFormElement) return node;
  }
  return null;
};

// Buttons of components inside the form: the form itself knows nothing of them.
const insideComponents = function* (root, selector) {
  for (const element of allIn(root, "*")) {
    const inner = dom.shadowRoot(element);
    if (!inner) continue;
    yield* dom.allOfRoot(inner, selector);
    yield* insideComponents(inner, selector);
  }
};

const submittersOf = (form) => {
  const all = [...allIn(dom.root(form), SUBMITTERS)];
  const own = all.filter((one) => isSubmitter(one) && ownerOf(one) === form);
  return own.length ? own : [...insideComponents(form, SUBMITTERS)].filter(isSubmitter);
};

// The first one is pressed. While that is disabled nothing is, but the page may change that as soon
// as it sees what is written: any of them may be the one then.
const pressedIn = (form) => {
  const all = submittersOf(form);
  return all.length && !isEnabled(all[0]) ? all : all.slice(0, 1);
};

const OTHER_BUTTONS = "button,input[type=button],[role=button]";
const otherButtonsOf = (form) => [
  ...dom.all(form, OTHER_BUTTONS),
  ...insideComponents(form, OTHER_BUTTONS),
];

const wordsOf = (control) => {
  const value = control instanceof HTMLInputElement ? control.value : "";
  const said = [attempt(() => nameOf(control)), textOf(control), value];
  return [...new Set(said.map((words) => squeeze(words, TEXT)))].filter(Boolean);
};

// What Enter in a field presses for it. `is_known` is false where only the page's own scripts could
// say. A form without a button that submits may still have one that they press.
const setOffOf = (element) => {
  const form = formOf(element);
  const pressed = form ? pressedIn(form) : [];
  const asked = pressed.length || !form ? pressed : otherButtonsOf(form);
  return { asked, is_known: pressed.length > 0 };
};

const MOST_BUTTONS = 20;
const setOffIn = (element) => {
  if (pressesItself(element)) return { words: [], is_known: true };
  const { asked, is_known } = setOffOf(element);
  return { words: [...new Set(asked.slice(0, MOST_BUTTONS).flatMap(wordsOf))], is_known };
};

const setOffByEnter = (positions) => positions.map((position) => setOffIn(fieldAt(position)));
