// Which controls an input really presses, by whatever way, and what the rules of its page call them.
const PRESSABLE =
  "a[href],area[href],button,input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=menuitem],[role=tab],[role=option],[role=switch]";
const TICKED = new Set(["checkbox", "radio"]);
const MOST_CONTROLS = 20;

const nearest = (inner, selector) => [...upFrom(inner)].find((node) => isMatch(node, selector));

// Where something else lies on it the press is stopped; if that goes away, it is the one.
const pressedAt = (element, point) => {
  const hit = point && hitAt(point.x, point.y);
  return withLabelled(receives(element, hit) ? hit : element);
};
const pressedByPointer = (element) => atItsPoint(element, (point) => pressedAt(element, point));

const isWritten = (element) =>
  isFieldOfForm(element)
    ? !TICKED.has(typeOf(element)) && !["file", "color"].includes(typeOf(element))
    : element instanceof HTMLElement && dom.isEditable(element);
const isOfPage = (element) =>
  element instanceof HTMLBodyElement || element instanceof HTMLHtmlElement;

// A button around a field hears its keys.
const buttonAround = (field) => {
  const button = nearest(parentOf(field), PRESSABLE);
  return button ? [button] : [];
};
const pressedBySpace = (element) => {
  if (isOfPage(element)) return [];
  return isWritten(element) ? buttonAround(element) : [element];
};
const pressedByEnter = (element) => {
  if (isOfPage(element)) return [];
  if (pressesItself(element)) return [element];
  const own = isFieldOfForm(element) ? buttonAround(element) : [element];
  return [...own, ...setOffOf(element).asked];
};

// An arrow presses the next one of the group.
const pressedByArrow = (element) => {
  if (typeOf(element) !== "radio") return [];
  const name = dom.attribute(element, "name");
  return [...allIn(dom.root(element), "input[type=radio]")].filter(
    (one) => one !== element && dom.attribute(one, "name") === name && ownerOf(one) === ownerOf(element),
  );
};

const LETTER = /^[a-z]$/;
const isKeyOf = (said, letter) => {
  const keys = said.toLowerCase().split(/\s+/).filter(Boolean);
  return letter ? keys.includes(letter) : keys.some((key) => !LETTER.test(key));
};
const pressedByAccessKey = (letter) =>
  [...everyElement(document)]
    .filter((one) => isKeyOf(dom.attribute(one, "accesskey") ?? "", letter))
    .flatMap(withLabelled);

const pressedWith = (element, { way, point, letter }) => {
  switch (way) {
    case "pointer": return pressedByPointer(element);
    case "point": return pressedAt(element, point);
    case "tick": return TICKED.has(kindOf(fieldOf(element))) ? pressedByPointer(element) : [];
    case "enter": return pressedByEnter(fieldOf(element));
    case "space": return pressedBySpace(fieldOf(element));
    case "arrow": return pressedByArrow(fieldOf(element));
    case "access_key": return pressedByAccessKey(letter);
  }
};

// The control that answers, and the button around that, if it is in one; else what was hit itself.
const controlsAround = (pressed) => {
  const around = [INTERACTIVE, PRESSABLE].flatMap((kind) => pressed.map((one) => nearest(one, kind)));
  const controls = [...new Set(around.filter(Boolean))];
  return controls.length ? controls : pressed;
};

// --- the rules of a site -----------------------------------------------------------------
const rootsOf = (root) => [
  root,
  ...[...allIn(root, "*")].map(dom.shadowRoot).filter(Boolean).flatMap(rootsOf),
];
const screenOf = (screens) => {
  if (screens.every(([, selector]) => !selector)) return screens[0]?.[0] ?? "";
  const roots = rootsOf(document);
  const isPresent = (selector) =>
    !selector || roots.some((root) => attempt(() => allIn(root, selector)).length > 0);
  return screens.find(([, selector]) => isPresent(selector))?.[0] ?? "";
};

// What stands in no row counts as one after the last: it is no less a control of that kind.
const numberOf = (row, selector) => {
  const rows = [...everyElement(document)].filter((one) => isMatch(one, selector));
  return row ? rows.indexOf(row) : rows.length;
};
const idIn = (path, { id, selector, row }) => {
  const control = path.find((node) => isMatch(node, selector));
  if (!control || !row) return control && id;
  return id.replaceAll("[N]", `[${numberOf(nearest(control, row), row)}]`);
};
const idsOf = (pressed, rules) => {
  const paths = pressed.map((one) => [...upFrom(one)]);
  const ids = paths.flatMap((path) => rules.map((rule) => idIn(path, rule)));
  return [...new Set(ids.filter(Boolean))];
};

// Of the held element. Null when it left the page.
const pressedBy = (position, press, rules) => {
  const element = held()[position];
  if (!element || !dom.isConnected(element)) return null;
  const pressed = [...new Set(pressedWith(element, press))];
  return {
    ...screenIn(rules.screens),
    elements: idsOf(pressed, rules.elements),
    controls: controlsAround(pressed).slice(0, MOST_CONTROLS).map(describe),
  };
};

// All that each rule names in this document: how many, and the first ones by id and name.
const MOST_NAMED = 5;
const namedBy = (rules) =>
  rules.map((rule) => {
    const all = [...everyElement(document)].filter((one) => isMatch(one, rule.selector));
    return { count: all.length, first: all.slice(0, MOST_NAMED).map((one) => idAndName(one, rule)) };
  });
const idAndName = (element, rule) => ({
  id: idIn([...upFrom(element)], rule),
  name: squeeze(attempt(() => nameOf(element)) || textOf(element), NAME),
});

const screenIn = (screens) => ({ url: location.href, screen: screenOf(screens) });
