// What an element is: everything a person or a model is told of it.
const attributesOf = (element) => {
  const found = {};
  for (const name of ["id", "name", "type", "data-testid", "aria-label", "placeholder", "title"]) {
    const value = dom.attribute(element, name);
    if (value !== null) found[name] = cut(value, TEXT);
  }
  const href = dom.attribute(element, "href");
  if (href !== null) found.href = cut(href, 500);
  if (BUTTONS.has(typeOf(element))) found.value = cut(element.value, TEXT);
  return found;
};

const step = (element) => {
  const parent = dom.parentNode(element);
  const children = isElement(parent)
    ? dom.childrenOfElement(parent)
    : isRoot(parent)
      ? dom.childrenOfRoot(parent)
      : [];
  const name = cut(dom.localName(element), NAME);
  const twins = [...children].filter((sibling) => cut(dom.localName(sibling), NAME) === name);
  return twins.length > 1 ? `${name}:nth-of-type(${twins.indexOf(element) + 1})` : name;
};

const isOnlyOne = (id, root) => {
  const all = root instanceof Document ? dom.allOfDocument : dom.allOfRoot;
  return all(root, `#${CSS.escape(id)}`).length === 1;
};

const pathOf = (element) => {
  const steps = [];
  let node = element;
  while (isElement(node)) {
    const root = dom.root(node);
    const id = dom.id(node);
    const alone = id && id.length <= NAME && (root instanceof Document || isRoot(root)) && isOnlyOne(id, root);
    steps.unshift(alone ? `#${CSS.escape(id)}` : step(node));
    if (alone || dom.parentNode(node) === root) {
      if (!isRoot(root)) break;
      steps.unshift("::shadow");
      node = root.host;
    } else node = dom.parentElement(node);
  }
  return steps.join(" > ").slice(-PATH).toWellFormed();
};

const headingOf = (region) => {
  const labelled = dom.attribute(region, "aria-label");
  if (labelled) return labelled;
  const heading = dom.first(region, "legend,h1,h2,h3,h4,h5,h6,[role=heading],caption");
  return heading ? textOf(heading) : "";
};

const rowTextOf = (row, element) => {
  const own = textOf(element);
  return own ? textOf(row).replace(own, " ") : textOf(row);
};

const around = (element, selector) => {
  const parent = dom.parentElement(element);
  return parent ? dom.closest(parent, selector) : null;
};

const contextOf = (element) => {
  const parts = [];
  const row = around(element, ROWS);
  if (row) parts.push(squeeze(rowTextOf(row, element), 60));
  let region = around(element, REGIONS);
  for (let depth = 0; region && depth < 2; depth += 1) {
    const heading = squeeze(attempt(() => headingOf(region)), 50);
    const kind = cut(dom.attribute(region, "role") ?? dom.localName(region), NAME);
    parts.push(heading ? `${kind} "${heading}"` : kind);
    region = around(region, REGIONS);
  }
  return cut(parts.filter(Boolean).join(", "), CONTEXT);
};

// What is written when a label is named: its field.
const fieldOf = (element) =>
  (element instanceof HTMLLabelElement && dom.control(element)) || element;

// Fields that an agent said hold secrets, and those that did once: a page may show what is in them.
const declared = new WeakSet();
const SECRETS = /(^|\s)cc-|password|one-time-code/;
const isSecret = (element) => {
  const field = fieldOf(element);
  const isInput = field instanceof HTMLInputElement;
  if (isInput && (field.type === "password" || SECRETS.test(field.autocomplete))) declared.add(field);
  return declared.has(field);
};

const describe = (element) => {
  const box = boxOf(element);
  const point = pointOf(element);
  return {
    tag: cut(dom.localName(element), NAME),
    role: cut(attempt(() => roleOf(element)), NAME),
    name: squeeze(attempt(() => nameOf(element)), TEXT),
    text: squeeze(textOf(element), TEXT),
    attributes: attributesOf(element),
    box: { x: box.x, y: box.y, width: box.width, height: box.height },
    point,
    visible: isVisible(element),
    enabled: isEnabled(element),
    covered_by: point && coverAt(element, point),
    shadow: isRoot(dom.root(element)),
    path: pathOf(element),
    context: contextOf(element),
    is_secret: isSecret(element),
  };
};

const seenOf = (elements) => {
  const seen = [];
  if (isShownAbove() === false) return seen;
  elements.forEach((element, position) => {
    if (isVisible(element)) seen.push({ element, position });
  });
  return seen;
};

// Everything the selector found in this frame; the first `limit` visible ones described.
const survey = (limit) => {
  const elements = held();
  const seen = seenOf(elements);
  return {
    total: elements.length,
    visible: seen.length,
    shown_above: isShownAbove(),
    view: { x: scrollX, y: scrollY, width: innerWidth, height: innerHeight },
    candidates: seen
      .slice(0, limit)
      .map(({ element, position }) => ({ position, ...describe(element) })),
  };
};

// Whether anything is seen; if so, once it had two frames to settle.
const glance = async () => {
  const visible = seenOf(held()).length;
  if (visible) await settle();
  return { visible, shown_above: isShownAbove() };
};

// Only counted, and let go again.
const tally = () => {
  const visible = seenOf(held()).length;
  globalThis[STASH]?.delete(current);
  return { visible, shown_above: isShownAbove() };
};

const texts = (limit) =>
  held()
    .filter(isVisible)
    .slice(0, limit)
    .map((element) => cut(textOf(element), 20_000));

// HTML around the element, with every value that could be a secret taken out.
const snippetOf = (position, limit) => {
  const element = held()[position];
  if (!element) return "";
  const copy = dom.clone(dom.parentElement(element) ?? element, true);
  for (const part of dom.all(copy, "script,style,noscript,template")) part.remove();
  for (const field of [copy, ...dom.all(copy, "input,textarea,option")]) {
    if (field instanceof HTMLTextAreaElement) field.textContent = "";
    const isField = field instanceof HTMLInputElement || field instanceof HTMLOptionElement;
    if (isField && field.hasAttribute("value") && !BUTTONS.has(typeOf(field))) {
      field.setAttribute("value", "•••");
    }
  }
  for (const name of ["href", "src", "action", "formaction"]) {
    for (const part of [copy, ...dom.all(copy, `[${name}]`)]) {
      const address = dom.attribute(part, name) ?? "";
      if (address.includes("?")) part.setAttribute(name, `${address.split("?")[0]}?…`);
    }
  }
  return cut(dom.outerHTML(copy), limit);
};
