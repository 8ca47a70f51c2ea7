// The role and the accessible name, by ivya: Playwright's own code for them, kept as a library. Of
// what it reads, tag names, attributes and added content go through us while it is asked.
const NAMED_PARTS = 2_000; // a name is cut anyway: no page makes us walk further for one
const LONG = 10_000;
const orBlank = (text) => (text?.trim() ? text : "");

// `content` as the browser computed it: what stands behind a slash is said instead.
const CONTENT_PARTS = /[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^"()])*\)|"((?:[^"\\]|\\.)*)"|\//g;
const saidBy = ({ content, display }) => {
  let said = "";
  for (const [part, string] of display === "none" ? [] : content.matchAll(CONTENT_PARTS)) {
    if (part === "/") said = "";
    else said += (string ?? "").replace(/\\(.)/g, "$1");
  }
  return { content: `"${said}"`, display };
};

// Whose name is asked for, what stands around that element, and the parts met so far. A template
// says nothing to the library: so that is what it sees in the place of another field's secret, and
// of whatever comes after so many parts. An element that is seen, though kept from assistive tools,
// is named like any other.
let asked = null;
const isUnsaid = (part) =>
  asked.met.add(part).size > NAMED_PARTS ||
  (part !== asked.element && !(part instanceof HTMLLabelElement) && isSecret(part));
const attributeFor = (part, name) =>
  name === "aria-hidden" && asked.around.has(part)
    ? null
    : (dom.attribute(part, name)?.slice(0, LONG) ?? null);

// For good, since to change them to and fro costs more than the naming. Unasked, they say what is so.
const tagOf = get(Element.prototype, "tagName");
const styleOf = getComputedStyle;
Object.defineProperty(Element.prototype, "tagName", {
  get() {
    return asked && isUnsaid(this) ? "TEMPLATE" : tagOf(this);
  },
});
Element.prototype.getAttribute = function getAttribute(name) {
  return asked ? attributeFor(this, name) : dom.attribute(this, name);
};
globalThis.getComputedStyle = (part, pseudo) =>
  asked && pseudo ? saidBy(styleOf(part, pseudo)) : styleOf(part, pseudo);

const ask = (compute, element, around) => {
  asked = { element, around, met: new Set() };
  aria.beginAriaCaches();
  try {
    return compute(element, false) ?? "";
  } finally {
    aria.endAriaCaches();
    asked = null;
  }
};

// What the library cannot name: an area of a picture, which has no style of its own; and what stands
// in a form whose fields took the places of its properties, for the library asks every form around.
const MASKABLE = (
  "ownerDocument parentElement parentNode assignedSlot shadowRoot nodeName getAttribute"
).split(" ");
const isMasked = (node) =>
  node instanceof HTMLFormElement &&
  MASKABLE.some((name) => node[name] !== Reflect.get(HTMLFormElement.prototype, name, node));
const plainNameOf = (element) =>
  orBlank(dom.attribute(element, "aria-label")) ||
  orBlank(dom.attribute(element, "alt")) ||
  orBlank([...(element.labels ?? [])].map(textOf).join(" ")) ||
  orBlank(textOf(element)) ||
  dom.attribute(element, "title");

const selfAndAround = (element) => {
  const nodes = new Set();
  for (let node = element; node; node = parentOf(node)) nodes.add(node);
  return nodes;
};
const roleOf = (element) => ask(aria.getAriaRole, element, new Set());
const nameOf = (element) => {
  const nodes = selfAndAround(element);
  const isPlain = element instanceof HTMLAreaElement || [...nodes].some(isMasked);
  return isPlain ? plainNameOf(element) : ask(aria.getElementAccessibleName, element, nodes);
};
