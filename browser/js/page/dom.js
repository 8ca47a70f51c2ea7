// Reading the DOM as the browser has it, whatever the page redefined or named.
const KEY = Symbol.for("pointsman");
const STASH = Symbol.for("pointsman.stash");
const aria = globalThis.__pointsmanAria;

// A form's fields and a document's images shadow built-in properties by their names, in every
// world: `form.parentNode` may be an <input name="parentNode">. So the prototypes are asked.
const get = (prototype, name) => {
  const read = Object.getOwnPropertyDescriptor(prototype, name).get;
  return (node) => read.call(node);
};
const call = (prototype, name) => {
  const run = prototype[name];
  return (node, ...given) => run.apply(node, given);
};
const dom = {
  parentNode: get(Node.prototype, "parentNode"),
  parentElement: get(Node.prototype, "parentElement"),
  isConnected: get(Node.prototype, "isConnected"),
  nodeType: get(Node.prototype, "nodeType"),
  textContent: get(Node.prototype, "textContent"),
  childNodes: get(Node.prototype, "childNodes"),
  localName: get(Element.prototype, "localName"),
  id: get(Element.prototype, "id"),
  shadowRoot: get(Element.prototype, "shadowRoot"),
  slotOfElement: get(Element.prototype, "assignedSlot"),
  slotOfText: get(Text.prototype, "assignedSlot"),
  childrenOfElement: get(Element.prototype, "children"),
  childrenOfRoot: get(DocumentFragment.prototype, "children"),
  innerText: get(HTMLElement.prototype, "innerText"),
  isEditable: get(HTMLElement.prototype, "isContentEditable"),
  control: get(HTMLLabelElement.prototype, "control"),
  buttonType: get(HTMLButtonElement.prototype, "type"),
  formOfButton: get(HTMLButtonElement.prototype, "form"),
  formOfInput: get(HTMLInputElement.prototype, "form"),
  formOfSelect: get(HTMLSelectElement.prototype, "form"),
  formOfText: get(HTMLTextAreaElement.prototype, "form"),
  outerHTML: get(Element.prototype, "outerHTML"),
  slotted: call(HTMLSlotElement.prototype, "assignedNodes"),
  byIdInDocument: call(Document.prototype, "getElementById"),
  byIdInRoot: call(DocumentFragment.prototype, "getElementById"),
  root: call(Node.prototype, "getRootNode"),
  clone: call(Node.prototype, "cloneNode"),
  closest: call(Element.prototype, "closest"),
  matches: call(Element.prototype, "matches"),
  attribute: call(Element.prototype, "getAttribute"),
  box: call(Element.prototype, "getBoundingClientRect"),
  boxes: call(Element.prototype, "getClientRects"),
  first: call(Element.prototype, "querySelector"),
  all: call(Element.prototype, "querySelectorAll"),
  isShown: call(Element.prototype, "checkVisibility"),
  scrollIntoView: call(Element.prototype, "scrollIntoView"),
  scrollTo: call(Element.prototype, "scrollTo"),
  scrollLeft: get(Element.prototype, "scrollLeft"),
  scrollTop: get(Element.prototype, "scrollTop"),
  allOfRoot: call(DocumentFragment.prototype, "querySelectorAll"),
  allOfDocument: call(Document.prototype, "querySelectorAll"),
  hitOfDocument: call(Document.prototype, "elementFromPoint"),
  hitOfRoot: call(ShadowRoot.prototype, "elementFromPoint"),
  hitsOfRoot: call(ShadowRoot.prototype, "elementsFromPoint"),
  range: call(Document.prototype, "createRange"),
  focusOfDocument: get(Document.prototype, "activeElement"),
  focusOfRoot: get(ShadowRoot.prototype, "activeElement"),
};
const isElement = (node) => node instanceof Element;
const isRoot = (node) => node instanceof ShadowRoot;

// Of a document, a shadow root or an element.
const allIn = (root, selector) => {
  const all = root instanceof Document ? dom.allOfDocument : isRoot(root) ? dom.allOfRoot : dom.all;
  return all(root, selector);
};

// Also those inside open shadow roots, in the order they are read.
const everyElement = function* (root) {
  for (const element of allIn(root, "*")) {
    yield element;
    const inner = dom.shadowRoot(element);
    if (inner) yield* everyElement(inner);
  }
};

const TEXT = 200;
const CONTEXT = 120;
const NAME = 100;
const PATH = 2_000;
const ROWS = "tr,[role=row],li,[role=listitem],article,[role=article]";
const REGIONS =
  "dialog,[role=dialog],form,fieldset,section,aside,nav,header,footer,main,[role=region],[role=navigation]";
const INTERACTIVE =
  "a[href],button,input,select,textarea,summary,iframe,audio[controls],video[controls],[tabindex],[contenteditable],[role=button],[role=link],[role=checkbox],[role=menuitem],[role=tab],[role=option],[role=switch]";
const BUTTONS = new Set(["button", "submit", "reset", "image"]);
const cut = (text, limit) => (text ?? "").slice(0, limit).toWellFormed();
const squeeze = (text, limit) => cut((text ?? "").replace(/\s+/g, " ").trim(), limit);
const attempt = (compute) => {
  try {
    return compute() ?? "";
  } catch {
    return "";
  }
};
const textOf = (element) =>
  element instanceof HTMLElement ? dom.innerText(element) : dom.textContent(element);
const typeOf = (element) => (element instanceof HTMLInputElement ? element.type : "");

// The elements of the look that is being asked about; `at` says which look that is.
let current = "";
const held = () => globalThis[STASH]?.get(current) ?? [];
