// The accessible name, as "Accessible Name and Description Computation 1.2" has it. It follows what
// is shown: slots, open shadow roots, and what a style puts before and after an element.
const NAMED_BY_CONTENT = new Set(
  ("button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox " +
    "menuitemradio option radio row rowheader switch tab tooltip treeitem").split(" "),
);
const NAMED_PARTS = 2_000; // a name is cut anyway: no page makes us walk further for one
const SILENT = new Set(["script", "style", "noscript", "template"]);
const CAPTIONS = { fieldset: "legend", table: "caption", figure: "figcaption" };
const DEFAULTS = { submit: "Submit", reset: "Reset", image: "Submit", file: "Choose File" };
const TEXT_TYPES = new Set("text search email tel url number range date time month week".split(" "));

const roleOf = (element) =>
  dom.attribute(element, "role")?.trim().split(/\s+/)[0] || getRole(element);

const orBlank = (text) => (text?.trim() ? text : "");
const referred = (element, attribute) => {
  const root = dom.root(element);
  const byId = root instanceof Document ? dom.byIdInDocument : isRoot(root) ? dom.byIdInRoot : null;
  const ids = dom.attribute(element, attribute)?.split(/\s+/).filter(Boolean) ?? [];
  return byId ? ids.map((id) => byId(root, id)).filter(Boolean) : [];
};

const isCut = (element) =>
  SILENT.has(dom.localName(element)) ||
  dom.attribute(element, "aria-hidden") === "true" ||
  (!dom.isShown(element) && getComputedStyle(element).display !== "contents");
const isUnseen = (element) =>
  isCut(element) ||
  getComputedStyle(element).visibility !== "visible" ||
  Boolean(dom.closest(element, "[aria-hidden=true]"));

// `content` as the browser computed it: what stands behind a slash is said instead.
const CONTENT_PARTS = /[\w-]+\((?:"(?:[^"\\]|\\.)*"|[^"()])*\)|"((?:[^"\\]|\\.)*)"|\//g;
const saidBy = (content) => {
  let said = "";
  for (const [part, string] of content.matchAll(CONTENT_PARTS)) {
    if (part === "/") said = "";
    else said += (string ?? "").replace(/\\(.)/g, "$1");
  }
  return said;
};
const addedBy = (element, where) => {
  const style = getComputedStyle(element, where);
  const said = style.display === "none" ? "" : saidBy(style.content);
  return said && style.display !== "inline" ? ` ${said} ` : said;
};

const childrenOf = (element) => {
  const slotted = element instanceof HTMLSlotElement ? dom.slotted(element) : [];
  const owned = referred(element, "aria-owns");
  return [...(slotted.length ? slotted : dom.childNodes(dom.shadowRoot(element) ?? element)), ...owned];
};

// `way` says how the name was come to: `why` is "self", "reference", "label" or "content"; where it
// `reveals`, what is hidden counts too; `seen` and `left` keep it from going round and on for ever.
const contentOf = (element, way) => {
  const isShown = way.reveals || getComputedStyle(element).visibility === "visible";
  let text = isShown ? addedBy(element, "::before") : "";
  for (const child of childrenOf(element)) {
    if (child instanceof Text) text += isShown ? dom.textContent(child) : "";
    else if (isElement(child)) text += asPart(child, way);
  }
  return text + (isShown ? addedBy(element, "::after") : "");
};
const asPart = (element, way) => {
  if (dom.localName(element) === "br") return " ";
  const text = nameBy(element, { ...way, why: "content" });
  return /^inline$|^contents$/.test(getComputedStyle(element).display) ? text : ` ${text} `;
};

// A control inside the name of another says its value; a secret one and a menu say nothing. Null
// for what is no control.
const chosenIn = (element) =>
  [...dom.all(element, "[aria-selected=true]")].map(dom.textContent).join(" ");
const valueByRole = (element) => {
  switch (dom.attribute(element, "role")) {
    case "textbox":
    case "searchbox":
      return dom.textContent(element);
    case "combobox":
      return dom.first(element, "[role=listbox]") ? chosenIn(element) : dom.textContent(element);
    case "listbox":
      return chosenIn(element);
    case "slider":
    case "spinbutton":
    case "scrollbar":
      return dom.attribute(element, "aria-valuetext") ?? dom.attribute(element, "aria-valuenow");
    case "menu":
      return "";
    default:
      return null;
  }
};
const valueInName = (element) => {
  if (isSecret(element)) return "";
  if (element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLInputElement && TEXT_TYPES.has(element.type)) return element.value;
  const byRole = valueByRole(element);
  if (byRole !== null || !(element instanceof HTMLSelectElement)) return byRole;
  return [...element.selectedOptions].map((option) => option.text).join(" ");
};

const captionOf = (element, way) => {
  const name = element instanceof SVGElement ? "title" : CAPTIONS[dom.localName(element)];
  const caption = name && [...dom.childrenOfElement(element)].find((c) => dom.localName(c) === name);
  if (!caption) return "";
  return element instanceof SVGElement ? dom.textContent(caption) : nameBy(caption, { ...way, why: "label" });
};
const labelled = (element, way) =>
  [...(element.labels ?? [])]
    .map((label) => nameBy(label, { ...way, why: "label", reveals: isUnseen(label) }))
    .join(" ");
const nativeName = (element, way) => {
  if (element instanceof HTMLFormElement) return "";
  const own = BUTTONS.has(typeOf(element)) && typeOf(element) !== "image" ? element.value : "";
  const said = ["img", "area", "input"].includes(dom.localName(element)) ? "alt" : "label";
  return (
    orBlank(labelled(element, way)) ||
    orBlank(own) ||
    orBlank(dom.attribute(element, said)) ||
    orBlank(captionOf(element, way))
  );
};

const referredName = (element, way) =>
  referred(element, "aria-labelledby")
    .map((label) => nameBy(label, { ...way, why: "reference", reveals: isUnseen(label) }))
    .join(" ");
const titleOf = (element) =>
  dom.matches(element, "[role=none],[role=presentation]") ? "" : dom.attribute(element, "title");

const isNamedByContent = (element, way) =>
  way.why !== "self" ||
  NAMED_BY_CONTENT.has(roleOf(element)) ||
  dom.localName(element) === "summary";

const nameBy = (element, way) => {
  if ((way.why === "content" && way.seen.has(element)) || way.left.parts-- <= 0) return "";
  way.seen.add(element);
  if (way.why === "content" && !way.reveals && isCut(element)) return "";
  if (element instanceof HTMLSlotElement) return contentOf(element, way);
  const byReference = way.isReferred ? "" : referredName(element, { ...way, isReferred: true });
  if (orBlank(byReference)) return byReference;
  const value = way.why === "self" ? null : valueInName(element);
  if (orBlank(value) || (value !== null && way.why === "content")) return value;
  const told =
    orBlank(dom.attribute(element, "aria-label")) ||
    nativeName(element, way);
  if (told) return told;
  const content = isNamedByContent(element, way) ? contentOf(element, way) : "";
  return (
    orBlank(content) ||
    orBlank(titleOf(element)) ||
    orBlank(dom.attribute(element, "placeholder")) ||
    (way.why === "self" && DEFAULTS[typeOf(element)]) ||
    content
  );
};

const nameOf = (element) =>
  nameBy(element, { why: "self", seen: new Set(), left: { parts: NAMED_PARTS }, reveals: false });
