// The guard: while it is armed, only the aimed element may receive input.
const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];
const DRAG = [...PRESS, "dragenter", "dragover", "drop"];
const KEYS = ["keydown", "keypress", "keyup", "beforeinput"];
let guard = null;

// What nobody judged may not be pressed, whatever the page put where: no key's click, and nothing
// of a press of the mouse, reaches it.
const isForbidden = ({ type }, path) =>
  guard.presses.includes(type) &&
  path.some((node) => guard.forbidden.some((selector) => isMatch(node, selector)));

const onInput = (event) => {
  if (!guard || !event.isTrusted) return;
  const path = event.composedPath();
  const [target] = path;
  const forbidden = isForbidden(event, path);
  if (!forbidden && !guard.types.includes(event.type)) return;
  const reached = !forbidden && guard.elements.some((element) => guard.receives(element, target));
  if (!reached) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  const met = reached ? null : sayWhat(target);
  guard.tell(JSON.stringify({ event: event.type, reached, met, forbidden }));
};
for (const type of [...DRAG, ...KEYS]) addEventListener(type, onInput, { capture: true });

// The body contains everything: keys meant for the page itself are for nothing else in it.
const receivesKeys = (element, target) =>
  element instanceof HTMLBodyElement ? element === target : receives(element, target);

// `allowed`: [token, position] of each element that may receive input; none for none in this frame.
// `forbidden`: selectors of what may not be pressed, though it be inside of those.
const arm = (allowed, forbidden, kind, binding, longest_ms) => {
  disarm();
  const elements = allowed.map(([token, position]) => globalThis[STASH]?.get(token)?.[position]);
  guard = {
    elements: elements.filter(Boolean).flatMap(kind === "keys" ? fieldOf : withLabelled),
    types: { keys: KEYS, press: PRESS, drag: DRAG }[kind],
    presses: kind === "keys" ? ["click"] : PRESS,
    forbidden,
    receives: kind === "keys" ? receivesKeys : receives,
    tell: Object.hasOwn(globalThis, binding) ? globalThis[binding] : () => {},
    late: setTimeout(disarm, longest_ms),
  };
};

// Arm, begin to watch the element for changes, and answer what a press at `point` would meet: null
// for nothing else, and where no point is given.
const ready = (position, point, ...how) => {
  arm(...how);
  watch(position);
  return point && meets(position, point);
};

const disarm = () => {
  clearTimeout(guard?.late);
  guard = null;
  return true;
};
