// What has the focus, what lies at a point, and how many elements are called the same.
const MANY = 5_000;

const focused = () => {
  let focus = dom.focusOfDocument(document);
  for (let root = focus && dom.shadowRoot(focus); root; root = dom.shadowRoot(focus)) {
    const inner = dom.focusOfRoot(root);
    if (!inner) break;
    focus = inner;
  }
  return focus ?? document.documentElement;
};

const hasFocus = (position) => receivesKeys(fieldAt(position), focused());

const isFrame = (element) =>
  element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement;

const isInteractive = (element) => dom.matches(element, INTERACTIVE);

// The control that answers to a press there: the nearest interactive one around what was hit.
const controlAround = (hit) => {
  for (let node = hit; node; node = parentOf(node)) {
    if (!isElement(node)) continue;
    if (node instanceof HTMLLabelElement && dom.control(node)) {
      return isVisible(dom.control(node)) ? dom.control(node) : node;
    }
    if (isInteractive(node)) return node;
  }
  return hit;
};

const holdOne = (element) => {
  hold(element);
  return isFrame(element) ? "frame" : "element";
};

const holdAt = (x, y) => {
  const hit = hitAt(x, y);
  if (!hit) return "nothing";
  return holdOne(isFrame(hit) ? hit : controlAround(hit));
};

// Answers how far the page is scrolled then.
const bringIntoView = (x, y) => {
  const inView = x >= scrollX && x < scrollX + innerWidth && y >= scrollY && y < scrollY + innerHeight;
  if (!inView) scrollTo({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: "instant" });
  return [scrollX, scrollY];
};

const holdFocus = () => holdOne(focused());

const everyInteractive = function* (root) {
  for (const element of everyElement(root)) if (isInteractive(element)) yield element;
};

// Every field that holds a secret, also inside open shadow roots. Answers how many there are.
const holdSecrets = () => {
  const secrets = [...everyInteractive(document)].filter(isSecret);
  (globalThis[STASH] ??= new Map()).set(current, secrets);
  return secrets.length;
};

const declareSecret = (position) => {
  declared.add(fieldAt(position));
  return true;
};

const countAlike = (role, name) => {
  let seen = 0;
  let alike = 0;
  for (const element of everyInteractive(document)) {
    if ((seen += 1) > MANY) break;
    if (attempt(() => roleOf(element)) !== role || !isVisible(element)) continue;
    if (squeeze(attempt(() => nameOf(element)), TEXT) === name) alike += 1;
  }
  return alike;
};

// The held element, seen or not: a key may go to a field that nobody sees.
const describeHeld = () => ({ position: 0, ...describe(held()[0]) });

const isHovered = (position) => Boolean(held()[position]) && dom.matches(held()[position], ":hover");
